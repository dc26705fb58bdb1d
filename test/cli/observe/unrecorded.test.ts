import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { markUnrecorded, withoutRecord } from '../../../src/cli/observe/unrecorded.js';
import { openStore } from '../../../src/store/local-store.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { runRecord } from '../../store/helpers/run-record.js';
import { runView } from '../helpers/views.js';

it('a run is marked as unrecorded once it has ended and has no record', async () => {
  const folder = await temporaryFolder();
  const store = await openStore(folder);
  for (const run of ['kept', 'damaged']) await store.writeRun(runRecord(run));
  writeFileSync(join(folder, 'runs', 'damaged.json'), '{');
  const marked = async (run: string, status: 'running' | 'cancelled'): Promise<boolean> =>
    (await markUnrecorded(runView([], { run, status }), store)).unrecorded === true;
  expect(await marked('kept', 'cancelled')).toBe(false);
  expect(await marked('kept/below', 'cancelled')).toBe(false);
  expect(await marked('damaged', 'cancelled')).toBe(false);
  expect(await marked('none', 'cancelled')).toBe(true);
  expect(await marked('none/below', 'cancelled')).toBe(true);
  expect(await marked('none', 'running')).toBe(false);
});

it('what needs a record is refused with the command that starts the run anew', () => {
  const refused = (definition?: string): string => {
    const error = withoutRecord({ run: 'r', status: 'cancelled', ...(definition === undefined ? {} : { definition }) });
    return `${error.message} ${error.hint ?? ''}`;
  };
  const ended = 'The run `r` ended without a record of what it had done: cancelled. Start it anew with';
  expect(refused('my file.yml')).toBe(`${ended} \`perdure run 'my file.yml' …\`.`);
  expect(refused()).toBe(`${ended} \`perdure run\`.`);
});
