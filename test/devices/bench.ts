import type { Workbench } from '../../src/activities/devices/tool.js';

/** Where tools of boards run in a folder, for nobody's run; `said` takes what they write. */
export function benchIn(cwd: string, said: string[] = [], state: string | null = null): Workbench {
  return {
    owner: { store: 'none', run: 'test' },
    state,
    cwd,
    signal: new AbortController().signal,
    log: { write: (_stream, text) => void said.push(text), writeLast: () => undefined, close: async () => undefined },
  };
}
