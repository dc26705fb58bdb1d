import type { Json } from '../values/json.js';
import { canonicalJson, utf8Bytes } from '../values/json.js';
import type { Hash, Value } from '../values/value.js';
import { fitsInline, isStored } from '../values/value.js';

/** A place where a run waits for a person, with all that decides who may say what (decision 4). */
export interface Gate {
  /** `<run that owns it>/<path in that run>` is its address; this is the path from the root run. */
  path: string;
  /**
   * `lost`: an external effect may have happened, and its worker is gone; a person says what to do (decision 13).
   * `ready`: a device is to be flashed with what is shown. `recovery`: a device could not be flashed.
   * `checkpoint`: a step is to act, and its severity wants a person to allow it.
   * `tool`: an agent wants to do what is shown, and its permissions want a person to allow it.
   */
  kind: 'approval' | 'ask' | 'lost' | 'ready' | 'recovery' | 'checkpoint' | 'tool';
  /** The question; at most `MESSAGE_CHARACTERS`. */
  message: string;
  /** What is approved; null when the question is all there is. */
  content: Value | null;
  /**
   * SHA-256 of the canonical JSON of `{message, content}`, with `options` where there are some. A decision names it.
   */
  hash: Hash;
  fallback: Fallback;
  /** Who chose the fallback, and why, where a value did. */
  fallback_by?: { name: string; reason: string | null };
  /** ISO 8601, UTC. */
  since: string;
  /** What may be chosen. Absent where it is approved or rejected, or answered freely. */
  options?: Json[];
  /** JSON Schema of the answer to an `ask`. */
  schema?: Json;
  /** What counts when the deadline passes: `approve`, `reject`, an option, or the answer. */
  default?: Json;
  /** Who may decide; anyone when absent. */
  approvers?: string[];
  /** Who may not: the submitter, or who decided an earlier step. */
  excluded?: string[];
  /** How many people must say the same; one when absent. */
  quorum?: number;
  /** The content may not be changed before it is approved. */
  fixed?: true;
  /** The content is planned tasks: who these may be for. */
  team?: string[];
  /** The autonomy wants a person here: no MCP client approves it. */
  people?: true;
  /** ISO 8601, UTC. */
  deadline?: string;
  reminder_ms?: number;
  /** Reminders that were given. */
  reminders?: number;
  /** From this time on these people may decide as well. */
  escalation?: { at: string; to: string[] };
  /** Whom it was escalated to. */
  escalated?: string[];
  /** Who has said what, where more than one person must. */
  votes?: Vote[];
  /** What the run showed first, where a person has changed it and others must agree. No memo lists it. */
  first?: Pick<Gate, 'content' | 'hash'>;
  /** Nonces of the grants that were used up here while it stays open. */
  used?: string[];
}

export type Fallback = 'approve' | 'skip' | 'abort';

/** One person's word where a quorum is asked for. */
export interface Vote {
  by: string;
  value: Value | null;
  via?: Via;
}

/** Ways by which decisions come, as who sends one says. */
const SAID_VIAS = ['terminal', 'page', 'mcp'] as const;
/** `grant` is proved: no decision can say it itself. */
export type Via = (typeof SAID_VIAS)[number] | 'grant';

/** Of a `lost` gate, in the words of decision 13: do it again, count it as done, stop. */
export const LOST_OPTIONS = ['retry', 'done', 'stop'] as const;

/** A question is cut here before it is hashed and shown: what is long is content. */
export const MESSAGE_CHARACTERS = 2_000;

/** The longest comment that a decision takes. */
export const COMMENT_CHARACTERS = 16_384;

/** Where the log of a root run tells which decisions in its tree were refused: no step has this path. */
export const DECISIONS_LOG = '.decisions';

/** Longer than any token: workflow ids have at most 1,000 characters. */
const TOKEN_CHARACTERS = 8_192;

