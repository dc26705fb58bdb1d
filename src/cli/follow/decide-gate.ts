import type { Decision, Gate } from '../../plan/gates/gate.js';
import { DECIDE } from '../../plan/names.js';
import type { Json } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import type { ExitCode } from '../exit-codes.js';
import { CliError, EXIT, refusal, usageError } from '../exit-codes.js';
import { createTellBill, indentBill } from '../bill/tell-bill.js';
import type { FoundRun } from '../observe/find-run.js';
import { findRun } from '../observe/find-run.js';
import type { OpenGate, RunView, StepView } from '../observe/view/view.js';
import { everyStepView, nestedIn, openGates, pathBelow, rootOf } from '../observe/view/view.js';
import { plural } from '../text/format.js';
import { wrap } from '../text/width.js';
import { openExisting, unknownRun } from '../session.js';
import type { Terminal } from '../terminal.js';
import { heightOf, print, printJson, readingWidthOf, tell, widthOf } from '../terminal.js';
import { safeJson } from '../text/safe-text.js';
import { answerValue, editedContent } from './input/answer-value.js';
import type { Says } from './decide.js';
import { decide, keptRefusal, receiptText, signedDecision } from './decide.js';
import type { GateContent } from './gate-content.js';
import { readGateContent } from './gate-content.js';
import { YES_OR_NO, optionLines, renderGate, unseenLines } from './gate-text.js';
import { openKeys } from './input/keys.js';
import { asTyped } from '../text/own-name.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/** What `approve`, `reject` and `answer` were told. */
export interface DecideCommand {
  address: string;
  says: Pick<Decision, 'decision' | 'by' | 'comment' | 'grant' | 'via'>;
  /** The answer or option, as it was typed. */
  answer?: string | null;
  /** A file with the content as it was edited. */
  edit?: string | null;
  /** Hash of what was seen before: nothing else is decided on. */
  hash?: string | null;
  /** What the gate must show, where a grant says so: it is shown all the same. Or why the grant is none for it. */
  granted?: Hash | CliError;
  /** Print the decision instead of sending it. */
  print?: boolean;
  json: boolean;
}

/**
 * Shows what a gate asks and decides it. What was shown is what is decided on: the decision names its hash (decision
 * 4).
 */
export async function decideGate(command: DecideCommand, terminal: Terminal): Promise<ExitCode> {
  const { address, json } = command;
  const run = rootOf(address);
  const session = await openExisting(terminal, { taskQueue: null });
  if (session === null) throw unknownRun(run);
  const found = await findRun(run, session);
  const { gate, link } = await meantGate(found, command, session.store);
  try {
    const content = await readGateContent(gate, session.store);
    const tellBill = createTellBill(session, terminal);
    const bill = command.says.decision === 'reject' ? [] : await tellBill(found.view, gate);
    const written = await writtenIn(command, { gate: gate.gate, content, terminal });
    await showWhole(gate, { content: written.shown ?? content?.shown ?? null, bill }, command, terminal);
    const says = await saysOf(command, written, session.store);
    if (command.print === true) {
      print(terminal, safeJson(await signedDecision(link.client, gate, says, session.store)));
      tell(
        terminal,
        `  Nothing was sent. Send it to \`${gate.owner}\` as the signal or update ` +
          `\`${DECIDE}\`${gate.needsToken ? '; its token is valid for an hour' : ''}.`,
      );
      return EXIT.success;
    }
    const receipt = await decide(link.client, gate, says, session.store);
    if (json) printJson(terminal, { run, ...receipt, gate: gate.address });
    else
      tell(
        terminal,
        `  ${receiptText(receipt)} ${asTyped(`Follow the run with \`${shellCommand('perdure watch', [run])}\`.`)}`,
      );
    return EXIT.success;
  } finally {
    await link.close();
  }
}

/** The gate that is meant. What is wrong with a grant is kept. */
async function meantGate(
  { view, link }: FoundRun,
  command: DecideCommand,
  store: Store,
): Promise<{ gate: OpenGate; link: TemporalLink }> {
  const { address, says } = command;
  try {
    if (link === null) throw refusal(`The run \`${view.run}\` has ended: ${view.status}.`);
    return { gate: grantedGate(gateAt(view, address), command), link };
  } catch (error) {
    await link?.close();
    const gate = pathBelow(address);
    throw error instanceof CliError ? await keptRefusal(error, { run: view.run, gate, says }, store) : error;
  }
}

/** An open gate; by a grant it is the one that the grant is for, with the content that it is for. */
function grantedGate(open: OpenGate, { address, granted }: DecideCommand): OpenGate {
  if (granted === undefined) return open;
  if (granted instanceof CliError) throw granted;
  const { path, hash } = open.gate;
  if (open.address !== address) throw refusal(`No gate is open at \`${address}\`.`);
  if (hash === granted) return open;
  throw refusal(`Gate \`${path}\` shows other content (${hash}) than the grant is for (${granted}).`);
}

/** The line that says that the content was edited. */
const EDITED_LINES = 1;

/** What stands below a gate's question. */
interface Shown {
  /** What is approved, as people read it: the gate's, or as it was edited. */
  content: string | null;
  /** What follows, in lines. */
  bill: string[];
}

/**
 * Shows all of a gate, and what follows. Throws a refusal where it is not what was seen before, or where somebody does
 * not agree to what they could not see.
 */
