import { describe, expect, it } from 'vitest';
import { compileText, planOf } from '../helpers/temporary-project.js';

const AGENTS = {
  'definitions/agents/teller.yml': 'name: teller\nprompt: You answer.\n',
  'definitions/agents/reader.yml': 'name: reader\nprompt: You read.\ntools: [read_file]\n',
};
const step = (rest: string): string => `steps:\n  - {agent: teller, prompt: Go on?, ${rest}}\n`;

describe('`quick` at a step with an agent', () => {
  it('is in the Plan where it is true, and nowhere else', () => {
    expect(planOf(step('quick: true, timeout: 10s'), AGENTS).steps[0]).toMatchObject({ quick: true });
    expect(planOf(step('quick: false'), AGENTS).steps[0]).not.toHaveProperty('quick');
    expect(planOf(step('timeout: 5s'), AGENTS).steps[0]).not.toHaveProperty('quick');
  });

  it('is of the turns of an agent that uses tools, whose time limit is that of all of them', () => {
    const reading = 'steps:\n  - {agent: reader, prompt: Read., quick: true, timeout: 5m}\n';
    expect(planOf(reading, AGENTS).steps[0]).toMatchObject({ quick: true, timeout_ms: 300_000 });
  });

  it.each([
    ['without a time limit', step('quick: true'), 'at most 10 s, and this one has 300 s'],
    ['with a longer time limit', step('quick: true, timeout: 11s'), 'at most 10 s, and this one has 11 s'],
    ['with requirements', step('quick: true, timeout: 5s, requires: {sandbox: true}'), '`requires` asks for others'],
  ])('is a problem %s', (_where, text, message) => {
    const { plan, problems } = compileText(text, AGENTS);
    expect(plan).toBeNull();
    expect(problems).toMatchObject([{ code: 'conflicting-keys', line: 2, message: expect.stringContaining(message) }]);
  });
});
