import { Context } from '@temporalio/activity';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { ProgramName } from '../../plan/agents/program.js';
import type { Access } from '../../plan/agents/program-access.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { Plan } from '../../plan/plan.js';
import type { AgentStep } from '../../plan/step.js';
import { comesAfter } from '../../plan/calls/comes-after.js';
import { mayHaveMoved } from '../../plan/calls/moved.js';
import type { Reuse } from '../../plan/calls/short-call.js';
import type { Hash } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { isPassing, mayBeThere, StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { JournalEntry, JournalKey } from '../../store/journal/entry.js';
import type { StepCall, StepOutput } from '../contract.js';
import { stepFailure } from '../failures.js';
import type { ModelRequest } from '../models/protocol/provider.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/**
 * What a step is apart from where it stands: two steps with the same content come to the same (decision 14).
 * `content` holds all that the result depends on, with every value in its place.
 */
export function contentKey(kind: 'agent' | 'command' | 'tool', content: Json): Hash {
  return sha256(canonicalJson({ kind, content }));
}

/** All that a model's answer depends on. */
export function modelContent(step: AgentStep, provider: string, request: ModelRequest): Json {
  return { ...request, provider, output_as: step.output_as ?? null } as unknown as Json; // messages are JSON-safe
}

/** All that the answer of a program that plays an agent depends on. */
export function programContent(step: AgentStep, program: ProgramName, request: ModelRequest, access: Access): Json {
  // access is plain data
  return { ...(modelContent(step, program, request) as object), access: access as unknown as Json };
}

/** SHA-256 of files by path as a step names it, in hexadecimal; null for what is no file. */
export type FileHashes = Record<string, string | null>;

/** A result with the files that belong to it. */
type Made = StepOutput & { wrote?: FileHashes };

/** What the journal keeps of it; `by` is the path of the step that came to it, where that is another. */
type Kept = Omit<Made, 'path'> & { by?: string };

/** A kept result, and the path of the step that it was kept for. */
interface Found {
  path: string;
  kept: Kept;
}

/**
 * The result of this step with this content in the runs that `call.reuse` names, marked `reused` and without spend;
 * null where it has none, or where `areAsLeft` says that the files it wrote are not as they were. That of another path
 * counts where it has moved from there. No result is taken by two steps. Where there is none, and the step may change
 * files, that is noted: those after it take over nothing that may depend on these. Throws `already-done` instead where
 * an external effect happened in that run (decision 14).
 */
export async function reusedOutput(
  store: Store,
  call: StepCall,
  key: Hash,
  areAsLeft?: (wrote: FileHashes) => Promise<boolean>,
): Promise<StepOutput | null> {
  if (call.reuse === undefined) return null;
  const { done } = call.reuse;
  const isThere = async (kept: Kept): Promise<boolean> =>
    (await isKept(store, kept)) &&
    (kept.wrote === undefined || areAsLeft === undefined || (await areAsLeft(kept.wrote)));
  for await (const { path, kept } of candidates(store, call, key)) {
    const by = kept.by ?? path;
    if ((done !== true && !(await isThere(kept))) || !(await take(store, call, key, by))) continue;
    await write(store, call, key, by === call.path ? kept : { ...kept, by });
    const { wrote: _wrote, by: _by, ...output } = kept;
    return { ...output, spend: NO_SPEND, reused: true };
  }
  if (done === true) throw stepFailure('already-done', notAgain(call.path, call.reuse));
  if (call.reuse.changes === true) await noteChange(store, call, key);
  return null;
}

/**
 * What kept no result may have failed after its effect, or be something else: at a path of a list another item may have
 * stood, and nobody knows whether this one is that, with a change.
 */
function notAgain(path: string, { run, never }: Reuse): string {
  const other = never === true ? '' : ', and left no result of what is asked now';
  return (
    `\`${path}\` of ${run} had an external effect, or may have had${other}. ` +
    `\`${shellCommand('perdure rerun', [run], '--again')}\` does it.`
  );
}

/** What a step may take over: its own results, the latest first, then those that have moved to it. */
async function* candidates(store: Store, call: StepCall, key: Hash): AsyncGenerator<Found> {
  if (call.reuse === undefined || call.reuse.never === true) return;
  const scopes = [call.reuse.from, ...(call.reuse.earlier ?? [])];
  const plan = await store.getPlan(call.root.plan);
  let open: string[] | null = null;
  for await (const { scope, ...found } of keptResults(store, plan, call, { key, scopes })) {
    open ??= await unchangedSince(store, plan, call, scopes);
    if (open.includes(scope)) yield found;
  }
}

/** What is kept of a content in these scopes, for this path and then for those that it may have moved from. */
async function* keptResults(
  store: Store,
  plan: Plan,
  call: StepCall,
  { key, scopes }: { key: Hash; scopes: string[] },
): AsyncGenerator<Found & { scope: string }> {
  for (const scope of scopes) {
    const entry = await store.readJournal(keyIn(scope, key, call.path));
    if (entry !== null) yield { scope, path: call.path, kept: keptIn(entry) };
  }
  for (const scope of scopes) {
    const { key: begin, ...place } = keyIn(scope, key, '');
    for (const [name, entry] of await store.listJournal(place.scope, begin)) {
      const path = name.slice(begin.length);
      if (path !== call.path && mayHaveMoved(plan, path, call)) yield { scope, path, kept: keptIn(entry) };
    }
  }
}

const CHANGED = 'changed ';

/** Notes that a step runs anew which may change files, before it does. Throws where that cannot be written now. */
async function noteChange(store: Store, { root, path }: StepCall, key: Hash): Promise<void> {
  const entry = { request: key, response: path, at: new Date().toISOString() };
  await store.beginOnce({ scope: scopeOf(root.first), key: `${CHANGED}${path}` }, entry);
}

/**
 * Of runs, the latest first, those after which no step before this one has run anew that may have changed files: in
 * this run, or in a rerun in between. All of them for a step that does not look at files which it does not name.
 */
async function unchangedSince(store: Store, plan: Plan, call: StepCall, scopes: string[]): Promise<string[]> {
  if (call.reuse?.looks !== true) return scopes;
  for (const [position, scope] of [scopeOf(call.root.first), ...scopes].entries()) {
    const noted = await store.listJournal(scope, CHANGED);
    if (noted.some(([name]) => comesAfter(plan, call.path, name.slice(CHANGED.length))))
      return scopes.slice(0, position);
  }
  return scopes;
}

function keptIn({ response }: JournalEntry): Kept {
  return response as unknown as Kept; // only `write` makes such entries
}

/** Takes the result of a path for a step of this run; false where another step has it. */
async function take(store: Store, { root, path }: StepCall, key: Hash, by: string): Promise<boolean> {
  const taken = { scope: scopeOf(root.first), key: `taken ${key} ${by}` };
  const entry = { request: key, response: path, at: new Date().toISOString() };
  return (await store.beginOnce(taken, entry)) || (await store.readJournal(taken))?.response === path;
}

/**
 * Tells whether what the result names is there: somebody may have removed values, and then the step is done again. What
 * this worker still knows it puts back. Throws where nobody can look now: what is there is not paid twice.
 */
async function isKept(store: Store, { output }: Kept): Promise<boolean> {
  return (
    output === null ||
    !isStored(output) ||
    store
      .get(output.ref)
      .then((value) => store.putAlways(value))
      .then(
        () => true,
        (error: unknown) => {
          if (error instanceof StoreFailure && mayBeThere(error)) throw error;
          return false;
        },
      )
  );
}

/** How long a result waits for room between two looks at the disk. */
const ROOM_AGAIN_MS = 2_000;

/**
 * Lets runs to come reuse a result, and gives it back. A crash in between costs nothing but that; nor does a full disk:
 * what is done is done, and is written once there is room.
 */
export async function keepOutput(store: Store, call: StepCall, key: Hash, made: Made): Promise<StepOutput> {
  const { path: _where, ...kept } = made;
  const { wrote: _kept, ...output } = made;
  await write(store, call, key, kept);
  return output;
}

/** Keeps a result for reuse as soon as it is on its way: its activity does not wait for that. */
export function keepSoon(store: Store, call: StepCall, key: () => Hash, made: Made): StepOutput {
  setImmediate(() => void keepOutput(store, call, key(), made));
  const { wrote: _kept, ...output } = made;
  return output;
}

/** Writes what later runs may take over. Never throws. */
async function write(store: Store, call: StepCall, key: Hash, kept: Kept): Promise<void> {
  const once = (): Promise<void> =>
    store.writeJournal(keyIn(call.root.first, key, call.path), {
      request: key,
      response: kept as unknown as Json,
      at: new Date().toISOString(),
    }); // a StepOutput is plain JSON
  const failed = (error: unknown): void => {
    if (isPassing(error)) setTimeout(() => void once().catch(failed), ROOM_AGAIN_MS).unref();
    else Context.current().log.warn(`the result of ${call.path} is not kept for later runs: ${String(error)}`);
  };
  await once().catch(failed);
}

/** Each path has its own result, however many steps have the same content. */
function keyIn(first: string, key: Hash, path: string): JournalKey {
  return { scope: scopeOf(first), key: `content ${key} ${path}` };
}

/** Results of a whole tree stand together, those of a nested run's second try too. */
function scopeOf(first: string): string {
  return first.split(' ', 1)[0] ?? first;
}
