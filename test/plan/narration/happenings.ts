import type { Happening, HappeningKind } from '../../../src/plan/narration/happening.js';

/** Something that happened to an agent's task. */
export function happening(kind: HappeningKind, more: Partial<Happening> = {}): Happening {
  const task = more.task ?? 'a';
  return { kind, task, path: task, name: 'Set up', agent: 'Bo', at: 0, text: '', about: { step: 'agent' }, ...more };
}
