import { z } from 'zod';
import { builtin, ok } from '../handler/builtin.js';
import { inFolderOf, replaceFile } from '../../workspace/open.js';
import { fromRoot, workspacePath } from './path.js';
import { TEXT_BYTES } from '../../workspace/read.js';

export const writeFile = builtin({
  description:
    'Writes a text file of the workspace, whole; folders that are missing are made. To change a part of a file, ' +
    'use edit_file.',
  input: z.strictObject({
    path: z.string().min(1).describe("The file, from the workspace's root."),
    content: z.string().max(TEXT_BYTES).describe('All that the file shall hold.'),
  }),
  parallel: false,
  quick: true,
  repeatable: true,
  effect: 'workspace',
  action: ({ path }, workspace, root) => ({ kind: 'write', path: workspacePath(path, workspace, root) }),
  run: async ({ path, content }, { workspace, root }) => {
    const at = workspacePath(path, workspace, root);
    const { existed } = await inFolderOf(workspace, at, { make: true }, (folder, name) =>
      replaceFile(folder, name, content),
    );
    return ok(`${existed ? 'Replaced' : 'Wrote'} ${fromRoot(at, root)} (${Buffer.byteLength(content)} bytes).`);
  },
});
