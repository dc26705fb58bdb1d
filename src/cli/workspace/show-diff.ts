import { relative, resolve } from 'node:path';
import { repositoryOf } from '../../store/git/repository.js';
import { usageError } from '../exit-codes.js';
import type { Palette } from '../text/colors.js';
import { safeText } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, printResult } from '../terminal.js';
import { changesOf, diffOf, findSnapshots } from './compare.js';
import { tellMissing } from './tell-missing.js';

/** Where the patch of the next file begins: lines of its content have a letter before them. */
const NEXT_FILE = /^(?=diff --git )/m;

/**
 * `workspace diff`: what has changed since the run started, as a patch that `git apply` takes, byte for byte; on a
 * terminal in colours and without what it would act on.
 */
export async function showDiff(
  { run, paths: typed, json }: { run: string; paths: string[]; json: boolean },
  terminal: Terminal,
): Promise<void> {
  const snapshots = await findSnapshots(run, terminal);
  const wanted = typed.map((path) => fromRoot(path, snapshots.root, terminal));
  const paths = wanted.includes('') ? [] : wanted;
  const isShown = json || terminal.stdout.isTTY;
  const patch = await diffOf(
    snapshots,
    [...['-p', '--no-ext-diff', '--no-textconv'], ...namedFromTop(snapshots.root), ...(isShown ? [] : ['--binary'])],
    paths,
  );
  if (json) {
    const patches = patchesIn(patch.toString());
    return printJson(
      terminal,
      (await changesOf(snapshots, paths)).map((change, index) => ({ ...change, patch: patches[index] ?? '' })),
    );
  }
  tellMissing(snapshots.missing, terminal);
  if (!terminal.stdout.isTTY) return printResult(terminal, patch);
  for (const line of safeText(patch.toString()).split('\n').slice(0, -1))
    print(terminal, colored(line, terminal.resultPalette));
}

/** In a folder of a repository `git apply` takes names from its top, and passes over all others without a word. */
function namedFromTop(root: string): string[] {
  const top = repositoryOf(root);
  const below = top === null ? '' : relative(top, root);
  return below === '' ? [] : [`--src-prefix=a/${below}/`, `--dst-prefix=b/${below}/`];
}

/** The patch of each file: of one that became a link, say, git makes two under the same heading. */
function patchesIn(patch: string): string[] {
  const patches = new Map<string, string>();
  for (const text of patch.split(NEXT_FILE).filter((piece) => piece !== '')) {
    const [heading = ''] = text.split('\n', 1);
    patches.set(heading, (patches.get(heading) ?? '') + text);
  }
  return [...patches.values()];
}

/** A path as trees have it. `.` is all that there is. */
function fromRoot(typed: string, root: string, { cwd }: Terminal): string {
  const path = relative(root, resolve(cwd, typed));
  if (path === '..' || path.startsWith('../')) throw usageError(`Expected a path in \`${root}\`, got \`${typed}\`.`);
  return path;
}

function colored(line: string, palette: Palette): string {
  if (/^(diff --git|index |--- |\+\+\+ |new file|deleted file|old mode|new mode)/.test(line)) return palette.bold(line);
  if (line.startsWith('@@')) return palette.tone('active', line);
  if (line.startsWith('+')) return palette.tone('good', line);
  return line.startsWith('-') ? palette.tone('bad', line) : line;
}
