import { Context } from '@temporalio/activity';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson, isObject } from '../../plan/values/json.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { judgeAction } from '../../plan/tools/permission.js';
import { safeText } from '../../plan/text/safe-text.js';
import { locate } from '../../store/folders/places.js';
import { GitError, saysFull } from '../../store/git/git.js';
import { storeFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { Conflict } from '../../store/worktrees/conflicts.js';
import type { Committed } from '../../store/worktrees/commit-tree.js';
import { beginWork, commitWork } from '../../store/worktrees/commit-tree.js';
import { LeaseLost } from '../../store/folders/lease.js';
import { ObjectsMissing } from '../../store/worktrees/objects-missing.js';
import { TreesMissing, UnfitWork, makeTrees } from '../../store/worktrees/make-trees.js';
import { startHeartbeat } from '../attempt/heartbeat.js';
import type { Binding, ResultView } from '../../plan/references/environment.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { takeWork } from '../../store/worktrees/take-work.js';
import { sha256 } from '../../store/hash.js';
import { loadBody, stepAt } from '../values/load-step.js';
import type { Activities, BeginCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import { loadValue } from '../../store/transcript.js';

/** As much of an output stands in a commit. */
const MOST_CHARACTERS = 1_000;
/** How soon somebody tries again who was too slow: another commits meanwhile. */
const AGAIN_MS = 200;

/** The work tree of a run; what it is made from is read, and no more. */
export function createMakeTrees({ store }: Dependencies): Activities['makeTrees'] {
  return ({ run, project, carry, from }) =>
    acting(store, async (stateDir, onWait) => {
      await makeTrees(
        stateDir,
        { run, project: locate(store, project), carry, ...(from === undefined ? {} : { from }) },
        { onWait },
      );
    });
}

/** A tree for a step that commits; in a rerun what was done for it before, where all is the same. */
export function createBeginWork(deps: Dependencies): Activities['beginWork'] {
  const { store } = deps;
  return (call) =>
    acting(store, async (stateDir, onWait) => {
      const { tree, path, try: tried, after, takes } = call;
      const { run } = call.root;
      const key = await workKey(deps, call);
      const wanted = { run, step: path, try: tried, key, after };
      const taken = takes === undefined ? null : await takeWork(stateDir, { ...wanted, from: takes }, { onWait });
      if (taken === null) await beginWork(stateDir, run, tree, { onWait });
      return { key, taken };
    });
}

/** Names all that a step is asked with: the step as it is written, its place, what it refers to, and who answers. */
async function workKey({ store }: Dependencies, call: BeginCall): Promise<string> {
  const { body } = await loadBody(store, call.root, call.nested);
  const { path, environment, models } = call;
  const asked = {
    path,
    step: stepAt(body, call.step) ?? null,
    environment: Object.entries(environment).map(([root, binding]) => [root, timeless(binding)]),
    models,
  };
  return sha256(canonicalJson(asked)).slice('sha256:'.length);
}

/** How long a step took says nothing of what it came to. */
function timeless(binding: Binding): unknown {
  const without = ({ duration_ms: _duration, ...view }: ResultView): object => view;
  if ('result' in binding) return { result: without(binding.result) };
  if ('results' in binding) return { results: binding.results.map(without) };
  return binding;
}

/** The commit of a step. A conflict is a failure of the step's try: the next one finds both sides in its files. */
export function createCommitWork({ store }: Dependencies): Activities['commitWork'] {
  return ({ run, tree, path, try: tried, subject, output, permissions, key, as_it_is: asItIs = false }) =>
    acting(store, async (stateDir, onWait) => {
      const body = output === null ? '' : sentenceOf(await loadValue(output, store));
      const work = {
        run,
        tree,
        step: path,
        try: tried,
        subject,
        body,
        output,
        key,
        asItIs,
        ...(permissions && { denies: deniesBy(permissions) }),
      };
      return ended(await commitWork(stateDir, work, { onWait }));
    });
}

/** An agent's tools hold it to what it may write. So does its commit: a program may have written beside them. */
function deniesBy(permissions: Permissions): (path: string) => string | null {
  return (path) => {
    const judged = judgeAction(permissions, { kind: 'write', path });
    return judged.verdict === 'deny' ? judged.reason : null;
  };
}

function ended(end: Committed): { commit: string | null } {
  switch (end.kind) {
    case 'committed':
      return { commit: end.commit };
    case 'unchanged':
      return { commit: null };
    case 'conflict':
      throw stepFailure('commit-conflict', conflictSentences(end.conflicts));
    case 'denied':
      throw stepFailure(
        'commit-failed',
        `What was changed is not all this agent's to change: ${end.reasons.slice(0, 5).join(' ')}`,
      );
    case 'inside':
      throw stepFailure(
        'commit-failed',
        `${named(end.paths)} became a git repository of its own, whose files cannot be committed: remove its \`.git\`.`,
      );
    case 'submodule':
      throw stepFailure(
        'commit-failed',
        `${named(end.paths)} is a submodule, a git repository of its own, whose files cannot be committed here: ` +
          'write elsewhere, and remove what you have put there.',
      );
    case 'unnamed':
      throw stepFailure(
        'commit-failed',
        `The name of ${named(end.paths)} is no UTF-8, by which it cannot be committed: rename or remove it.`,
      );
    case 'unread':
      throw stepFailure(
        'commit-failed',
        `${named(end.paths)} cannot be read, or has too long a path, and so cannot be committed: change or remove it.`,
      );
  }
}

/** What another try has to do about each kind of conflict. */
function conflictSentences(conflicts: Conflict[]): string {
  const of = (kind: Conflict['kind']): string[] =>
    conflicts.flatMap((conflict) => (conflict.kind === kind ? [conflict.path] : []));
  const beside = conflicts.flatMap(({ aside }) => aside ?? []);
  const told: [string[], string][] = [
    [
      of('marked'),
      `Other steps have changed the same lines of ${named(of('marked'))}. Both versions stand there now, between ` +
        '`<<<<<<<` and `>>>>>>>`: bring them together, and remove these marks.',
    ],
    [
      of('aside'),
      `Other steps have changed ${named(of('aside'))} too, and no file can hold both versions. The other one stands ` +
        `in ${named(beside)}: of files that end with \`~mine\` it is yours, with \`~others\` theirs. Make each what ` +
        'it shall be, bring them together, and remove those.',
    ],
    [
      of('removed'),
      `${named(of('removed'))} was removed by one step and changed by another. It stands there as it was changed: ` +
        'remove it again if it is to go, and bring the rest together with that.',
    ],
    [
      of('renamed'),
      `Other steps have renamed what you have renamed or changed: see to ${named(of('renamed'))}, where all of it ` +
        'stands, and bring it together.',
    ],
  ];
  return told.flatMap(([paths, sentence]) => (paths.length === 0 ? [] : [sentence])).join(' ');
}

function named(paths: string[]): string {
  const shown = paths.slice(0, 5).map((path) => `\`${cutTo(path, 200)}\``);
  return paths.length > 5 ? `${shown.join(', ')} and ${String(paths.length - 5)} more` : shown.join(', ');
}

/** What a step says of its work, as it is shown: the summary, else the first paragraph. Empty where it is no text. */
export function sentenceOf(output: Json): string {
  const said = isObject(output) ? (output['summary'] ?? '') : output;
  if (typeof said !== 'string') return '';
  const [first = ''] = said.trim().split(/\n\s*\n/);
  return safeText(first.trim()).slice(0, MOST_CHARACTERS);
}

/** Heartbeats, and what goes wrong as failures that say who must act. A wait for others ends when it is cancelled. */
async function acting<T>(
  store: Pick<Store, 'folder' | 'id'>,
  act: (stateDir: string, onWait: () => void) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const stop = startHeartbeat(context, () => ({}));
  try {
    if (store.folder === null)
      throw stepFailure('worktree-missing', `This needs the folder of the store \`${store.id}\`, which is elsewhere.`);
    return await act(store.folder, () => context.cancellationSignal.throwIfAborted());
  } catch (error) {
    if (context.cancellationSignal.aborted) throw context.cancellationSignal.reason;
    if (error instanceof TreesMissing || error instanceof ObjectsMissing)
      throw stepFailure('worktree-missing', error.message);
    if (error instanceof UnfitWork) throw stepFailure('commit-conflict', error.message);
    if (error instanceof LeaseLost) throw stepFailure('commit-failed', error.message, { afterMs: AGAIN_MS });
    if (saysFull(error)) throw storeFailure(Object.assign(new Error(String(error)), { code: 'ENOSPC' }), 'write', '');
    if (error instanceof GitError) throw stepFailure('commit-failed', `git: ${error.message}`);
    throw error;
  } finally {
    stop();
  }
}
