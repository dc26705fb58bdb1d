import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const FOLDER = fileURLToPath(new URL('histories', import.meta.url));

/**
 * With `PERDURE_RECORD=1` stores a history that replays from then on, unless one of that name is there. From the first
 * release on old files show that old runs still replay (I14). Until then one that a change breaks is deleted and
 * recorded anew (decision 28). Worker and client identities name the machine; nothing replays by them.
 */
export async function record(name: string, history: Parameters<typeof historyToJSON>[0]): Promise<void> {
  if (process.env['PERDURE_RECORD'] !== '1') return;
  await mkdir(FOLDER, { recursive: true });
  const scrubbed = JSON.stringify(JSON.parse(historyToJSON(history))).replace(/"identity":"[^"]*"/g, '"identity":""');
  await writeFile(`${FOLDER}/${name}.json.gz`, gzipSync(scrubbed, { level: 9 }), { flag: 'wx' }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    },
  );
}
