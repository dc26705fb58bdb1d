import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { canonicalJson } from '../plan/json.js';
import type { Hash } from '../plan/value.js';
import { sha256 } from '../store/hash.js';
import { repositoryOf } from '../store/repository.js';

const run = promisify(execFile);
const LIMITS = { timeout: 10_000, maxBuffer: 64 * 1024 * 1024 };

/** What only says what runs do: it is in the Plan, and a step that it changes has another content. */
const DEFINITIONS = ['definitions/workflows', 'definitions/agents', '.glee/workflows', '.glee/agents'];

/**
 * The state of a workspace under git: its commit, and names, sizes and times of the files that differ from it, but for
 * definitions, of which `definition` is the run's own. Null where there is no git, or git does not answer: then nobody
 * knows what was changed by hand.
 */
export async function workspaceDigest(folder: string, definition?: string): Promise<Hash | null> {
  // Spares us to start git where it can say nothing.
  if (process.env['GIT_DIR'] === undefined && repositoryOf(folder) === null) return null;
  try {
    const [head, status, top] = await Promise.all([
      run('git', ['-C', folder, 'rev-parse', 'HEAD'], LIMITS).then(({ stdout }) => stdout.trim(), () => 'no commit'),
      run('git', ['-C', folder, 'status', '--porcelain=v1', '-z', '--untracked-files=all', '--no-renames', '--', '.', ...excluded(['.perdure', ...DEFINITIONS, ...ownFile(definition)])], LIMITS),
      run('git', ['-C', folder, 'rev-parse', '--show-toplevel'], LIMITS).then(({ stdout }) => stdout.trim()),
    ]);
    const changed = await Promise.all(status.stdout.split('\0').filter((entry) => entry !== '').map((entry) => stateOf(top, entry)));
    return sha256(canonicalJson({ head, changed }));
  } catch {
    return null;
  }
}

function excluded(paths: string[]): string[] {
  return paths.map((path) => `:(exclude,literal)${path}`);
}

/** One outside of the folder is none of its state anyway, and git refuses to hear of it. */
function ownFile(definition: string | undefined): string[] {
  return definition === undefined || isAbsolute(definition) || definition.startsWith('..') ? [] : [definition];
}

/** One entry of `git status`: two letters, a blank, and the path from the top of the repository. */
async function stateOf(top: string, entry: string): Promise<[string, number, number]> {
  const found = await stat(join(top, entry.slice(3))).catch(() => null);
  return [entry, found?.size ?? -1, found?.mtimeMs ?? -1];
}
