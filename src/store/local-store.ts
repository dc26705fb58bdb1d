import { join } from 'node:path';
import { createAliveLog } from './alive-log.js';
import { createApprovalKey } from './approval-key.js';
import { createDeviceFiles } from './device-files.js';
import { openIdentity } from './identity.js';
import { createJournalFiles } from './journal-files.js';
import { createMadeFiles } from './made-files.js';
import { createLogFiles } from './log-files.js';
import { createPlanFiles } from './plan-files.js';
import { createMemoryFiles } from './memory-files.js';
import { createProviderFiles } from './provider-files.js';
import { createRecordedFiles } from './recorded-files.js';
import { createRunFiles } from './run-files.js';
import { createSessionFiles } from './session-files.js';
import { createSnapshots, snapshotFolder } from './snapshots.js';
import { createSubmittedFiles } from './submitted-files.js';
import { createTaintFiles } from './taint-files.js';
import type { Store } from './store.js';
import { createValueFiles } from './value-files.js';

/**
 * Opens the store in a state folder (`.perdure/`), and makes it when it is not there; several processes may do so at
 * once. A copy of a store that is still there gets an id of its own (`openIdentity`). Throws `StoreFailure` when the
 * folder cannot be used. With `lookOnly` a store that is not there is not made: it is empty, and has the id of no
 * other.
 */
export async function openStore(stateDir: string, { lookOnly = false }: { lookOnly?: boolean } = {}): Promise<Store> {
  const { id, copiedFrom } = await openIdentity(stateDir, lookOnly);
  return {
    id,
    copiedFrom,
    folder: stateDir,
    ...createValueFiles(join(stateDir, 'values')),
    ...createPlanFiles(join(stateDir, 'plans')),
    ...createJournalFiles(join(stateDir, 'journal')),
    ...createRunFiles(join(stateDir, 'runs')),
    ...createLogFiles(join(stateDir, 'logs')),
    ...createAliveLog(join(stateDir, 'alive')),
    ...createApprovalKey(join(stateDir, 'approval.key')),
    ...createMadeFiles(join(stateDir, 'made')),
    ...createDeviceFiles(join(stateDir, 'devices')),
    ...createProviderFiles(join(stateDir, 'providers')),
    ...createSessionFiles(join(stateDir, 'sessions')),
    ...createMemoryFiles(join(stateDir, 'memory')),
    ...createRecordedFiles(join(stateDir, 'recorded')),
    ...createSnapshots(snapshotFolder(stateDir)),
    ...createTaintFiles(join(stateDir, 'memory')),
    ...createSubmittedFiles(join(stateDir, 'submitted')),
  };
}
