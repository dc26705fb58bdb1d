import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import type { Json } from '../../../plan/values/json.js';
import { toText } from '../../../plan/values/json.js';
import { inFolderOf, replaceFile } from '../../workspace/open.js';
import { readIn } from '../../workspace/read.js';
import { FileRefusal, MissingRefusal } from '../../refusal.js';
import { builtin, ok } from '../handler/builtin.js';
import { workspacePath } from '../files/path.js';
import { withSection } from './context-file.js';
import { digestOf } from './digest.js';

/** Files that are being changed in this process: one call after the other. */
const writing = new Map<string, Promise<unknown>>();

export const keepContext = builtin({
  description:
    'Writes what was done into a context file: a section for each task, with its summary of at most 500 words, and ' +
    'the newest digest of the workspace. A section that is there is replaced; a file of another run is begun anew.',
  input: z.strictObject({
    path: z.string().min(1).describe("The file, from the workspace's root."),
    task: z.string().min(1).max(200).describe('The id of the task, which is its heading.'),
    name: z.string().max(500).optional().describe('What the task is called.'),
    on_top: z.boolean().optional().describe('Whether what an earlier run kept stays; it does not when left out.'),
    summary: z.unknown().describe('What was done: a text, or any value.'),
  }),
  parallel: false,
  quick: true,
  effect: 'workspace',
  action: ({ path }, workspace) => ({ kind: 'write', path: workspacePath(path, workspace) }),
  run: async ({ path, task, name = '', on_top: onTop = false, summary }, context) => {
    const at = workspacePath(path, context.workspace);
    const digest = await digestOf(context);
    await inTurn(`${context.workspace}/${at}`, () =>
      inFolderOf(context.workspace, at, { make: true }, async (folder, entry) => {
        const before = await readIn(folder, entry, at).catch((error: unknown) => {
          if (error instanceof MissingRefusal) return { text: '', bytes: Buffer.alloc(0) };
          throw error;
        });
        if (!isUtf8(before.bytes)) throw new FileRefusal(`\`${at}\` is no UTF-8: choose another file.`);
        // arguments are JSON
        const said = { id: task, name, summary: toText(summary as Json), run: context.run, onTop };
        await replaceFile(folder, entry, withSection(before.text, said, digest));
      }),
    );
    return ok(`Kept ${task} in ${at}.`);
  },
});

async function inTurn<T>(file: string, act: () => Promise<T>): Promise<T> {
  const turn = (writing.get(file) ?? Promise.resolve()).catch(() => undefined).then(act);
  writing.set(file, turn);
  try {
    return await turn;
  } finally {
    if (writing.get(file) === turn) writing.delete(file);
  }
}
