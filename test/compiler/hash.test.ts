import { describe, expect, it } from 'vitest';
import { hashOf } from '../../src/compiler/hash.js';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { compileIn, createProject, planOf } from './helpers/temporary-project.js';

const FILES = {
  'definitions/workflows/top.yml':
    'inputs: {b: {default: 1}, a: {default: 2}}\nsteps:\n  - agent: helper\n    inputs: {x: "${a}", y: ' +
    '"${b}"}\n  - workflow: ../flows/nested.yml\n',
  'definitions/flows/nested.yml': 'steps:\n  - {command: [echo, hello], env: {A: 1, B: 2}}\n',
  'definitions/agents/helper.yml': 'name: helper\nprompt: |\n  Compare ${x} and ${y}.\n',
};

describe('the hash of a Plan', () => {
  it('is the same in another folder, and no path is in the Plan', () => {
    const [one, two] = [createProject(FILES), createProject(FILES)];
    const plans = [one, two].map((root) => compileIn(root, 'definitions/workflows/top.yml').plan);
    expect(plans[0]).toEqual(plans[1]);
    for (const text of [one, 'definitions/', packageRoot(), '.yml'])
      expect(JSON.stringify(plans[0])).not.toContain(text);
  });

  it('is that of all fields but itself', () => {
    const { hash, ...rest } = planOf('steps:\n  - agent: scanner\n');
    expect(hashOf(rest)).toBe(hash);
  });

  it.each([
    ['the order of keys', 'steps:\n  - inputs: {b: 2, a: 1}\n    agent: scanner\nexecution: sequential\n'],
    [
      'comments and white space',
      '# a comment\nexecution:   sequential\nsteps:\n- {agent: scanner, inputs: {a: 1, b: 2}} # another\n',
    ],
    ['the way a text is quoted', 'execution: "sequential"\nsteps:\n  - {"agent": \'scanner\', inputs: {a: 1, b: 2}}\n'],
    [
      'what is the default anyway',
      'steps:\n  - {agent: scanner, inputs: {a: 1, b: 2}, timeout: 5m, on_error: stop, effect: workspace}\n',
    ],
  ])('does not depend on %s', (_what, text) => {
    expect(planOf(text).hash).toBe(
      planOf('execution: sequential\nsteps:\n  - agent: scanner\n    inputs: {a: 1, b: 2}\n').hash,
    );
  });

  it.each([
    ['a prompt', 'steps:\n  - {agent: scanner, prompt: other}\n'],
    ['a step', 'steps:\n  - {agent: scanner, prompt: one}\n  - {agent: scanner, prompt: one}\n'],
    ['a limit', 'steps:\n  - {agent: scanner, prompt: one, timeout: 6m}\n'],
    ['a budget', 'budgets: {max_steps: 3}\nsteps:\n  - {agent: scanner, prompt: one}\n'],
  ])('depends on %s', (_what, text) => {
    expect(planOf(text).hash).not.toBe(planOf('steps:\n  - {agent: scanner, prompt: one}\n').hash);
  });

  it("depends on the agent's own file", () => {
    const text = 'steps:\n  - agent: scanner\n';
    expect(planOf(text, { 'definitions/agents/scanner.yml': 'name: scanner\nprompt: Otherwise.\n' }).hash).not.toBe(
      planOf(text).hash,
    );
  });
});

describe('texts over 512 bytes', () => {
  it('are named by the hash of their JSON, and handed over beside the Plan', () => {
    const long = 'word '.repeat(200).trim();
    const root = createProject({
      'a.yml':
        `description: ${long}\nsteps:\n  - agent: Explore\n    prompt: "${long} \${x}"\n    inputs: {y: ` +
        `"${long}."}\n`,
    });
    const { plan, texts } = compileIn(root, 'a.yml');
    for (const [hash, text] of texts) expect(hashOf(text)).toBe(hash);
    expect(plan?.description).toEqual({ text: hashOf(long), bytes: long.length + 2 });
    expect(JSON.stringify(plan)).not.toContain(long);
    expect([...texts.values()]).toEqual(expect.arrayContaining([long, `${long} `, `${long}.`]));
  });
});
