import { traceParent } from '../../plan/telemetry/trace.js';
import { canonicalJson } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import type { JournalKey } from '../../store/journal/entry.js';
import type { StepCall } from '../contract.js';

/**
 * The id of a span: 16 hexadecimal digits, which follow from what the span is of. Whoever starts a command and whoever
 * sends the trace when the run has ended name it alike, over all kills. `scope` is that of the step's journal.
 */
export function spanId(scope: string, parts: (string | number)[]): string {
  return sha256(canonicalJson([scope, ...parts])).slice('sha256:'.length, 'sha256:'.length + 16);
}

/** What the spans of a tree are of. The path is that below the root run; empty for the root. */
export const spanParts = {
  run: (path: string): string[] => ['run', path],
  step: (path: string): string[] => ['step', path],
  round: (path: string): string[] => ['round', path],
  /** A key of the journal tells all else: a turn, a question to a model, a call of a tool. */
  journalled: (key: (string | number)[]): (string | number)[] => ['journal', ...key],
};

/** The context that a command or a server of tools gets; null where the run is not traced. */
export function contextFor({ root, trace }: StepCall, parts: (string | number)[]): string | null {
  return trace === undefined ? null : traceParent(trace, spanId(root.first, parts));
}

/** The same as a variable of the environment, as OpenTelemetry names it. */
export function tracedEnvironment(call: StepCall, parts: (string | number)[]): { TRACEPARENT?: string } {
  const context = contextFor(call, parts);
  return context === null ? {} : { TRACEPARENT: context };
}

/** The same for a call of a tool, by its key in the journal. */
export function tracedCall(call: StepCall, { key }: JournalKey): { traceparent?: string } {
  // canonical JSON of such a list
  const context = contextFor(call, spanParts.journalled(JSON.parse(key) as (string | number)[]));
  return context === null ? {} : { traceparent: context };
}
