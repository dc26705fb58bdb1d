import { indentBill } from '../bill/tell-bill.js';
import { isPassedOver } from '../observe/fold/silent-ends.js';
import type { OpenGate, RunView, StepView } from '../observe/view/view.js';
import { nestedIn } from '../observe/view/view.js';
import { createPalette } from '../text/colors.js';
import { answerCommands, gateFacts } from '../render/gate-words.js';
import type { Around } from '../render/items.js';
import { itemNames } from '../render/items.js';
import { stepRow } from '../render/rows.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { clip, wrap } from '../text/width.js';
import { frame } from './gate-text.js';

/** What a step does takes at most so many columns: a script that a command is given may have any length. */
const WIDEST_DETAIL = 48;

/** A step of a rerun that begins may be reused: that it has begun is told when it has lasted this long. */
export const HELD_MS = 2_000;

/**
 * Where there is no terminal each change of a tree is one plain line. Feed it one view after the other; the last one of
 * a rerun again, when `HELD_MS` are over.
 */
export function createPlainLines(): (view: RunView, now: number) => string[] {
  const told = new Map<string, string>();
  const begun = new Map<string, number>();
  return (view, now) => {
    const heldMs = view.reuses === true ? HELD_MS : 0;
    return changes(view.steps, { told, begun, heldMs, now, around: { input: view.input, layers: [] }, item: '' });
  };
}

interface Telling {
  told: Map<string, string>;
  /** When steps were first seen to run that may be reused. */
  begun: Map<string, number>;
  heldMs: number;
  now: number;
  around: Around;
  /** Of which item of a foreach. */
  item: string;
}

function changes(steps: StepView[], outer: Telling): string[] {
  const telling = { ...outer, around: { ...outer.around, layers: [steps, ...outer.around.layers] } };
  return steps.flatMap((step) => {
    const isOpen = isHeld(step, telling) || isGuessed(step);
    const own = !isOpen && isNews(step, telling.told) ? [plainLine(step, telling)] : [];
    const nameOf = itemNames(step, telling.around);
    const nested = nestedIn(step).flatMap((run) =>
      changes(run.steps, { ...telling, around: { input: run.input, layers: [] } }),
    );
    const below = [
      ...nested,
      ...step.rounds.flatMap((round) =>
        changes(round.steps, { ...telling, item: nameOf(round.index) || telling.item }),
      ),
    ];
    // What is below a step begins after it and ends before it.
    return step.status === 'running' ? [...own, ...below] : [...below, ...own];
  });
}

/** Tells whether a step that runs may turn out to be reused. */
function isHeld({ path, step: { kind }, status, attempt }: StepView, { begun, heldMs, now }: Telling): boolean {
  if (heldMs === 0 || status !== 'running' || attempt > 1) return false;
  if (kind !== 'agent' && kind !== 'command' && kind !== 'tool') return false;
  const since = begun.get(path) ?? now;
  begun.set(path, since);
  return now - since < heldMs;
}

/** Tells whether history alone says that others went past a step: whether it had begun, the run's record will say. */
function isGuessed({ status, result }: StepView): boolean {
  return status === 'skipped' && isPassedOver({ reason: result?.error ?? null });
}

/** Tells whether a step's state differs from what was told last. A gate is told by `gateLines`. */
function isNews(step: StepView, told: Map<string, string>): boolean {
  if (step.status === 'pending' || step.status === 'waiting' || step.status === 'unknown') return false;
  const state = step.status === 'running' ? `running ${step.attempt}` : step.status;
  if (told.get(step.path) === state) return false;
  told.set(step.path, state);
  return !((step.step.kind === 'approval' || step.step.kind === 'ask') && step.status === 'running');
}

function plainLine(step: StepView, { now, item }: Telling): string {
  const { mark, kind, detail: whole, time, cost } = stepRow(step, { now, depth: 0 });
  // What a failure says is wanted whole; how a command goes on is not.
  const detail = step.status === 'error' || step.status === 'timeout' ? whole : clip(whole, WIDEST_DETAIL);
  const took = step.status === 'running' ? '' : time;
  return [`${mark ?? '▸'} ${safeName(step.path)}`, item, ...doers(step, kind), detail, took, cost]
    .filter((part) => part !== '')
    .join('  ');
}

/**
 * What does the work. A step without an id has only a number for its path: who it is stands beside it, as in the tree.
 */
function doers({ step, actor }: StepView, kind: string): string[] {
  if (step.id !== null || (step.kind !== 'agent' && step.kind !== 'workflow')) return [kind];
  return kind === 'agent' ? [safeName(actor)] : [safeName(actor), kind];
}

/**
 * A gate where nobody can be asked: what waits, what is decided on, in lines of at most `width` columns, what follows
 * (`bill`), and how to answer it.
 */
export function gateLines(open: OpenGate, content: string | null, width: number, bill: string[] = []): string[] {
  const { gate } = open;
  const what = gate.kind === 'ask' ? 'an answer' : gate.options === undefined ? 'approval' : 'a decision';
  const facts = gateFacts(gate, Date.now()).filter((fact) => fact !== 'no deadline');
  return [
    ...wrap(`◆ ${safeName(open.address)} waits for ${what}: ${safeLine(gate.message)}`, width),
    // Whole: this is what `--hash` takes.
    ...wrap(gate.hash, width - 2).map((line) => `  ${line}`),
    ...(facts.length === 0 ? [] : wrap(facts.join(' · '), width - 2).map((line) => `  ${line}`)),
    ...(content === null ? [] : frame(content, { width, palette: NO_COLORS }, Infinity).lines),
    ...indentBill(bill, width),
    ...answerCommands(open).map((command) => `  ${command}`),
  ];
}

const NO_COLORS = createPalette(false);
