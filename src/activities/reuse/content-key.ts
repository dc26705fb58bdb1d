import { Context } from '@temporalio/activity';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { ProgramName } from '../../plan/agents/program.js';
import type { Access } from '../../plan/agents/program-access.js';
import { NO_SPEND } from '../../plan/budget/spend.js';
import type { AgentStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { mayBeThere, StoreFailure } from '../../store/store-failure.js';
import type { Store } from '../../store/store.js';
import type { JournalKey } from '../../store/journal/entry.js';
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

/** What the journal keeps of it. */
type Kept = Omit<Made, 'path'>;

/**
 * The result of a step with this content in the runs that `call.reuse` names, marked `reused` and without spend; null
 * where it has none, or where `areAsLeft` says that the files it wrote are not as they were. Throws `already-done`
 * instead where an external effect happened in that run (decision 14).
 */
export async function reusedOutput(
  store: Store,
  call: StepCall,
  key: Hash,
  areAsLeft?: (wrote: FileHashes) => Promise<boolean>,
): Promise<StepOutput | null> {
  if (call.reuse === undefined) return null;
  const { run, from, earlier = [], done, never } = call.reuse;
  for (const scope of never === true ? [] : [from, ...earlier]) {
    const entry = await store.readJournal(keyIn(scope, key));
    if (entry === null) continue;
    const { wrote, ...output } = entry.response as unknown as Kept; // only `keepOutput` makes such entries
    const isThere = async (): Promise<boolean> =>
      (await isKept(store, output)) && (wrote === undefined || areAsLeft === undefined || (await areAsLeft(wrote)));
    if (done === true || (await isThere())) return { ...output, spend: NO_SPEND, reused: true };
  }
  if (done === true)
    throw stepFailure(
      'already-done',
      `\`${call.path}\` was done in ${run}, its effect is external, and it is given something else now. ` +
        `\`${shellCommand('perdure rerun', [run], '--again')}\` repeats it.`,
    );
  return null;
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
  const { log } = Context.current();
  const write = (): Promise<void> =>
    store.writeJournal(keyIn(call.root.first, key), {
      request: key,
      response: kept as unknown as Json,
      at: new Date().toISOString(),
    }); // a StepOutput is plain JSON
  const failed = (error: unknown): void => {
    if (error instanceof StoreFailure && error.passes)
      setTimeout(() => void write().catch(failed), ROOM_AGAIN_MS).unref();
    else log.warn(`the result of ${call.path} is not kept for later runs: ${String(error)}`);
  };
  await write().catch(failed);
  return output;
}

/** Keeps a result for reuse as soon as it is on its way: its activity does not wait for that. */
export function keepSoon(store: Store, call: StepCall, key: () => Hash, made: Made): StepOutput {
  setImmediate(() => void keepOutput(store, call, key(), made));
  const { wrote: _kept, ...output } = made;
  return output;
}

/** Results of a whole tree stand together, those of a nested run's second try too. */
function keyIn(first: string, key: Hash): JournalKey {
  return { scope: first.split(' ', 1)[0] ?? first, key: `content ${key}` };
}
