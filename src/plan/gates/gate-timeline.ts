import type { Decision, Gate, GateEnd, Vote } from './gate.js';
import { missingOf } from './gate.js';
import { canonicalJson } from '../values/json.js';
import type { Hash, Value } from '../values/value.js';
import { inline } from '../values/value.js';

/** A gate after something happened to it; `end` is null while it stays open. */
export interface GateStep {
  gate: Gate;
  end: GateEnd | null;
}

/** The content as a person changed it, stored and hashed. */
export interface Edited {
  content: Value;
  hash: Hash;
}

/**
 * What a decision that counts does to a gate. An edit makes it another content, for which what others said before is
 * void. One rejection rejects; approvals and choices count until as many people as are asked for have said the same.
 * `nonce` is that of the grant by which it came, which is used up.
 */
export function takeDecision(
  gate: Gate,
  decision: Omit<Decision, 'via'> & Pick<Vote, 'via'>,
  { now, edited, nonce = null }: { now: number; edited: Edited | null; nonce?: string | null },
): GateStep {
  if (nonce !== null) {
    const usedUp = { ...gate, used: [...(gate.used ?? []), nonce] };
    return takeDecision(usedUp, { ...decision, via: 'grant' }, { now, edited });
  }
  const { by, comment = null } = decision;
  const at = new Date(now).toISOString();
  if (decision.decision === 'reject') {
    const end = { gate: gate.path, decision: 'reject' as const, by: [by], hash: gate.hash, comment, output: null, at };
    return { gate, end: { ...end, ...viaOf([decision]) } };
  }
  const first = gate.first ?? { content: gate.content, hash: gate.hash };
  const shown: Gate = edited === null ? gate : { ...gate, ...edited, votes: [], first };
  const { after, agreed } = vote(shown, {
    by,
    value: decision.value ?? null,
    ...(decision.via === undefined ? {} : { via: decision.via }),
  });
  if (agreed === null) return { gate: after, end: isHopeless(after) ? disagreement(after, at) : null };
  const change = {
    ...(shown.hash === first.hash ? {} : { edited: true as const }),
    ...(decision.remember === true ? { remembered: true as const } : {}),
  };
  const output = decision.value ?? shown.content;
  return {
    gate: after,
    end: {
      gate: gate.path,
      decision: wordFor(gate, decision),
      by: agreed.map((one) => one.by),
      ...viaOf(agreed),
      hash: shown.hash,
      comment,
      output,
      at,
      ...change,
    },
  };
}

/** Counts a person's word; `agreed` names those who said the same once they are as many as are asked for. */
function vote(gate: Gate, own: Vote): { after: Gate; agreed: Vote[] | null } {
  if ((gate.quorum ?? 1) === 1) return { after: gate, agreed: [own] };
  const after: Gate = { ...gate, votes: [...(gate.votes ?? []), own] };
  const same = (after.votes ?? []).filter(({ value }) => canonicalJson(value) === canonicalJson(own.value));
  return { after, agreed: missingOf(after) > 0 ? null : same };
}

/** By which way each came; nothing where nobody says, as in histories of before. */
function viaOf(said: Pick<Vote, 'via'>[]): Pick<GateEnd, 'via'> {
  return said.some(({ via }) => via !== undefined) ? { via: said.map(({ via }) => via ?? null) } : {};
}

/** Whoever chose has answered, whichever word was sent with the choice. */
function wordFor(
  { kind, options }: Gate,
  { decision, value }: Pick<Decision, 'decision' | 'value'>,
): Decision['decision'] {
  if (options === undefined && kind === 'approval') return 'approve';
  return value === undefined ? decision : 'answer';
}

/** Tells whether those who have not spoken yet cannot bring any choice to the quorum. */
function isHopeless({ approvers, excluded = [], votes = [], escalation, ...gate }: Gate): boolean {
  if (approvers === undefined) return false;
  const all = [...new Set([...approvers, ...(escalation?.to ?? [])])];
  const left = all.filter((name) => !excluded.includes(name) && !votes.some(({ by }) => by === name)).length;
  return left < missingOf({ ...gate, votes });
}

function disagreement({ path, votes = [], hash }: Gate, at: string): GateEnd {
  return {
    gate: path,
    decision: 'reject',
    by: votes.map(({ by }) => by),
    ...viaOf(votes),
    hash,
    comment: 'they chose differently',
    output: null,
    at,
  };
}

/** When something next happens to a gate by itself, in milliseconds since the epoch; null for never. */
export function nextDue(gate: Gate): number | null {
  const { deadline, escalation, reminder_ms, reminders = 0 } = gate;
  const times = [
    ...(deadline === undefined ? [] : [Date.parse(deadline)]),
    ...(escalation === undefined ? [] : [Date.parse(escalation.at)]),
    ...(reminder_ms === undefined ? [] : [Date.parse(gate.since) + (reminders + 1) * reminder_ms]),
  ];
  return times.length === 0 ? null : Math.min(...times);
}

/**
 * What the passing of time does to a gate: its deadline ends it, also one that passed while nothing ran; else the
 * reminders that are due count, and an escalation lets more people decide.
 */
export function passTime(gate: Gate, now: number): GateStep {
  if (gate.deadline !== undefined && now >= Date.parse(gate.deadline)) return { gate, end: expiry(gate, now) };
  const { escalation, reminder_ms } = gate;
  const reminded: Gate =
    reminder_ms === undefined ? gate : { ...gate, reminders: Math.floor((now - Date.parse(gate.since)) / reminder_ms) };
  if (escalation === undefined || now < Date.parse(escalation.at)) return { gate: reminded, end: null };
  const { escalation: _done, approvers, ...rest } = reminded;
  return {
    gate: {
      ...rest,
      ...(approvers === undefined ? {} : { approvers: [...new Set([...approvers, ...escalation.to])] }),
      escalated: escalation.to,
    },
    end: null,
  };
}

/** What a default decides on is what the run showed first: one person's edit, with which nobody agreed, is not it. */
function expiry({ path, kind, default: otherwise, options, ...gate }: Gate, now: number): GateEnd {
  const { content, hash } = gate.first ?? gate;
  const end = {
    gate: path,
    by: ['default'],
    hash,
    comment: 'nobody decided in time',
    output: null,
    at: new Date(now).toISOString(),
  };
  if (otherwise === undefined) return { ...end, decision: 'expire', by: [], comment: null };
  if (kind === 'approval' && options === undefined) {
    return otherwise === 'approve' ? { ...end, decision: 'approve', output: content } : { ...end, decision: 'reject' };
  }
  if (otherwise === 'reject' && kind === 'approval' && !options?.includes('reject'))
    return { ...end, decision: 'reject' };
  return { ...end, decision: 'answer', output: inline(otherwise) };
}