async function showWhole(
  open: OpenGate,
  { content, bill }: Shown,
  { hash, says, edit = null }: DecideCommand,
  terminal: Terminal,
): Promise<void> {
  const { gate } = open;
  const seen = hash === undefined || hash === null ? null : wholeHash(hash, open);
  if (seen !== null && seen !== gate.hash)
    throw refusal(
      `Gate \`${gate.path}\` shows other content (${gate.hash}) than \`${seen}\`.`,
      `Look at it with \`${shellCommand('perdure show', [rootOf(open.address)])}\`.`,
    );
  const style = { width: readingWidthOf(terminal.stderr), palette: terminal.palette };
  const below = [...optionLines(gate, style.width), ...indentBill(bill, style.width)];
  tell(terminal, ...renderGate(open, content, { ...style, height: null }));
  if (edit !== null)
    tell(terminal, '  This is the content as it was edited: it is approved in the place of what was asked.');
  tell(terminal, ...below);
  const height = heightOf(terminal.stderr) - below.length - (edit === null ? 0 : EDITED_LINES);
  const unseen = unseenLines(open, content, { ...style, height });
  // What was edited was not seen before.
  if (unseen > 0 && (seen === null || edit !== null) && says.decision !== 'reject' && !(await agrees(unseen, terminal)))
    throw refusal('Nothing was decided; the gate stays open.');
}

/**
 * A hash as it was typed, with `sha256:` or without. Throws a usage error for less than all of it: for the ends that a
 * gate shows, two contents are found within minutes that have them alike.
 */
function wholeHash(typed: string, { address }: OpenGate): string {
  const digits = typed.trim().replace(/^sha256[: ]/, '');
  if (/^[0-9a-f]{64}$/.test(digits)) return `sha256:${digits}`;
  throw usageError(
    `Expected all 64 digits of the hash after \`--hash\`, got \`${typed}\`.`,
    `See them with \`${shellCommand('perdure show', [rootOf(address)])}\`.`,
  );
}

/** What has scrolled by takes a key of its own, where somebody is there to press it. */
async function agrees(unseen: number, terminal: Terminal): Promise<boolean> {
  if (!terminal.interactive) return true;
  const keys = openKeys(terminal, new AbortController().signal);
  try {
    await keys.settle();
    tell(
      terminal,
      ...wrap(
        `${plural(unseen, 'line')} of this ${unseen === 1 ? 'does' : 'do'} not fit on the screen. Decide on all of it?`,
        widthOf(terminal.stderr) - 2,
      ).map((line) => `  ${line}`),
      `  ${YES_OR_NO}`,
    );
    return (await keys.key()).toLowerCase() === 'y' && !keys.wasAhead();
  } finally {
    keys.close();
  }
}

/** What somebody wrote to a gate: the content as they edited it, or an answer. */
interface Written {
  edit?: Json;
  answer?: Json;
  /** What was edited, as people read it. */
  shown?: string;
}

/** Reads what was typed or edited, once: what is shown then is what is sent. */
async function writtenIn(
  { answer = null, edit = null }: DecideCommand,
  { gate, content, terminal }: { gate: Gate; content: GateContent | null; terminal: Terminal },
): Promise<Written> {
  if (edit === null) return answer === null ? {} : { answer: await answerValue(answer, gate) };
  if (content === null) throw refusal(`Gate \`${gate.path}\` shows nothing that may be edited.`);
  const edited = await editedContent(edit, content.isText, terminal);
  // In a file of its own, with YAML: only what was edited needs it here.
  const { readable } = await import('./readable.js');
  return { edit: edited, shown: readable(edited) };
}

/** What is said, with what was written stored where it is too big for history (I6). */
async function saysOf({ says }: DecideCommand, { edit, answer }: Written, store: Store): Promise<Says> {
  return {
    ...says,
    ...(edit === undefined ? {} : { edit: await store.put(edit) }),
    ...(answer === undefined ? {} : { value: await store.put(answer) }),
  };
}

/**
 * The one gate that an address means: its own, or the only one open below a run. Throws a refusal that says which there
 * are.
 */
export function gateAt(view: RunView, address: string): OpenGate {
  const open = openGates(view);
  const meant = open.filter((gate) => gate.address === address || gate.address.startsWith(`${address}/`));
  if (meant.length === 1 && meant[0] !== undefined) return meant[0];
  if (meant.length > 1)
    throw refusal(`${meant.length} gates are open below \`${address}\`.`, `Name one:\n${addresses(meant)}`);
  const step = stepAt(view, pathBelow(address));
  if ((step?.step.kind === 'approval' || step?.step.kind === 'ask') && step.result !== null) {
    throw refusal(
      `The gate \`${address}\` is already decided: ${step.result.error ?? step.result.note ?? step.status}.`,
    );
  }
  throw refusal(
    `No gate is open at \`${address}\`.`,
    open.length === 0 ? 'Nothing in this run waits for a person.' : `There are:\n${addresses(open)}`,
  );
}

function addresses(gates: OpenGate[]): string {
  return gates.map(({ address }) => `  ${address}`).join('\n');
}

function stepAt(view: RunView, path: string): StepView | undefined {
  const steps = everyStepView(view.steps);
  const around = steps.flatMap(nestedIn).find((run) => path.startsWith(`${run.path}/`));
  return steps.find((step) => step.path === path) ?? (around ? stepAt(around, path) : undefined);
}
