import type { CompileOptions } from '../../compiler/compile.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { ExitCode } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import type { Session } from '../session.js';
import { openExisting, openSession, openWorkspace, storeElsewhere } from '../session.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { collectInput, namesGiven } from './collect-input.js';
import type { WantedSession } from './conversation.js';
import { findConversation, wantedSession } from './conversation.js';
import { injectContext } from './inject-context.js';
import type { Compiled } from './prepare.js';
import { compile, settle, storePlan } from './prepare.js';
import { readInputFile, readRequest, tellSpelling } from './read-request.js';
import { newRunId } from './run-id.js';
import type { RunCommand } from './submit-run.js';
import type { StoreElsewhere } from '../elsewhere/find-store.js';

/** A definition that a command wrote itself, with what it is given. */
export interface Written {
  file: string;
  /** It, and agents that it names, by their files. */
  made: NonNullable<CompileOptions['made']>;
  input: (compiled: Compiled) => JsonObject;
  /** The run whose build it mends. */
  after?: string;
}

/** Compiles, checks, submits and follows. Everything that can be wrong is found before anything is started. */
export async function run(command: RunCommand, terminal: Terminal, written: Written | null = null): Promise<ExitCode> {
  const workspace = await openWorkspace(terminal);
  const { definition, ...choices } = command;
  const given = { pairs: command.pairs, file: await readInputFile(command.inputFile, terminal) };
  const compiled = await compile(written?.file ?? definition, workspace, terminal, {
    made: written?.made,
    given: namesGiven(given),
  });
  if (written === null) await tellSpelling(command.inputFile, compiled.plan.inputs, terminal);
  const input =
    written === null
      ? collectInput(compiled.plan, { ...given, request: await readRequest(command.request, terminal) })
      : written.input(compiled);
  const elsewhere = await storeElsewhere(workspace, command.taskQueue, terminal);
  const wanted = wantedSession(command.session ?? null);
  // Looked for before anything is made here: it says who plays, and may not be there.
  const conversation = await earlierIn(wanted, command, terminal);
  const file = written === null ? { definition: compiled.file } : {};
  const task = { texts: compiled.texts, input };
  const settled = await settle(
    compiled.plan,
    { ...choices, conversation, ...file, task },
    { ...workspace, elsewhere },
    terminal,
  );
  const session = await openSession(terminal, { ...command, elsewhere, workspace });
  await allow({ command, settled, plan: compiled.plan }, session, terminal);
  const id = command.id ?? newRunId(compiled.plan.name);
  if (elsewhere !== null) tell(terminal, terminal.palette.dim(elsewhereNote(elsewhere)));
  const { settings, question } = await injectContext(
    { plan: compiled.plan, input, settings: settled, session: wanted },
    session,
  );
  const { submitRun } = await import('./submit-run.js');
  return submitRun(
    {
      id,
      compiled,
      session,
      settings,
      question,
      values: () => storePlan(compiled, input, session.store),
      ...(written?.after === undefined ? {} : { after: written.after }),
    },
    command,
    terminal,
  );
}

async function earlierIn(
  wanted: WantedSession | null,
  command: RunCommand,
  terminal: Terminal,
): Promise<Awaited<ReturnType<typeof findConversation>> | null> {
  if (wanted === null || wanted.begins) return null;
  return findConversation(wanted.id, (await openExisting(terminal, command))?.store ?? null);
}

function elsewhereNote({ taskQueue, id }: StoreElsewhere): string {
  return `Workers elsewhere run this: task queue ${taskQueue}, store ${id}.`;
}

/** Says how gates are decided without people, and refuses what must not be started so. */
async function allow(
  { command, settled, plan }: { command: RunCommand; settled: RunSettings; plan: Plan },
  session: Session,
  terminal: Terminal,
): Promise<void> {
  if (command.ci !== undefined && settled.gates === 'ask') requireNoGates(plan);
  if (typeof command.askAbove === 'number') {
    const { askAbove } = await import('./ask-above.js');
    await askAbove(command.askAbove, { plan, most: settled.budget.max_cost_usd }, session, terminal);
  }
  if (settled.gates !== 'ask' && hasGates(plan)) tell(terminal, gatesNote(settled, plan));
}

/** In CI nobody is there: what would wait is refused before anything is started. */
function requireNoGates(plan: Plan): void {
  if (!hasGates(plan)) return;
  throw usageError(
    `\`${plan.name}\` waits for people, and in CI nobody is there.`,
    'Add `--unattended`, which takes the fallback of every gate, or `--yes`, which approves them. Either answers ' +
      'questions by their `default`, and fails at one that has none.',
  );
}

function gatesNote({ gates, submitted_by }: RunSettings, { name }: Plan): string {
  return gates === 'approve'
    ? `Every gate of ${name} is approved as \`${submitted_by}\` (--yes).`
    : `Every gate of ${name} takes its fallback (--unattended).`;
}

/** Tells whether people are asked anywhere in it, also in what it repeats and nests. */
function hasGates(plan: Plan): boolean {
  return [...everyStepOf(plan)].some(
    (step) =>
      step.kind === 'approval' ||
      step.kind === 'ask' ||
      (step.kind === 'plan' && step.message !== null) ||
      (step.kind === 'flash' && step.ready !== null),
  );
}
