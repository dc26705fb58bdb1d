import type { InjectedContext } from '../../plan/agents/injected-context.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { toText } from '../../plan/values/json.js';
import type { ClosingRun, StepResult } from '../../plan/result.js';
import type { Value } from '../../plan/values/value.js';
import { isStored } from '../../plan/values/value.js';
import { inlineValues } from '../values/inline-values.js';
import type { Store } from '../../store/store.js';
import { locate } from '../../store/folders/places.js';
import { markInstructions } from './left-instructions.js';
import { askedOf } from './told-context.js';

/** Of an answer so much is kept in a session; the run itself has it whole. */
const ANSWER_CHARACTERS = 20_000;
/** Steps in trouble that a session tells of. */
const TROUBLES = 20;

/**
 * What a closed run leaves to later ones: its answer in its session, and whether it has changed AGENTS.md. Repeating it
 * changes nothing.
 */
export async function keepContext(store: Store, record: ClosingRun, results: StepResult[]): Promise<void> {
  // the submitter puts nothing else there
  const context =
    record.context === undefined ? null : ((await store.get(record.context)) as unknown as InjectedContext);
  // Also of a run whose agents were told nothing: it may have made the file.
  const found = record.agents_md === undefined ? context?.agents_md : record.agents_md;
  if (found !== undefined)
    await markInstructions(store, { ...record, workspace: locate(store, record.workspace) }, found);
  if (context === null || context.session === null) return;
  const { run, status, error, ended_at: at } = record;
  const session = await store.readSession(context.session);
  if (session === null) return; // it was removed
  // Whoever started the run may have been killed before it could say what was asked.
  if (!session.messages.some((message) => message.role === 'user' && message.run === run))
    await store.addMessage(context.session, {
      role: 'user',
      content: askedOf(await inlineValues(record.input, store)),
      run,
      at: record.started_at,
    });
  const content = cutTo(await textOf(store, record.output), ANSWER_CHARACTERS);
  const troubles = results
    .filter((result) => result.attempts > 1 || result.status === 'error' || result.status === 'timeout')
    .slice(0, TROUBLES);
  await store.addMessage(context.session, {
    role: 'assistant',
    content,
    run,
    at,
    status,
    error,
    ...(troubles.length === 0
      ? {}
      : {
          troubles: troubles.map((result) => ({
            step: result.id ?? String(result.step_index),
            attempts: result.attempts,
            status: result.status,
            error: result.error,
          })),
        }),
  });
}

async function textOf(store: Store, output: Value | null): Promise<string> {
  if (output === null) return '';
  return toText(isStored(output) ? await store.get(output.ref) : output.value);
}