/** What a person says to a gate, by signal or update. */
export interface Decision {
  /** The gate's path from the root run. */
  gate: string;
  decision: 'approve' | 'reject' | 'answer';
  /** Hash of what the person saw. */
  hash: Hash;
  /** The gate's `since` when they saw it: sent back, it asks anew. Absent where nobody says. */
  since?: string;
  /** Who says so: a name, not a proof. */
  by: string;
  comment?: string | null;
  /** The answer, or the option that was chosen. */
  value?: Value;
  /** The content as the person changed it before approving. */
  edit?: Value;
  /** Of a call of a tool: the same call, shown the same, is allowed for the rest of the run. */
  remember?: true;
  /**
   * Says that the store's own command line sends this decision; a run with `approvals.require_token` takes no other
   * but by a grant.
   */
  token?: string;
  /** By which somebody elsewhere decides this gate, once: signed by the store's key (decision 39). */
  grant?: string;
  /** Absent where nobody says. */
  via?: Exclude<Via, 'grant'>;
}

/** What the update answers, and `--json` of `approve` prints. */
export interface DecisionReceipt {
  gate: string;
  decision: Decision['decision'];
  by: string;
  /** Of the content as it was edited. */
  hash?: Hash;
  /** How many more people must say the same. */
  missing?: number;
}

/**
 * How a gate ended, as the memo of its run tells it: one for each gate, in one event with the new list of open ones.
 */
export interface GateEnd {
  gate: string;
  /** `expire`: nobody decided in time, and there is no default. */
  decision: Decision['decision'] | 'expire';
  by: string[];
  /** Of what was decided on, or of the content as it was edited. */
  hash: Hash;
  comment: string | null;
  /** What later steps get. */
  output: Value | null;
  /** By which way each of them came, in the order of `by`; null where nobody said. Absent where nobody said any. */
  via?: (Via | null)[];
  /** The content is not what the run showed first. */
  edited?: true;
  /** What has this hash is allowed for the rest of the run. */
  remembered?: true;
  /** ISO 8601, UTC. */
  at: string;
}

/** A call of a tool that is asked about no more, as it was shown to who allowed it. */
export interface Remembered {
  /** The gate's path from the root run. */
  gate: string;
  message: string;
  hash: Hash;
  by: string[];
  /** ISO 8601, UTC. */
  at: string;
}

/**
 * Why a decision does not count, or null when it does. The same check for updates, signals and viewers.
 * `gate` is the open gate at the decision's path; `decided` tells how it ended before; `now` is in milliseconds.
 */
export function refusalOf(
  decision: Decision,
  gate: Gate | undefined,
  decided: Pick<GateEnd, 'decision' | 'by'> | undefined,
  now: number,
): string | null {
  const name = `Gate \`${decision.gate}\``;
  if (decided !== undefined)
    return decided.decision === 'expire'
      ? `${name} has expired: nobody decided in time.`
      : `${name} is already decided: ${decided.decision} by ${namesOf(decided.by)}.`;
  if (gate === undefined) return `No gate \`${decision.gate}\` is open in this run.`;
  if (gate.deadline !== undefined && now >= Date.parse(gate.deadline))
    return `${name} has expired: its deadline was ${gate.deadline}.`;
  if (decision.hash !== gate.hash)
    return (
      `${name} shows other content (${gate.hash}) than was decided on (${decision.hash}). Look again and decide ` +
      `on what it shows now.`
    );
  if (decision.since !== undefined && decision.since !== gate.since)
    return `${name} was asked anew since it was shown. Look again and decide anew.`;
  return personRefusal(decision.by, gate) ?? formRefusal(decision, gate);
}

/** Why this person may not decide; null when they may. */
export function personRefusal(
  by: string,
  gate: Pick<Gate, 'path' | 'excluded' | 'approvers' | 'votes' | 'quorum'>,
): string | null {
  const name = `Gate \`${gate.path}\``;
  if (gate.excluded?.includes(by))
    return `${name} wants somebody else than ${by}, who submitted the run or decided a step before.`;
  if (gate.approvers !== undefined && !gate.approvers.includes(by))
    return `${name} is for ${namesOf(gate.approvers, 'or')} to decide, not for ${by}.`;
  if (gate.votes?.some((vote) => vote.by === by))
    return `${name} is already decided by ${by}; it waits for ${missingOf(gate)} more.`;
  return null;
}

function formRefusal({ decision, value, edit, remember }: Decision, gate: Gate): string | null {
  const name = `Gate \`${gate.path}\``;
  if (remember === true && (decision !== 'approve' || gate.kind !== 'tool'))
    return `${name} is about no call of a tool that is approved: nothing is remembered of it.`;
  if (edit !== undefined && (decision !== 'approve' || !isEditable(gate)))
    return `${name} shows nothing that may be edited.`;
  if (decision === 'reject') return null;
  if (gate.options !== undefined) return optionRefusal(decision, value, gate);
  if (gate.kind === 'ask') return value === undefined ? `${name} is a question: answer it.` : null;
  return decision === 'answer' || value !== undefined ? `${name} is approved or rejected: it has no options.` : null;
}

