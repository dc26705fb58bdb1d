import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.js';
import { HELLO, newFolder, perdureHere } from '../helpers/command-line.js';

const BROKEN = 'workflows: {max_depht: 3}\n';
const RECORDING = 'definition: hello.yml\ninput: {name: x}\nexpect: {status: success}\nanswers: []\n';
const FILES = { 'perdure.yml': BROKEN, 'hello.yml': HELLO, 'recording.yml': RECORDING };

/** Each command that reads the settings of the project, as it is typed. */
const READING: Record<string, string[]> = {
  agents: ['agents', 'list'],
  approve: ['approve', 'run/gate'],
  budget: ['budget', 'run', '--add-usd', '1'],
  build: ['build', 'hello.yml'],
  cancel: ['cancel', 'run'],
  design: ['design', 'a flow'],
  devices: ['devices', 'list'],
  export: ['export', 'hello.yml', '--to', 'mermaid'],
  fmt: ['fmt', 'hello.yml'],
  grant: ['grant', 'run/gate'],
  import: ['import', 'hello.yml'],
  init: ['init'],
  list: ['list'],
  listen: ['listen'],
  logs: ['logs', 'run'],
  memory: ['memory', 'list'],
  pause: ['pause', 'run'],
  plan: ['plan', 'hello.yml'],
  promote: ['promote', 'run/name'],
  prune: ['prune'],
  receipt: ['receipt', 'run'],
  record: ['record', 'run'],
  reject: ['reject', 'run/gate'],
  answer: ['answer', 'run/gate', 'yes'],
  rerun: ['rerun', 'run'],
  resume: ['resume', 'run'],
  run: ['run', 'hello.yml', '-i', 'name=x'],
  say: ['say', 'run/step', 'hello'],
  schedules: ['schedules', 'list'],
  sessions: ['sessions', 'list'],
  show: ['show', 'run'],
  stats: ['stats'],
  store: ['store', 'status'],
  test: ['test', 'recording.yml'],
  tools: ['tools', 'list'],
  ui: ['ui', '--no-open'],
  validate: ['validate', 'hello.yml'],
  watch: ['watch', 'run'],
  workers: ['workers'],
  deployment: ['deployment', 'list'],
  workspace: ['workspace', 'show', 'run'],
};
/** Those that need none, end what runs whatever the settings are, or stay: what they say is tested where they are. */
const OTHERS = [
  'codec-server',
  'completion',
  'lsp',
  'schema',
  'server',
  'setup',
  'up',
  'worker',
  'mcp',
  'doctor',
  'trust',
];

it('every command is in one of the lists', () => {
  expect([...Object.keys(READING), ...OTHERS].sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
});

it.each(Object.values(READING))('settings that are broken are told by `%s`, which does nothing', async (...args) => {
  const folder = newFolder(FILES);
  const { code, stdout, stderr } = await perdureHere(folder, args);
  expect({ code, told: `${stdout}${stderr}`.includes('perdure.yml:1:13') }).toEqual({ code: 2, told: true });
  expect(readdirSync(folder).sort()).toEqual(Object.keys(FILES).sort());
  expect(readFileSync(join(folder, 'perdure.yml'), 'utf8')).toBe(BROKEN);
});
