import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/local-store.js';
import { temporaryFolder } from '../store/helpers/harness.js';

const WRITER = fileURLToPath(new URL('./journal-writer.mjs', import.meta.url));
const TIMES = 2000;

/**
 * A process that is about to write; `begin` lets it, and gives what it has begun when it has ended, null when killed.
 */
async function writer(options: { state: string; times: number; dieAt?: number }) {
  const child = spawn(process.execPath, [WRITER, JSON.stringify(options)], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = once(child, 'exit');
  await lines.next();
  return {
    async begin(): Promise<string[] | null> {
      child.stdin.write('go\n');
      const { value, done } = await lines.next();
      await ended;
      return done === true ? null : (JSON.parse(value) as string[]);
    },
  };
}

async function sumIn(state: string): Promise<unknown> {
  const store = await openStore(state);
  return (await store.readJournal({ scope: 'run', key: 'sum' }))?.response;
}

describe('two processes that write one journal', () => {
  it('lose nothing of what both merge, and begin each key once', async () => {
    const state = await temporaryFolder();
    const both = await Promise.all([1, 2].map(() => writer({ state, times: TIMES })));
    const [first, second] = await Promise.all(both.map((one) => one.begin()));
    expect(await sumIn(state)).toBe(2 * TIMES);
    const begun = [...(first ?? []), ...(second ?? [])];
    expect(begun).toHaveLength(TIMES);
    expect(new Set(begun).size).toBe(TIMES);
  });

  it('wait for none that was killed', async () => {
    const state = await temporaryFolder();
    const killed = await writer({ state, times: TIMES, dieAt: TIMES / 2 });
    const other = await writer({ state, times: TIMES });
    const [none, begun] = await Promise.all([killed.begin(), other.begin()]);
    expect(none).toBeNull();
    expect(begun?.length).toBeGreaterThanOrEqual(TIMES / 2);
    expect(await sumIn(state)).toBe(TIMES + TIMES / 2);
  });
});
