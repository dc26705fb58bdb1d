/** How traces name what happened, in the form of W3C Trace Context: `00-<trace>-<span>-<flags>`. */

/** The trace of a tree of runs, settled at submit. */
export interface TraceSettings {
  /** 32 hexadecimal digits. */
  id: string;
  /** The span that the submitting command was part of: 16 hexadecimal digits. */
  parent?: string;
}

/** What a `traceparent` says. */
export interface TraceParent extends Required<TraceSettings> {
  /** Whether the trace is recorded. */
  sampled: boolean;
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads a `traceparent`; null for what is none. Of a later version the known part counts, as its standard says. */
export function readTraceParent(text: string | undefined): TraceParent | null {
  const [, version, id = '', parent = '', flags = '', rest] = FORM.exec(text?.trim() ?? '') ?? [];
  if (version === undefined || version === 'ff' || /^0+$/.test(id) || /^0+$/.test(parent)) return null;
  if (version === '00' && rest !== undefined) return null;
  return { id, parent, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** The `traceparent` that makes a span of this trace the parent of what others record. */
export function traceParent(trace: string, span: string): string {
  return `00-${trace}-${span}-01`;
}
