import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openStore } from '../../../src/store/local-store.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { runRecord } from '../../store/helpers/run-record.js';
import { newFolder, perdureHere } from '../helpers/command-line.js';

/** A project with a run `r` whose step `work` wrote something; it has ended where that is said. */
async function folderWith({ ended }: { ended: boolean }): Promise<string> {
  const folder = newFolder();
  const store = await openStore(join(folder, '.perdure'));
  const made = plan([]);
  await store.putPlan(made);
  const log = store.openLog('r', 'work');
  log.write('stdout', 'hello\n');
  await log.close();
  if (ended) await store.writeRun(runRecord('r', { plan: made.hash }));
  return folder;
}

it('following a run that has ended prints what it wrote', async () => {
  const folder = await folderWith({ ended: true });
  expect(await perdureHere(folder, ['logs', 'r', '-f'])).toMatchObject({ code: 0, stdout: 'work │ hello\n' });
});

it.each([[['logs', 'r', 'wrok']], [['logs', 'r', 'wrok', '-f']]])(
  'a step that a run does not have is an error (%j)',
  async (args) => {
    const { code, stdout, stderr } = await perdureHere(await folderWith({ ended: true }), args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('no log of a step `wrok`');
  },
);

it('following a run that nobody knows any more is an error, and waits for nothing', async () => {
  const { code, stderr } = await perdureHere(await folderWith({ ended: false }), ['logs', 'r', '-f']);
  expect(code).toBe(2);
  expect(stderr).toContain('`r`');
});
