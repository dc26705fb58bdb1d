import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const AGENT = 'name: helper\nprompt: You help.\n';
const TOOL = readFileSync(join(packageRoot(), 'definitions/tools/word-count/tool.yml'), 'utf8');
const keptOf = (files: Record<string, string>, file: string): string[] => compileIn(createProject(files), file).kept;

it('agents must not write the files that a definition was compiled from', () => {
  const files = {
    'own.yml': 'name: own\nsteps: [{workflow: parts/inner.yml}, {agent: helper, prompt: Hi.}]',
    'parts/inner.yml': 'name: inner\nsteps: [{agent: helper, prompt: Hi.}]',
    'parts/other.yml': 'name: other\nsteps: [{agent: helper, prompt: Hi.}]',
    'definitions/agents/helper.yml': AGENT,
  };
  expect(keptOf(files, 'own.yml')).toEqual(['own.yml', 'parts/inner.yml']);
});

it('nothing more is kept of a definition in a folder that rules protect', () => {
  const files = { 'definitions/own.yml': 'name: own\nsteps: [{command: [ls]}]' };
  expect(keptOf(files, 'own')).toEqual([]);
});

it('agents must not write where what a definition names was looked for', () => {
  const step = 'name: own\nsteps: [{agent: helper, prompt: Hi.}, {workflow: inner}]';
  const inner = 'name: inner\nsteps: [{command: [ls]}]';
  const beside = { 'workflows/own.yml': step, 'agents/helper.yml': AGENT, 'workflows/inner.yml': inner };
  expect(keptOf(beside, 'workflows/own.yml')).toEqual([
    'agents',
    'agents/helper.yml',
    'workflows',
    'workflows/inner.yml',
    'workflows/own.yml',
  ]);
  const below = { 'definitions/agents/helper.yml': AGENT, 'definitions/workflows/inner.yml': inner };
  expect(keptOf({ 'workflows/own.yml': step, ...below }, 'workflows/own.yml')).toEqual([
    ...['agents', 'builds', 'chains', 'flows', 'workflows', 'workflows/own.yml'],
  ]);
});

it('agents must not write tools and agents of the place that a definition belongs to', () => {
  const files = {
    'examples/one/definitions/own.yml':
      'name: own\nsteps: [{tool: word-count, inputs: {text: One two.}}, {agent: helper, prompt: Hi.}]',
    'examples/one/definitions/agents/helper.yml': AGENT,
    'examples/one/definitions/tools/word-count/tool.yml': TOOL,
  };
  const { kept, problems } = compileIn(createProject(files), 'examples/one/definitions/own.yml');
  expect(problems).toEqual([]);
  expect(kept).toEqual(
    expect.arrayContaining([
      'examples/one/definitions/own.yml',
      'examples/one/definitions/agents',
      'examples/one/definitions/tools/word-count',
    ]),
  );
});

it('agents must not write what settings start, be it the program or a file that it is given', () => {
  const root = createProject({
    'perdure.yml': `
notify: {command: [./tell.sh, --by=hooks/by.json, waiting]}
mcp:
  ours: {command: [node, server.mjs, '.'], cwd: tools}
  theirs: {command: [npx, -y, '@someone/server', data]}
encryption: {keys: [{command: [/usr/bin/true]}]}
devices: {bench: {kind: mine, values: {image: tools/image.bin}}}
`,
    'definitions/devices/mine.yml': `
name: mine
boards: {one: {target: x, max_bytes: 1}}
image: bin
compile: {rules: [{from: [.c], run: [python3, tools/compile.py, '{source}']}], link: []}
flash: [[tools/flash.sh, '{image}']]
verify: []
texts: []
by_hand: Wait.
`,
    'definitions/own.yml': 'name: own\nsteps: [{command: [ls]}]',
    'hooks/by.json': '{}',
    'tools/server.mjs': '',
    'tools/compile.py': '',
    'tools/image.bin': '',
    'scripts/flash.sh': '',
    'data/a.txt': '',
  });
  symlinkSync('../scripts/flash.sh', join(root, 'tools/flash.sh'));
  expect(compileIn(root, 'own').kept).toEqual([
    'hooks/by.json',
    'scripts/flash.sh',
    'tell.sh',
    'tools/compile.py',
    'tools/flash.sh',
    'tools/image.bin',
    'tools/server.mjs',
  ]);
});
