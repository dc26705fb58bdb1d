import { createHash, randomUUID } from 'node:crypto';
import { lstat } from 'node:fs/promises';
import { z } from 'zod';
import { isWithin } from '../../../plan/calls/reuse.js';
import { insideBlock } from '../../../plan/text/data-block.js';
import { contentOf, patchBetween } from '../../../store/snapshots/tree-changes.js';
import { cutText } from '../../processes/output-capture.js';
import { mayBeTold } from '../../workspace/told-files.js';
import { FileRefusal } from '../../refusal.js';
import { readIn } from '../../workspace/read.js';
import type { Found } from '../files/walk.js';
import { walk } from '../files/walk.js';
import { builtin, ok } from '../handler/builtin.js';
import type { ToolContext } from '../handler/handler.js';

/** Of a patch so much is told, its beginning and its end. */
const DIFF_BYTES = 12_000;
/** So many earlier looks count. */
const MOST_SEEN = 200;

/** What of an earlier call's output counts. */
const earlier = z.object({
  seen: z.array(z.string()).transform((seen) => seen.slice(-MOST_SEEN)),
  tree: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .nullable(),
});

export const compareWorkspace = builtin({
  description:
    'Compares the files of the workspace with what they were at earlier calls: `again` says whether they are as at ' +
    'one of them, and `diff` what has changed since one.',
  input: z.strictObject({
    after: z.unknown().optional().describe('What an earlier call gave; anything else is none.'),
    without: z.array(z.string().min(1)).max(100).optional().describe('Folders and files that do not count.'),
  }),
  parallel: true,
  quick: false,
  effect: 'none',
  action: () => ({ kind: 'read', path: '.' }),
  run: async ({ after, without = [] }, context) => {
    const { seen, tree: since } = earlier.catch({ seen: [], tree: null }).parse(after);
    const { store, workspace } = context;
    const snapshot = await store.snapshotNow(workspace);
    const tree = snapshot?.tree ?? null;
    const counts = (path: string): boolean => !isWithin(path, without);
    const told = tree === null ? null : await contentOf(store.snapshotGit, tree, counts);
    const { digest, states } = told === null ? await hashOfFiles(context, counts) : { digest: told, states: [] };
    const { unnamed = [], unread = [], inside = [] } = snapshot ?? {};
    const isWhole = ![...unnamed, ...unread, ...inside, ...states].some(counts);
    const may = mayBeTold(context.permissions);
    const compared = { from: since ?? '', to: tree ?? '', counts: (path: string) => counts(path) && may(path) };
    const diff = since !== null && tree !== null ? await patchBetween(store.snapshotGit, compared) : null;
    return ok({
      digest,
      tree,
      seen: [...seen, digest],
      again: seen.includes(digest),
      reason: reasonOf(seen, digest, isWhole),
      diff: insideBlock(cutText(diff ?? '', DIFF_BYTES)),
    });
  },
});

/** Why it is as it was; `isWhole` where each file was compared: git compares none of a repository inside. */
function reasonOf(seen: string[], digest: string, isWhole: boolean): string | null {
  if (!seen.includes(digest)) return null;
  const of = isWhole ? '' : ' of the files that can be compared';
  return seen.at(-1) === digest
    ? `Nothing was changed${of}.`
    : `What was changed${of} is only taken back: it is as it was before.`;
}

/** Where git does not keep the files: SHA-256 over all of them, with their paths; and state folders among them. */
async function hashOfFiles(
  { workspace, permissions, signal }: ToolContext,
  counts: (path: string) => boolean,
): Promise<{ digest: string; states: string[] }> {
  const hash = createHash('sha256');
  const states: string[] = [];
  const onState = (path: string): void => void states.push(path);
  const whole = await walk({ workspace, permissions, signal }, '.', { below: true, onState }, async (found) => {
    if (found.kind === 'file' && counts(found.path))
      hash.update(`${JSON.stringify([found.path, await contentIn(found)])}\n`);
    return 'go on';
  });
  if (!whole) hash.update(randomUUID()); // Nobody can say that it is as it was.
  return { digest: `sha256:${hash.digest('hex')}`, states };
}

/** What a file holds; of what is no text that can be read, its size and when it was changed. */
async function contentIn({ folder, name, path }: Found): Promise<string | number[]> {
  try {
    return (await readIn(folder, name, path)).text;
  } catch (error) {
    if (!(error instanceof FileRefusal)) throw error;
    const found = await lstat(folder.at(name)).catch(() => null);
    return [found?.size ?? -1, found?.mtimeMs ?? -1];
  }
}
