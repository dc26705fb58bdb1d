import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadDeviceKinds } from '../../../src/compiler/project/device-kinds.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { createResolver } from '../../../src/compiler/project/resolve.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { brief, compileText, createProject } from '../helpers/temporary-project.js';

const shipped = (file: string): string => readFileSync(join(packageRoot(), 'definitions', file), 'utf8');
const TOOL = shipped('tools/word-count/tool.yml');
const TWINS = {
  'definitions/tools/word-count/tool.yml': TOOL,
  'definitions/tools/word-count/tool.yaml': TOOL.replace('version: 1', 'version: 2'),
};
const TOLD = {
  code: 'unknown-tool',
  message:
    'More than one file has the name `word-count`: `definitions/tools/word-count/tool.yaml`, ' +
    '`definitions/tools/word-count/tool.yml`.',
  suggestion: 'a tool has one file: take the others away',
};

describe('a tool that two files of its folder define', () => {
  it.each([
    ['a step calls', 'steps: [{tool: word-count, inputs: {text: a}}]\n', {}],
    [
      'an agent has',
      'steps: [{agent: counter}]\n',
      { 'definitions/agents/counter.yml': 'prompt: You count.\ntools: [word-count]\n' },
    ],
    [
      'an agent has, though an agent has that name too',
      'steps: [{agent: counter}]\n',
      {
        'definitions/agents/counter.yml': 'prompt: You count.\ntools: [word-count]\n',
        'definitions/agents/word-count.yml': 'prompt: You count words.\n',
      },
    ],
  ])('is refused where %s', (_what, text, files) => {
    const { plan, problems } = compileText(text, { ...TWINS, ...files });
    expect(plan).toBeNull();
    expect(problems).toMatchObject([TOLD]);
  });

  it('is told of where its files are checked', () => {
    const root = createProject(TWINS);
    const { problems } = validatePaths([join(root, 'definitions/tools')], root);
    expect(problems.map(brief)).toEqual([expect.stringMatching(/ duplicate-name$/)]);
    expect(problems).toMatchObject([
      { file: 'definitions/tools/word-count/tool.yml', message: expect.stringContaining('`tool.yaml` in this folder') },
    ]);
  });

  it('has a name that nothing else may take', () => {
    expect(createResolver(findProject(createProject(TWINS))).tools()).toEqual(['word-count']);
  });

  it('is the one of the first folder, where that has one file', () => {
    const files = { ...TWINS, 'definitions/tools/word-count/tool.yaml': '', '.glee/tools/word-count/tool.yml': TOOL };
    const { 'definitions/tools/word-count/tool.yaml': _other, ...one } = files;
    expect(compileText('steps: [{tool: word-count, inputs: {text: a}}]\n', one).problems).toEqual([]);
  });
});

it('a kind of device that two files define is broken, with both', () => {
  const kind = shipped('devices/simulated.yml');
  const root = createProject({ 'definitions/devices/simulated.yml': kind, 'definitions/devices/simulated.yaml': kind });
  expect(loadDeviceKinds(root).get('simulated')).toEqual({
    broken: '`simulated.yaml` and `simulated.yml` both have its name',
  });
  expect(loadDeviceKinds(createProject({ 'definitions/devices/simulated.yml': kind })).get('simulated')).toHaveProperty(
    'kind',
  );
});
