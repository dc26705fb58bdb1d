import { join } from 'node:path';
import type { Hash } from '../../plan/values/value.js';
import { appendLine, readLines } from '../line-files.js';

export interface TaintFiles {
  /** Remembers a content of AGENTS.md that a run has left behind: no person wrote it. */
  taint(content: Hash, run: string): Promise<void>;
  /** The run that left this content behind; null where a person wrote it, as far as we know. */
  taintedBy(content: Hash): Promise<string | null>;
}

/** Contents that runs wrote where a person's word counts: `<folder>/tainted.ndjson`. */
export function createTaintFiles(folder: string): TaintFiles {
  const path = join(folder, 'tainted.ndjson');
  return {
    taint: (content, run) => appendLine(path, { content, run }),
    async taintedBy(content) {
      const lines = (readLines(path) ?? []) as unknown as { content: Hash; run: string }[]; // as `taint` writes them
      return lines.findLast((line) => line.content === content)?.run ?? null;
    },
  };
}
