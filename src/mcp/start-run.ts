import { NO_BUDGETS } from '../plan/budget/budgets.js';
import type { Budgets } from '../plan/budget/budgets.js';
import type { Json, JsonObject } from '../plan/values/json.js';
import { CliError } from '../cli/exit-codes.js';
import type { Workspace } from '../cli/session.js';
import { openWorkspace } from '../cli/session.js';
import { collectInput } from '../cli/submit/collect-input.js';
import type { Compiled } from '../cli/submit/prepare.js';
import type { WantedSession } from '../cli/submit/conversation.js';
import { findConversation } from '../cli/submit/conversation.js';
import { injectContext } from '../cli/submit/inject-context.js';
import { compile, settle, storePlan } from '../cli/submit/prepare.js';
import { newRunId } from '../cli/submit/run-id.js';
import { gatePlan, shownTexts } from '../compiler/builds/approval-first.js';
import { keepText } from '../compiler/hash.js';
import { askBeforeStart } from './ask-before-start.js';
import type { Asked } from './ask-person.js';
import type { Connection } from './connection.js';
import { McpRefusal } from './errors.js';
import type { MadeDefinition } from './made.js';
import { textsIn } from './own-content.js';
import type { ToolCall } from './tool.js';

/** What is to be run. */
export interface Wanted {
  /** A file, or the name of a definition. */
  definition: string;
  /** Values by the names of the definition's inputs. */
  inputs: JsonObject;
  by: string;
  /** What the client made of it: a person approves it before anything starts. */
  made: MadeDefinition | null;
  /** The definition itself, where we wrote it: what of it comes from the client are names. */
  written?: { file: string; text: string };
  limits?: Budgets;
  /** What it is about, in a few words. */
  description?: string;
  /** The session that it goes on with, or begins. */
  conversation?: WantedSession;
}

/** A run that goes on, or what the person at the client is to be asked before it begins. */
export type Started = { kind: 'started'; run: string } | Extract<Asked, { kind: 'ask' }>;

/**
 * Compiles, checks and starts a run, as `perdure run --detach` does. Everything that can be wrong is found before
 * anything is started.
 */
export async function startRun(wanted: Wanted, call: ToolCall): Promise<Started> {
  const { inputs, by, limits = NO_BUDGETS, conversation, description } = wanted;
  const { connection } = call;
  const { terminal } = connection;
  const workspace = await openWorkspace(terminal);
  const { compiled, isFile } = await compileWanted(wanted, workspace, connection);
  const input = inputOf(compiled, inputs);
  const earlier =
    conversation === undefined || conversation.begins
      ? null
      : await findConversation(conversation.id, (await connection.session()).store);
  const settled = await settle(
    compiled.plan,
    {
      rehearse: false,
      by,
      gates: 'ask',
      limits,
      conversation: earlier,
      texts: compiled.texts,
      ...(isFile ? { definition: compiled.file } : {}),
    },
    workspace,
    terminal,
  );
  const asked = await askBeforeStart({ plan: compiled.plan, input, most: settled.budget.max_cost_usd }, call);
  if (asked !== null) return asked;
  const session = await connection.session();
  const id = newRunId(compiled.plan.name);
  const { settings, question } = await injectContext(
    { plan: compiled.plan, input, settings: settled, session: conversation ?? null, description },
    session,
  );
  const { startSubmission } = await import('../cli/submit/submit-run.js');
  const link = await session.connect({ start: true });
  remember(id, inputs, connection);
  try {
    await startSubmission(
      {
        id,
        compiled,
        session,
        settings,
        question,
        description,
        values: () => storePlan(compiled, input, session.store),
      },
      link,
    );
  } finally {
    await link.close();
  }
  return { kind: 'started', run: id };
}

/** Compiles what is wanted, behind a gate where the client made any of it. */
async function compileWanted(
  { definition, inputs, by, made, written: own }: Wanted,
  workspace: Workspace,
  connection: Connection,
): Promise<{ compiled: Compiled; isFile: boolean }> {
  const { texts, ...others } = connection.made.forCompiler();
  const written = await compile(definition, workspace, connection.terminal, {
    made: { ...others, texts: own === undefined ? texts : new Map([...texts, [own.file, own.text]]) },
    given: Object.keys(inputs),
  });
  const reached = connection.made.reached(written.files);
  return {
    compiled: reached.length === 0 ? written : behindGate(written, made ?? reached[0], reached, by),
    // Only a file can be read again by a rerun; the rest is run as it was, behind the same gate.
    isFile: own === undefined && reached.length === 0 && !texts.has(definition),
  };
}

/** All that was made and is reached is approved, word for word: what is run, and what that uses. */
function behindGate(
  compiled: Compiled,
  made: MadeDefinition | undefined,
  reached: MadeDefinition[],
  by: string,
): Compiled {
  const { plan, texts } = compiled;
  const others = reached.filter((one) => one !== made);
  const message =
    `\`${by}\` made the ${made?.kind ?? 'definition'} \`${made?.name ?? plan.name}\` and wants to run ` +
    `it${others.length === 0 ? '' : `, with ${others.map(({ kind, name }) => `the ${kind} \`${name}\``).join(', ')}`}.`;
  const all = [...(made === undefined ? [] : [made]), ...others];
  const kept = all.map(({ kind, name, file, text }) => ({
    kind,
    name,
    ending: file.endsWith('.agent') ? ('agent' as const) : ('yml' as const),
    text: keepText(text, texts),
  }));
  return { ...compiled, plan: gatePlan(plan, { message, content: shownTexts(all), made: kept }, texts) };
}

function inputOf({ plan }: Compiled, inputs: JsonObject): JsonObject {
  try {
    return collectInput(plan, { pairs: [], file: inputs, request: null });
  } catch (error) {
    // Its hint is about options of the command line.
    throw error instanceof CliError ? new McpRefusal(error.message) : error;
  }
}

/** What a client wrote it must not approve, wherever it turns up. */
function remember(run: string, inputs: Json, { runs, given }: Connection): void {
  runs.add(run);
  for (const text of textsIn(inputs)) given.add(text);
}
