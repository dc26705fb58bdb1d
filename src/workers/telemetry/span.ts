/** What an attribute may be. */
export type Attribute = string | number | boolean | string[];

/** One span, before it is written in a protocol. Times are epoch milliseconds. */
export interface Span {
  /** 16 hexadecimal digits. */
  id: string;
  /** Likewise; null for the first of a trace. */
  parent: string | null;
  name: string;
  kind: 'internal' | 'client';
  start: number;
  end: number;
  attributes: Record<string, Attribute>;
  /** Why it failed, in one word; absent where it did not. */
  failure?: string;
}
