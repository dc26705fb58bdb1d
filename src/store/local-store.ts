import { join } from 'node:path';
import { createAliveLog } from './logs/alive-log.js';
import { createApprovalKey } from './records/approval-key.js';
import { createDeviceFiles } from './records/device-files.js';
import { createFollowerFiles } from './records/follower-files.js';
import { createHookFiles } from './records/hook-files.js';
import { openIdentity } from './identity.js';
import { createJournalFiles } from './journal/journal-files.js';
import { createMadeFiles } from './records/made-files.js';
import { createLogFiles } from './logs/log-files.js';
import { createPlanFiles } from './values/plan-files.js';
import { createMemoryFiles } from './records/memory-files.js';
import { createNarrationFiles } from './records/narration-files.js';
import { createPruning } from './records/prune-files.js';
import { createProviderFiles } from './records/provider-files.js';
import { createRecordedFiles } from './records/recorded-files.js';
import { createRunFiles } from './records/run-files.js';
import { createSessionFiles } from './records/session-files.js';
import { createSnapshots, snapshotFolder } from './snapshots/snapshots.js';
import { createSubmittedFiles } from './records/submitted-files.js';
import { createTaintFiles } from './records/taint-files.js';
import type { Store } from './store.js';
import { createValueFiles } from './values/value-files.js';
import { createWorkerFiles } from './workers/worker-files.js';

/**
 * Opens the store in a state folder (`.perdure/`), and makes it when it is not there; several processes may do so at
 * once. A copy of a store that is still there gets an id of its own (`openIdentity`). Throws `StoreFailure` when the
 * folder cannot be used. With `lookOnly` a store that is not there is not made: it is empty, and has the id of no
 * other.
 */
export async function openStore(stateDir: string, { lookOnly = false }: { lookOnly?: boolean } = {}): Promise<Store> {
  const { id, copiedFrom } = await openIdentity(stateDir, lookOnly);
  const runs = createRunFiles(join(stateDir, 'runs'));
  const submitted = createSubmittedFiles(join(stateDir, 'submitted'), runs);
  return {
    id,
    copiedFrom,
    folder: stateDir,
    homes: null,
    ...createValueFiles(join(stateDir, 'values')),
    ...createPlanFiles(join(stateDir, 'plans')),
    ...createJournalFiles(join(stateDir, 'journal')),
    ...runs,
    ...createLogFiles(join(stateDir, 'logs')),
    ...createAliveLog(join(stateDir, 'alive')),
    ...createApprovalKey(join(stateDir, 'approval.key')),
    ...createMadeFiles(join(stateDir, 'made')),
    ...createFollowerFiles(join(stateDir, 'followers.json'), id),
    ...createHookFiles(join(stateDir, 'hooks')),
    ...createDeviceFiles(join(stateDir, 'devices')),
    ...createProviderFiles(join(stateDir, 'providers')),
    ...createSessionFiles(join(stateDir, 'sessions'), { ...submitted, ...runs }),
    ...createMemoryFiles(join(stateDir, 'memory')),
    ...createNarrationFiles(join(stateDir, 'narration')),
    ...createRecordedFiles(join(stateDir, 'recorded')),
    ...createSnapshots(snapshotFolder(stateDir)),
    ...createTaintFiles(join(stateDir, 'memory')),
    ...createPruning(stateDir),
    ...submitted,
    ...createWorkerFiles(join(stateDir, 'workers')),
  };
}