function optionRefusal(decision: Decision['decision'], value: Value | undefined, gate: Gate): string | null {
  const options = gate.options ?? [];
  // Whoever approves a step whose worker was lost wants it done again.
  if (value === undefined && (gate.kind === 'lost' || gate.kind === 'recovery') && decision === 'approve') return null;
  const isOne =
    value !== undefined &&
    'value' in value &&
    options.some((option) => canonicalJson(option) === canonicalJson(value.value));
  return isOne
    ? null
    : `Gate \`${gate.path}\` takes one of ` +
        `${options.map((option) => `\`${typeof option === 'string' ? option : JSON.stringify(option)}\``).join(', ')}.`;
}

/** Tells whether the content of a gate may be changed by who approves it: who answers or chooses approves none. */
export function isEditable({ kind, options, content, fixed }: Gate): boolean {
  return content !== null && !fixed && kind !== 'ask' && options === undefined;
}

/** Tells whether a gate has a way to reject it: a question has none, and choices have their own. */
export function isRejectable({ kind, options }: Pick<Gate, 'kind' | 'options'>): boolean {
  return kind === 'approval' || (kind !== 'ask' && options === undefined);
}

/**
 * Tells whether what a person wrote must be read where stored values are: to hash an edit, or to hold an answer against
 * its schema (I6).
 */
export function isRead({ decision, edit, value }: Decision, gate: Gate | undefined): boolean {
  if (decision === 'reject') return false;
  const isText = value !== undefined && !isStored(value) && typeof value.value === 'string';
  return (
    edit !== undefined || (gate?.kind === 'ask' && gate.options === undefined && !(gate.schema === undefined && isText))
  );
}

/** Tells whether this one use of a grant was made. */
export function isUsed({ used }: Gate, nonce: string): boolean {
  return used?.includes(nonce) === true;
}

/** How many more people must say the same. */
export function missingOf({ quorum = 1, votes = [] }: Pick<Gate, 'quorum' | 'votes'>): number {
  const counts = votes.map(
    (vote) => votes.filter((other) => canonicalJson(other.value) === canonicalJson(vote.value)).length,
  );
  return quorum - Math.max(0, ...counts);
}

/** `ana`, `ana and bo`, `ana, bo and cy`. */
export function namesOf(names: string[], word = 'and'): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} ${word} ${names.at(-1) ?? ''}`;
}

/** Tells whether something received from outside has the form of a decision (signals come from anyone). */
export function isDecision(value: unknown): value is Decision {
  if (typeof value !== 'object' || value === null) return false;
  const {
    gate,
    decision,
    hash,
    since,
    by,
    comment,
    value: answer,
    edit,
    token,
    grant,
    remember,
    via,
  } = value as Record<string, unknown>;
  return (
    [gate, hash, by].every(isShortText) &&
    isMoment(since) &&
    (decision === 'approve' || decision === 'reject' || decision === 'answer') &&
    isComment(comment) &&
    isToken(token) &&
    isToken(grant) &&
    (remember === undefined || remember === true) &&
    (via === undefined || SAID_VIAS.some((one) => one === via)) &&
    [answer, edit].every((written) => written === undefined || isValue(written))
  );
}

function isMoment(value: unknown): boolean {
  return value === undefined || isShortText(value);
}

function isComment(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.length <= COMMENT_CHARACTERS);
}

function isToken(value: unknown): boolean {
  return value === undefined || (typeof value === 'string' && value.length <= TOKEN_CHARACTERS);
}

function isShortText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= 1_024;
}

/** A value that may stand in history (I6): small, or the name of a stored one. */
function isValue(value: unknown): value is Value {
  if (typeof value !== 'object' || value === null || utf8Bytes(JSON.stringify(value)) > 2_048) return false;
  if ('value' in value) return fitsInline(value.value as Json); // what came as JSON is JSON
  const { ref, bytes } = value as Record<string, unknown>;
  return typeof ref === 'string' && /^sha256:[0-9a-f]{64}$/.test(ref) && typeof bytes === 'number';
}
