import { describe, expect, it } from 'vitest';
import { compileText } from './helpers/temporary-project.js';

/** What every object inherits, and names that mean nothing to anybody. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', 'isPrototypeOf'];
const PLAIN = 'nothing';
/** What is said of one that is refused, for it means something else elsewhere. */
const REFUSED = /"code": "forbidden-key"|There is no `[\w.]+`\./;

/** Definitions in which a file writes a name wherever it may, and what else their project has. */
const WRITTEN: Record<string, { text: string; config?: string }> = {
  'a step and what refers to it': {
    text: 'steps:\n  - {id: NAME, command: [echo, hi]}\n  - {command: [echo, "${steps.NAME.output}"]}\n',
  },
  'an input that an agent is shown': {
    text: 'inputs: {NAME: {type: string}}\nsteps:\n  - {agent: scanner, prompt: "Look at ${NAME}."}\n',
  },
  'an input that nobody has declared': {
    text: 'steps:\n  - {agent: scanner, prompt: "Look at ${NAME}."}\n  - {command: [echo, "${NAME ?? 1}"]}\n',
  },
  'an agent': { text: 'steps:\n  - {agent: NAME, prompt: Look.}\n' },
  'a model': { text: 'steps:\n  - {agent: scanner, model: NAME, prompt: Look.}\n' },
  'a model and an alias of another': {
    text: 'steps:\n  - {agent: scanner, model: NAME, prompt: Look.}\n',
    config: 'models: {aliases: {fast: claude-haiku-4-5}}\n',
  },
  'a key of a step': { text: 'steps:\n  - {command: [echo], NAME: 1}\n' },
  'a key of a definition': { text: 'NAME: 1\nsteps:\n  - {command: [echo]}\n' },
  'a kind of step': { text: 'steps:\n  - {NAME: 1}\n' },
  'a tool': { text: 'steps:\n  - {tool: NAME, inputs: {x: 1}}\n' },
  'an input of a tool': { text: 'steps:\n  - {tool: list_files, inputs: {NAME: 1}}\n' },
  'a server of tools': { text: 'steps:\n  - {tool: mcp__NAME__look, inputs: {x: 1}}\n', config: 'mcp: {}\n' },
  'a device': {
    text: 'steps:\n  - {flash: {device: NAME, image: a.hex}}\n',
    config: 'devices: {uno: {kind: simulated}}\n',
  },
  'a kind of device': {
    text: 'steps:\n  - {flash: {device: uno, image: a.hex}}\n',
    config: 'devices: {uno: {kind: NAME}}\n',
  },
  'a nested workflow': { text: 'steps:\n  - {workflow: NAME}\n' },
  'a group': {
    text: 'steps:\n  - {id: a, group: NAME, command: [echo]}\n  - {command: [echo, "${groups.NAME.outputs}"]}\n',
  },
  'a variable of a command': { text: 'steps:\n  - {command: [echo], env: {NAME: "1"}}\n' },
  'an operand of a condition': { text: 'steps:\n  - {when: "${NAME(1)}", command: [echo]}\n' },
  'a cron': { text: 'schedule: NAME\nsteps:\n  - {command: [echo]}\n' },
  'a way to be notified': { text: 'steps:\n  - {command: [echo]}\n', config: 'notify: {NAME: x}\n' },
  'a provider': { text: 'steps:\n  - {command: [echo]}\n', config: 'providers: {NAME: {key: "${env.X}"}}\n' },
  'a price': {
    text: 'steps:\n  - {agent: scanner, model: NAME, prompt: Look.}\n',
    config: 'models: {prices: {m: {input: 1, output: 1}}}\n',
  },
};

/** All that came of it, with the name as `PLAIN`; hashes follow the name. */
function compiled({ text, config = '' }: { text: string; config?: string }, name: string): string {
  const put = (written: string): string => written.replaceAll('NAME', name);
  const { plan, problems, triggers } = compileText(put(text), { 'perdure.yml': put(config) || '{}\n' });
  const told = problems.map(({ code, line, column, message }) => ({ code, line, column, message }));
  return JSON.stringify({ plan, told, triggers }, null, 1)
    .replaceAll(name, PLAIN)
    .replace(/sha256:[0-9a-f]{64}/g, 'HASH')
    .replace(/"column": \d+/g, '');
}

describe.each(INHERITED)('a name that every object has, `%s`,', (name) => {
  it.each(Object.entries(WRITTEN))('is a name like any other as %s', (_what, written) => {
    const told = compiled(written, name);
    if (name === 'constructor' && REFUSED.test(told)) return;
    expect(told).toBe(compiled(written, PLAIN));
  });
});
