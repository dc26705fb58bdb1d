import type { GateContent } from '../cli/follow/gate-content.js';
import type { Decision, Gate } from '../plan/gates/gate.js';
import type { Json } from '../plan/values/json.js';
import { canonicalJson } from '../plan/values/json.js';
import type { Value } from '../plan/values/value.js';
import type { Store } from '../store/store.js';
import { loadValue } from '../store/transcript.js';
import type { Connection } from './connection.js';

/** A gate as it is shown. */
export interface ShownGate {
  /** Its root run. */
  run: string;
  /** Who started that. */
  submittedBy: string | null;
  kind: Gate['kind'];
  content: Pick<GateContent, 'text'> | null;
}

/**
 * Tells whether the client `by` would approve its own words: what its connection made, what that gave to a run as an
 * input, and what tools would do in a run that it started. Its words are behind those calls, whatever they show; and a
 * client that has connected anew is known by its name.
 */
export function isOwnContent(
  { run, submittedBy, kind, content }: ShownGate,
  by: string,
  { made, given, runs }: Pick<Connection, 'made' | 'given' | 'runs'>,
): boolean {
  const isOwnRun = runs.has(run) || submittedBy === by;
  return (kind === 'tool' && isOwnRun) || isKnown(content, { made, given });
}

/**
 * Tells whether a gate is for a person, and not for the client `by`: in a run that the client started itself all are
 * that do not name it among their approvers, whatever is decided; elsewhere what the autonomy wants a person for, and
 * what shows its own words, unless it takes them back.
 */
export function isForPerson(
  {
    approvers,
    people,
    decision,
    ...shown
  }: ShownGate & Pick<Gate, 'approvers' | 'people'> & Pick<Decision, 'decision'>,
  by: string,
  connection: Pick<Connection, 'made' | 'given' | 'runs'>,
): boolean {
  const isOwnRun = connection.runs.has(shown.run) || shown.submittedBy === by;
  // To take back what its own agents want to do is no answer to what a person is asked.
  if (isOwnRun && shown.kind !== 'tool' && approvers?.includes(by) !== true) return true;
  return decision !== 'reject' && (people === true || isOwnContent(shown, by, connection));
}

/** All texts in a value, and all else in it as JSON, by which what shows one of them is known. */
export function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value.trim()];
  const parts = typeof value === 'object' && value !== null ? Object.values(value) : [];
  return [canonicalJson(value), ...parts.flatMap(textsIn)];
}

/**
 * What the client `by` gave to runs: in this connection, and to the run that a gate is in where a connection before has
 * started that.
 */
export async function givenBy(
  by: string,
  { submittedBy, input }: { submittedBy: string | null; input: Record<string, Value> },
  { given, store }: Pick<Connection, 'given'> & { store: Pick<Store, 'get'> },
): Promise<Set<string>> {
  if (submittedBy !== by) return given;
  const inputs = await Promise.all(Object.values(input).map((value) => loadValue(value, store)));
  return new Set([...given, ...inputs.flatMap(textsIn)]);
}

function isKnown(
  content: Pick<GateContent, 'text'> | null,
  { made, given }: Pick<Connection, 'made' | 'given'>,
): boolean {
  if (content === null) return false;
  const text = content.text.trim();
  return (
    given.has(text) ||
    given.has(asJson(text)) ||
    (['agent', 'workflow', 'tool'] as const).some((kind) =>
      made.all(kind).some((one) => text.includes(one.text.trim())),
    )
  );
}

/** The JSON of a text that is some, as it is known by; any other text as it is. */
function asJson(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text;
  }
}
