// A process that adds to a journal beside others: `node journal-writer.mjs OPTIONS`, where OPTIONS is JSON
// {state, times, dieAt}. It waits for a line on its input, so that several begin at once, and then merges one into the
// entry `sum` and begins `effect 0`, `effect 1`, … so many times. It prints the keys that it has begun. Before its
// merge number `dieAt` it kills itself with -9.
import { once } from 'node:events';
import { openStore } from '../../dist/store/local-store.js';

const { state, times, dieAt } = JSON.parse(process.argv[2]);
const store = await openStore(state);
const at = '2026-01-01T00:00:00.000Z';
const begun = [];
process.stdout.write('ready\n');
await once(process.stdin, 'data');
for (let number = 0; number < times; number += 1) {
  if (number === dieAt) process.kill(process.pid, 'SIGKILL');
  await store.mergeJournal({ scope: 'run', key: 'sum' }, (before) => ({
    request: 'sha256:sum',
    response: (before?.response ?? 0) + 1,
    at,
  }));
  const key = `effect ${String(number)}`;
  if (await store.beginOnce({ scope: 'run', key }, { request: 'sha256:effect', response: null, at })) begun.push(key);
}
process.stdout.write(`${JSON.stringify(begun)}\n`);
process.exit(0);
