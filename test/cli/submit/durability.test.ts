import { expect, it } from 'vitest';
import { durabilityOf } from '../../../src/cli/submit/durability.js';
import { planOf } from '../../compiler/helpers/temporary-project.js';

const STEP = 'steps:\n  - {command: [echo, a]}\n';
const NESTING = 'steps:\n  - {workflow: ./inner.yml}\n';

it.each([
  ['nobody says anything', STEP, {}, {}],
  ['the project does', STEP, { durability: 'synced' }, { durability: 'synced' }],
  ['the workflow does', `durability: synced\n${STEP}`, {}, { durability: 'synced' }],
  ['a workflow in it does', NESTING, {}, { durability: 'synced' }],
  ['the workflow says the usual', `durability: usual\n${STEP}`, {}, {}],
  [
    'the workflow says less than the project',
    `durability: usual\n${STEP}`,
    { durability: 'synced' },
    { durability: 'synced' },
  ],
] as const)('whether steps wait for the disk where %s', (_what, text, config, expected) => {
  const plan = planOf(text, { 'inner.yml': `durability: synced\n${STEP}` });
  expect(durabilityOf(plan, config)).toEqual(expected);
});
