import type { Decision, Gate } from '../../../src/plan/gates/gate.js';
import { inline } from '../../../src/plan/values/value.js';

export const SINCE = Date.parse('2026-01-01T00:00:00.000Z');
export const HASH = `sha256:${'a'.repeat(64)}` as const;
export const OTHER = `sha256:${'b'.repeat(64)}` as const;
export const STORED = { ref: OTHER, bytes: 9_000 } as const;
export const iso = (after: number): string => new Date(SINCE + after).toISOString();
export const gateWith = (more: Partial<Gate> = {}): Gate => ({
  path: 'ok',
  kind: 'approval',
  message: 'Save?',
  content: inline('text'),
  hash: HASH,
  fallback: 'abort',
  since: iso(0),
  ...more,
});
export const say = (decision: Decision['decision'], more: Partial<Decision> = {}): Decision => ({
  gate: 'ok',
  decision,
  hash: HASH,
  by: 'ana',
  ...more,
});
