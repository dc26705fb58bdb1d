import { gitProgram } from '../../store/git/enclosure.js';
import { findOnPath, isExecutable } from '../../store/processes/find-on-path.js';
import type { Env } from '../../store/cache-folder.js';
import type { Finding } from './finding.js';

/** A program of this machine; `purpose` is what does not work without it, `fix` how to get it. */
export function programFinding(name: string, { purpose, fix }: { purpose: string; fix: string }, env: Env): Finding {
  const path = findOnPath(name, env['PATH'] ?? '');
  return {
    name,
    ok: path !== null,
    required: false,
    detail: path ?? `not on the PATH; ${purpose}`,
    fix: path === null ? fix : null,
  };
}

/** The git that keeps what runs change: the one that the store takes. */
export function gitFinding(root: string): Finding {
  const path = gitProgram(root);
  const ok = isExecutable(path);
  return {
    name: 'git',
    ok,
    required: false,
    detail: ok ? path : 'there is none; builds, work trees and `perdure workspace` need it',
    fix: ok ? null : 'Install the package git',
  };
}
