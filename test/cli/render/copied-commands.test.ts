import { spawnSync } from 'node:child_process';
import { expect, it, vi } from 'vitest';
import type { Invocation } from '../../../src/cli/command.js';
import { COMMANDS } from '../../../src/cli/commands/index.js';
import { answerCommands } from '../../../src/cli/render/gate-words.js';
import { pauseLines } from '../../../src/cli/render/pause-lines.js';
import { runVersionLines } from '../../../src/cli/render/version-lines.js';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { newFolder, perdureHere } from '../helpers/command-line.js';

const IDS = ['plain', 'x$(echo out)', 'x; echo out', "it's", '-x', '--json'];
const since = '2026-01-01T00:00:00Z';
const GATE: Gate = {
  ...{ path: 'ok', kind: 'approval', message: 'Go on?', content: null, fallback: 'abort', hash: 'sha256:00', since },
};

/** What the program takes a line for that was copied into a shell: words and options of one command. */
async function taken(line: string): Promise<{ command: string; words: string[]; options: Invocation['options'] }> {
  const script = `perdure() { printf '%s\\0' "$@"; }; npx() { shift; perdure "$@"; }\n${line}`;
  const [command = '', ...words] = spawnSync('sh', ['-c', script], { encoding: 'utf8' })
    .stdout.split('\0')
    .slice(0, -1);
  const spec = COMMANDS.find(({ name }) => name === command);
  if (spec === undefined) throw new Error(`no command in \`${line}\``);
  const run = vi.spyOn(spec, 'run').mockResolvedValue(0);
  const { stderr } = await perdureHere(newFolder(), [command, ...words]);
  const given = run.mock.calls[0]?.[0];
  run.mockRestore();
  if (given === undefined) throw new Error(`\`${line}\` is not taken: ${stderr}`);
  return { command, words: given.arguments, options: given.options };
}

function commandsIn(lines: string[]): string[] {
  return lines.flatMap((line) => /^ {2}((?:npx )?perdure .*?)(?: {2,}|$)/.exec(line)?.[1] ?? []);
}

it.each(IDS)('what answers a gate of the run %s names it, and is taken as it is printed', async (id) => {
  const open = (gate: Partial<Gate>): string[] =>
    answerCommands({ address: `${id}/ok`, owner: id, gate: { ...GATE, ...gate } });
  const [approve = '', reject = ''] = open({});
  expect(await taken(approve)).toMatchObject({ command: 'approve', words: [`${id}/ok`] });
  const rejected = await taken(reject);
  expect(rejected).toMatchObject({ command: 'reject', words: [`${id}/ok`] });
  expect(rejected.options.text('comment')).toBe('why');
  const [answer = ''] = open({ kind: 'ask' });
  expect(await taken(answer)).toMatchObject({ command: 'answer', words: [`${id}/ok`, 'your answer'] });
});

it.each(['yes', '-y', '--json', '$(echo out)', '-'])('the option %s of a gate is no option of ours', async (option) => {
  const [answer = ''] = answerCommands({ address: 'x/ok', owner: 'x', gate: { ...GATE, options: [option, '-n'] } });
  const { command, words, options } = await taken(answer);
  expect({ command, words, json: options.flag('json') }).toEqual({
    command: 'answer',
    words: ['x/ok', option],
    json: false,
  });
});

it.each(IDS)('what lets the paused run %s go on names it, and is taken as it is printed', async (run) => {
  const said = { run, message: 'Too much', by: null, since, until: since };
  for (const cause of ['request', 'quota', 'max_cost_usd', 'max_tokens'] as const) {
    const commands = commandsIn(pauseLines({ ...said, cause }));
    expect(commands).not.toEqual([]);
    for (const command of commands) expect((await taken(command)).words, command).toEqual([run]);
  }
});

it.each(IDS)('what gives the run %s a worker names it and its version, and is taken as it is printed', async (id) => {
  const [, second = ''] = runVersionLines(id, {
    ...{ version: `team:${id}`, behavior: 'pinned', isServed: false },
  });
  const [, worker = '', move = ''] = /^Start one: (.+); or go on with what takes new runs: (.+)$/.exec(second) ?? [];
  expect((await taken(worker)).options.text('deployment')).toBe(`team:${id}`);
  expect(await taken(move)).toMatchObject({ command: 'deployment', words: ['move', id] });
});
