import { expect, it } from 'vitest';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const SPEC = 'goal: A lamp\ntype: hardware\ndevices:\n  - {name: lamp, sources: [lamp.ino]}\n  - {name: door}\n';

it.each([
  ['a board that nobody named', 'devices: {lamp: {kind: simulated}}\n', ['5:5 unknown-device']],
  [
    'a compiler that would see more of the machine than agents do',
    'devices: {lamp: {kind: simulated}, door: {kind: simulated, simulates: esp32}}\n',
    ['5:5 invalid-device'],
  ],
  ['boards that are sound', 'devices: {lamp: {kind: simulated}, door: {kind: simulated}}\n', []],
])('a build is warned of %s, and is read all the same', (_case, config, expected) => {
  const { plan, problems } = compileIn(createProject({ 'perdure.yml': config, 'build.yml': SPEC }), 'build.yml');
  expect(problems.map(brief)).toEqual(expected);
  expect(problems.every(({ severity }) => severity === 'warning')).toBe(true);
  expect(plan).not.toBeNull();
});
