import type { WorkerDeployment } from './deployment.js';

/** A worker of a store, as it says itself. */
export interface WorkerRecord {
  /** Of this start of it: no other worker has it, at any time. */
  id: string;
  host: string;
  pid: number;
  /** The state folder that it works in. */
  folder: string;
  /** The queue that all workers of the store poll. */
  queue: string;
  /** Those that it was given. */
  labels: string[];
  /** Keys of the requirements that it meets, of all that were asked for so far. */
  serves: string[];
  /** The version that it is of; absent where it is of none. */
  deployment?: WorkerDeployment | undefined;
  /** ISO 8601, UTC. */
  since: string;
  /** It takes nothing new, and ends once what it does has ended. */
  draining: boolean;
}

/** Where the files of a worker are, for people: the folder that has its state folder, where that is not elsewhere. */
export function folderOnHost({ folder, host }: Pick<WorkerRecord, 'folder' | 'host'>): string {
  return `\`${folder.replace(/\/\.perdure$/, '')}\` on \`${host}\``;
}
