import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PLANNER_PROMPT, PLANNER_VERSION } from '../../../src/compiler/builds/build-planner.js';
import { expectRecorded } from '../helpers/recorded-text.js';
import { compileText } from '../helpers/temporary-project.js';

it('the words of who plans a build are those of their version, which the Plan names', () => {
  expectRecorded(join(import.meta.dirname, 'prompts', `${PLANNER_VERSION}.txt`), `${PLANNER_PROMPT}\n`);
  const { plan } = compileText('goal: A clock\n');
  expect(Object.values(plan?.agents ?? {})).toMatchObject([
    { name: 'planner', description: `Plans the tasks of a build (prompt version ${PLANNER_VERSION}).` },
  ]);
});
