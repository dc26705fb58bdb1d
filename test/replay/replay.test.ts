import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, it } from 'vitest';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const code = readFileSync(new URL('../../dist/workflow-bundle.js', import.meta.url), 'utf8');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json.gz'));

const historyIn = (file: string) =>
  historyFromJSON(JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}`)).toString()));
const replay = (history: ReturnType<typeof historyFromJSON>, id: string) =>
  Worker.runReplayHistory({ workflowBundle: { code } }, history, id);

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

describe('a stored history', () => {
  it.each(files)('%s replays with the workflow code of today', async (file) => {
    await expect(
      replay(historyIn(file), file.replace(/\.json\.gz$/, '').replaceAll('.', '/')),
    ).resolves.toBeUndefined();
  });

  it('does not replay when it tells of something else than the code would do', async () => {
    const history = historyIn('sequence.json.gz');
    const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType!.name = 'somethingElse';
    await expect(replay(history, 'sequence')).rejects.toThrow(DeterminismViolationError);
  });
});
