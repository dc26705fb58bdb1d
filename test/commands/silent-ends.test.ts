// @seconds 30
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/*
 * Items and rounds whose last steps leave no event (a `when` that is false, a `set`, the last round of a loop): while a
 * person is waited for elsewhere, everybody says that the run waits, and who does not want to wait is not kept.
 */

const ASKS = '{id: ask, when: "${item == 2}", ask: Go on?}';
const each = (steps: string[]): string =>
  `steps:\n  - id: each\n    foreach: {items: [0, 1, 2, 3], max_parallel: 1}\n    steps:\n` +
  steps.map((step) => `      - ${step}\n`).join('');

const DEFINITIONS: Record<string, string> = {
  'a `when` that is false': each(['{id: say, when: "${item < 2}", command: [echo, said]}', ASKS]),
  'several of them': each([
    '{id: say, when: "${item < 2}", command: [echo, said]}',
    '{id: more, when: "${item > 7}", command: [echo, said]}',
    ASKS,
  ]),
  'a set': each(['{id: say, when: "${item < 2}", command: [echo, said]}', ASKS, '{id: keep, set: {n: "${item}"}}']),
  'a nested run before': each(['{id: say, when: "${item < 2}", workflow: inner}', ASKS]),
  'a foreach in it': each([
    '{id: say, foreach: [1], when: "${item < 2}", steps: [{id: a, command: [echo, b]}, {id: c, set: {d: 1}}]}',
    ASKS,
  ]),
  'the last round of a loop':
    'execution: dag\nsteps:\n  - {id: rounds, loop: {until: "${index == 1}", max: 5}, steps: [{id: say, command: ' +
    '[echo, said]}, {id: keep, set: {n: "${index}"}}]}\n  - {id: ask, ask: Go on?}\n  - {id: end, needs: [rounds, ' +
    'ask], command: [echo, done]}\n',
};

let project: Project;
beforeAll(async () => {
  const files = Object.values(DEFINITIONS).map((steps, index): [string, string] => [
    `definitions/workflows/silent-${index}.yml`,
    `name: silent-${index}\n${steps}`,
  ]);
  project = await openProject({
    'definitions/workflows/inner.yml': 'name: inner\nsteps:\n  - {id: echo, command: [echo, said]}\n',
    ...Object.fromEntries(files),
  });
  expect((await project.run('server', 'start')).code).toBe(0);
});
afterAll(() => project.close());

describe('a run that waits for a person, while items and rounds have ended without an event', () => {
  it.each(Object.keys(DEFINITIONS).map((name, index): [string, string] => [name, `silent-${index}`]))(
    'waits by all that tell of it: %s',
    async (_name, id) => {
      const { code, stderr } = await project.run('run', id, '--id', id, '--no-wait', '--json');
      expect(code, stderr).toBe(4);
      const shown = JSON.parse((await project.run('show', id, '--json')).stdout) as { status: string };
      const listed = async (): Promise<string | undefined> =>
        (JSON.parse((await project.run('list', '--json')).stdout) as { run: string; status: string }[]).find(
          ({ run }) => run === id,
        )?.status;
      expect(shown.status).toBe('waiting');
      // What is listed follows the run by a moment.
      await expect.poll(listed).toBe('waiting');
      const gate = id === 'silent-5' ? `${id}/ask` : `${id}/each/2/ask`;
      expect((await project.run('answer', gate, 'yes')).code).toBe(0);
      expect((await project.run('watch', id)).code).toBe(0);
    },
  );
});
