import type { Pause } from '../../plan/budget/steering.js';
import { LIMITS } from '../../plan/budget/budgets.js';
import type { Gate } from '../../plan/gates/gate.js';
import { MEMO } from '../../plan/names.js';
import type { Execution } from '../../workers/link/list-executions.js';

type Memo = Execution['memo'];
type Check = (value: unknown) => boolean;
type Fields = Partial<Record<string, unknown>>;

const isText: Check = (value) => typeof value === 'string';
const isNumber: Check = (value) => typeof value === 'number';
const isTexts: Check = (value) => Array.isArray(value) && value.every(isText);
const isVotes: Check = (value) => Array.isArray(value) && value.every((vote) => isText(fieldsOf(vote)['by']));

const GATE: Partial<Record<keyof Gate, Check>> = { path: isText, message: isText, hash: isText, since: isText };
/** Of these each may be absent. */
const MORE: Partial<Record<keyof Gate, Check>> = {
  ...{ kind: isText, deadline: isText, quorum: isNumber, reminders: isNumber, votes: isVotes },
  ...{ options: Array.isArray, approvers: isTexts, excluded: isTexts, escalated: isTexts, team: isTexts },
};
const CAUSES: readonly unknown[] = [...LIMITS, 'request', 'quota'];

/** What a memo says to wait for people: anybody on the machine may start a workflow of our type, with any memo. */
export function gatesIn(memo: Memo): Gate[] {
  const waiting = memo?.[MEMO.waiting];
  return Array.isArray(waiting) ? waiting.filter(isGate) : [];
}

function isGate(value: unknown): value is Gate {
  const fields = fieldsOf(value);
  const { content } = fields;
  return (content === null || isContent(fieldsOf(content))) && holds(fields, GATE) && holds(fields, MORE, true);
}

function isContent(content: Fields): boolean {
  return 'ref' in content ? holds(content, { ref: isText, bytes: isNumber }) : 'value' in content;
}

/** What a memo says of a pause; null for what is none. */
export function pauseIn(memo: Memo): Pause | null {
  const pause = fieldsOf(memo?.[MEMO.paused]);
  const isPause =
    holds(pause, { run: isText, message: isText, since: isText }) && holds(pause, { until: isText }, true);
  return isPause && CAUSES.includes(pause['cause']) ? (pause as unknown as Pause) : null; // as just seen
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? value : {}; // looked at, never trusted
}

function holds(fields: Fields, checks: Partial<Record<string, Check>>, mayLack = false): boolean {
  return Object.entries(checks).every(
    ([name, check]) => (mayLack && fields[name] === undefined) || check?.(fields[name]) === true,
  );
}
