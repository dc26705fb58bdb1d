// @seconds 20
// @module-tag sandbox
// @module-tag python3
import { readFileSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, onTestFinished } from 'vitest';
import { runProcess } from '../../../src/activities/processes/groups/process-group.js';
import { IN_SANDBOX, enclose, findSandbox, started } from '../../../src/activities/tools/shell/sandbox.js';
import { withLauncher } from '../../activities/helpers/launched.js';

/** Leaves so many processes, none of which holds its output, that their end takes the kernel longer than its own. */
const LEAVES = `
import os, time
heard, tells = os.pipe()
for n in range(1000):
    if os.fork() == 0:
        os.setsid()
        for fd in range(3): os.close(fd)
        os.write(tells, b'x')
        os.close(tells)
        time.sleep(60)
ready = 0
while ready < 1000: ready += len(os.read(heard, 1000))
`;
const TIMES = 8;

/** How many processes have this text in their environment, which one that has ended has not. */
function alive(mark: string): number {
  return readdirSync('/proc').filter((name) => {
    try {
      return /^\d+$/.test(name) && readFileSync(`/proc/${name}/environ`, 'latin1').includes(mark);
    } catch {
      return false; // gone meanwhile
    }
  }).length;
}

it.each(['this process', 'the launcher'])('is over with a program of %s, however much that leaves', async (starter) => {
  if (starter === 'the launcher') onTestFinished(await withLauncher());
  const sandbox = await findSandbox();
  if (sandbox === null) throw new Error('Expected a sandbox');
  const path = '/usr/bin:/bin';
  const left: number[] = [];
  for (let time = 0; time < TIMES; time += 1) {
    const mark = `LEFT_BEHIND=${process.pid}.${time}`;
    const words = [...enclose(sandbox, { cwd: '/', path, network: false, mounts: [] }), 'python3', '-c', LEAVES];
    const end = await runProcess({
      ...started(sandbox, words),
      ...IN_SANDBOX,
      cwd: tmpdir(),
      env: { PATH: path, LEFT_BEHIND: `${process.pid}.${time}` },
      stdin: null,
      signal: new AbortController().signal,
      onStdout: () => undefined,
      onStderr: () => undefined,
      killRest: () => Promise.resolve(),
    });
    left.push(alive(mark));
    expect(end).toEqual({ code: 0, signal: null });
  }
  expect(left).toEqual(left.map(() => 0));
});
