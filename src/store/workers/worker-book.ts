import { z } from 'zod';
import type { Requirement } from '../../plan/names.js';
import { VERSIONING_BEHAVIORS } from '../../plan/placement/deployment.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';

/** How often a worker says that it is there, in milliseconds. */
export const BEAT_MS = 2_000;
/** Who was silent for so long counts as gone, in milliseconds. */
export const SILENT_MS = 12_000;

const workerSchema: z.ZodType<WorkerRecord> = z.object({
  id: z.string(),
  host: z.string(),
  pid: z.number(),
  folder: z.string(),
  queue: z.string(),
  labels: z.array(z.string()),
  serves: z.array(z.string()),
  deployment: z.object({ name: z.string(), build: z.string(), behavior: z.enum(VERSIONING_BEHAVIORS) }).optional(),
  since: z.iso.datetime(),
  draining: z.boolean(),
});

/** Which workers a store has, and what steps ask of them. */
export interface WorkerBook {
  /**
   * Says that a worker is there; again and again, each `BEAT_MS`. False where it was silent for so long that another
   * has taken its place: it is to go on under another id.
   */
  noteWorker(worker: WorkerRecord): Promise<boolean>;
  /** It has ended. */
  forgetWorker(id: string): Promise<void>;
  /** Those that are there, the longest first. */
  listWorkers(): Promise<WorkerRecord[]>;
  /** Steps require this of their workers from now on. */
  requireWorkers(requires: Requirement): Promise<void>;
  /** All that was required so far. */
  listRequired(): Promise<Requirement[]>;
}

/** A worker's record of its text; null of one that was damaged. */
export function workerIn(text: string): WorkerRecord | null {
  try {
    return workerSchema.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
