import type { Palette, Tone } from '../text/colors.js';
import { relative } from 'node:path';
import { repositoryOf } from '../../store/git/repository.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { plural } from '../text/format.js';
import type { Branch, Change, Snapshots } from './compare.js';
import { changesOf, findSnapshots } from './compare.js';
import { tellMissing } from './tell-missing.js';
import { MAIN_TREE } from '../../store/worktrees/places.js';
import { shellCommand, shellWord } from '../../plan/text/shell-command.js';
import { typedCommand } from '../text/own-name.js';

const LETTERS: Record<Change['change'], [letter: string, tone: Tone]> = {
  added: ['A', 'good'],
  modified: ['M', 'attention'],
  deleted: ['D', 'bad'],
};

/** `workspace show`: which files have changed since the run started, a line each. */
export async function showChanges(run: string, json: boolean, terminal: Terminal): Promise<void> {
  const snapshots = await findSnapshots(run, terminal);
  const changes = await changesOf(snapshots);
  if (json) return printJson(terminal, changes);
  const span = snapshots.isClosed ? `while \`${snapshots.run}\` ran` : `since \`${snapshots.run}\` started`;
  tell(terminal, `${String(changes.length)} ${changes.length === 1 ? 'file has' : 'files have'} changed ${span}.`);
  for (const change of changes) print(terminal, lineOf(change, terminal.resultPalette));
  if (snapshots.branch === undefined) tellMissing(snapshots.missing, terminal);
  else await tellBranch(snapshots, snapshots.branch, terminal);
}

/** What a run in a work tree has committed, on what, what it has not, and how people get it. */
async function tellBranch(snapshots: Snapshots, branch: Branch, terminal: Terminal): Promise<void> {
  const { name, made, commits } = branch;
  const left = await branch.left();
  const from = made.parent === null ? 'a history of its own' : `\`${made.parent.slice(0, 7)}\``;
  const changed = made.uncommitted === 0 ? '' : `, with what was not committed in ${files(made.uncommitted)}`;
  tell(terminal, '', `Branch \`${name}\` on ${from}${changed}: ${plural(commits.length, 'commit')}.`);
  for (const { commit, subject } of commits) tell(terminal, `  ${commit.slice(0, 7)}  ${safeLine(subject)}`);
  const { unnamed, unread } = snapshots.missing;
  tellMissing(
    {
      unnamed: [...unnamed, ...left.unnamed],
      unread: [...unread, ...left.unread],
      inside: [...made.inside, ...left.inside],
    },
    terminal,
  );
  await tellUncommitted(snapshots, { ...branch, left: left.tree }, terminal);
  const words = snapshots.isClosed
    ? typedCommand('perdure workspace apply', [snapshots.run])
    : `${typedCommand('perdure workspace diff', [snapshots.run])} | git apply`;
  const apply = `\`${words}\` changes the files here`;
  tell(
    terminal,
    commits.length === 0 ? `${apply}.` : `${apply}; \`${gettingOf(snapshots, branch)}\` gets the commits.`,
  );
}

/** A command that gets the commits of a run. Of a path git begins at the top of a repository, wherever it is called. */
function gettingOf({ root, run }: Snapshots, { name, repository }: Branch): string {
  const top = repositoryOf(root);
  if (top === null) return shellCommand('git clone', [relative(root, repository), run], `--branch ${shellWord(name)}`);
  return shellCommand('git fetch', [relative(top, repository), name]);
}

/** What steps without `commit` have written beside what was committed. */
async function tellUncommitted(
  snapshots: Snapshots,
  { left, tip, places }: Pick<Branch, 'tip' | 'places'> & { left: string },
  terminal: Terminal,
): Promise<void> {
  if (snapshots.end === left) return;
  const rest = await changesOf({ ...snapshots, start: tip, end: left });
  if (rest.length === 0) return;
  const place = relative(snapshots.root, places.tree(MAIN_TREE));
  tell(
    terminal,
    `In no commit: ${files(rest.length)}, which ${rest.length === 1 ? 'stands' : 'stand'} in \`${place}\`.`,
  );
}

function files(count: number): string {
  return plural(count, 'file');
}

function lineOf({ path, change, lines_added: added, lines_deleted: deleted }: Change, palette: Palette): string {
  const [letter, tone] = LETTERS[change];
  const counts = [
    added !== null && added > 0 ? `+${String(added)}` : '',
    deleted !== null && deleted > 0 ? `-${String(deleted)}` : '',
  ].filter((count) => count !== '');
  return [
    palette.tone(tone, letter),
    safeName(path),
    ...(counts.length > 0 ? [palette.dim(counts.join(' '))] : []),
  ].join('  ');
}
