import { posix } from 'node:path';

/**
 * A path as the policy judges it: from the workspace's root and without detours where it leads into it, else what it
 * is. `root` is the folder of the workspace that it is relative to, and that it may not leave: what leads out of that
 * is given so that it is refused. Nothing is read: what stands at the path is asked of the opened file.
 */
export function workspacePath(path: string, workspace: string, root = ''): string {
  const plain = posix.normalize(path);
  const base = root === '' ? workspace : posix.join(workspace, root);
  const below = plain === base ? '.' : plain.startsWith(`${base}/`) ? plain.slice(base.length + 1) : plain;
  const inside = below.length > 1 ? below.replace(/\/+$/, '') : below;
  return root === '' || inside.startsWith('/') || inside === '..' || inside.startsWith('../')
    ? inside
    : posix.join(root, inside);
}

/** A path from the workspace's root as a tool with that root is told of it. */
export function fromRoot(path: string, root = ''): string {
  return root === '' ? path : posix.relative(root, path) || '.';
}
