import { stepPathOf, turnOf } from '../../../plan/agents/conversation.js';
import { endAlone } from '../../../plan/outcomes/step-ends.js';
import type { Decision, Gate, GateEnd } from '../../../plan/gates/gate.js';
import { isRead, refusalOf } from '../../../plan/gates/gate.js';
import { takeDecision } from '../../../plan/gates/gate-timeline.js';
import type { RunEvent } from '../history/run-event.js';
import { endByGate, isWithin, stopRestoring } from './gate-ends.js';
import type { RunFold } from './run-fold.js';
import { stepAt } from './run-fold.js';
import { start } from './fold-starts.js';
import { end } from './fold-ends.js';

/** Opens a gate; where the run decides by itself, its step ends instead. */
export function openGate(fold: RunFold, gate: Gate): void {
  const spot = stepAt(fold, stepPathOf(gate.path));
  fold.decided.delete(gate.path);
  if (!isWithin(gate)) start(fold, spot, gate.since);
  const alone = isWithin(gate) ? null : endAlone(gate, fold.input.settings);
  // A run that decides by itself asks nobody about calls of tools, and whether a board is ready.
  if (['tool', 'ready', 'checkpoint'].includes(gate.kind) && fold.input.settings.gates !== 'ask') return;
  stopRestoring(spot);
  if (alone === null) fold.gates.set(gate.path, gate);
  else end(fold, spot, gate.since, alone);
}

/**
 * What the run's memo says of its gates: how one ended, and which are open, unless they are too many to be listed. It
 * tells them in few words; what is known of them in full stays.
 */
export function listGates(fold: RunFold, { gates, unlisted, ended }: RunEvent & { kind: 'gates' }, by: string): void {
  if (ended !== null) endGate(fold, ended);
  if (unlisted !== null) fold.unlisted.set(by, unlisted);
  if (gates === null) return;
  for (const gate of gates) {
    if (by !== fold.run) fold.owners.set(stepPathOf(gate.path), by);
    const known = fold.gates.get(gate.path);
    if (known === undefined) openGate(fold, gate);
    else
      fold.gates.set(gate.path, {
        ...known,
        ...gate,
        message: known.message,
        ...(known.hash === gate.hash ? { content: known.content } : {}),
      });
  }
  const listed = new Set(gates.map(({ path }) => path));
  if ((fold.unlisted.get(by) ?? 0) > 0) return;
  for (const path of fold.gates.keys())
    if (!listed.has(path) && (fold.owners.get(stepPathOf(path)) ?? fold.run) === by) fold.gates.delete(path);
}

/** A decision as it came. One that an activity has to read first takes effect when the run says so. */
export function decide(fold: RunFold, decision: Decision, at: string): void {
  const gate = fold.gates.get(decision.gate);
  const now = Date.parse(at);
  const isLookedAt =
    fold.input.settings.require_token === true || decision.grant !== undefined || isRead(decision, gate);
  if (gate === undefined || isLookedAt || refusalOf(decision, gate, fold.decided.get(decision.gate), now) !== null)
    return;
  const { gate: after, end: ended } = takeDecision(gate, decision, { now, edited: null });
  fold.gates.set(gate.path, after);
  if (ended !== null) endGate(fold, ended);
}

function endGate(fold: RunFold, ended: GateEnd): void {
  const gate = fold.gates.get(ended.gate);
  if (gate === undefined) return;
  fold.gates.delete(ended.gate);
  const { hash, by, at } = ended;
  if (ended.remembered === true) fold.remembered.push({ gate: gate.path, message: gate.message, hash, by, at });
  // A call of a tool that was in doubt goes on within its step.
  if (turnOf(ended.gate) !== null) return;
  const spot = stepAt(fold, ended.gate);
  if (spot === null) return;
  if (!isWithin(gate)) fold.decided.set(ended.gate, ended);
  // Done again, the step says itself how it ended; the interpreter asks anew each time.
  const stepEnd = endByGate(spot, gate, { ended, settings: fold.input.settings });
  if (stepEnd !== null) end(fold, spot, ended.at, stepEnd);
}
