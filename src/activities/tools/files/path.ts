import { posix } from 'node:path';

/**
 * A path as the policy judges it: from the workspace's root and without detours where it leads into it, else what it
 * is. Nothing is read: what stands at the path is asked of the opened file.
 */
export function workspacePath(path: string, workspace: string): string {
  const plain = posix.normalize(path);
  const inside =
    plain === workspace ? '.' : plain.startsWith(`${workspace}/`) ? plain.slice(workspace.length + 1) : plain;
  return inside.length > 1 ? inside.replace(/\/+$/, '') : inside;
}
