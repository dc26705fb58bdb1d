// @module-tag postgres
// @module-tag git
// @module-tag sandbox
// @seconds 100
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { kill, until } from '../project.js';
import { random } from '../seed.js';
import type { Shared } from './machines.js';
import { endOf, openShared, signalFolder } from './machines.js';
import { begin, openPair } from './pair.js';

const draw = random('holder stalls');

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

describe('a holder that stands still for longer than its lease', () => {
  it('is fenced: another does the step with the files as they were kept, and its own end is no more', async () => {
    const signals = signalFolder();
    const flow = `name: flow
workspace: worktree
steps:
  - id: kept
    command: [sh, -c, "echo kept > log.txt"]
    commit: Keep it
  - id: slow
    command: [sh, -c, "echo x >> log.txt; cd ${signals}; echo $$ >> at; while [ ! -e go ]; do sleep 0.1; done"]
    commit: Say it
    timeout: 10m
  - id: last
    command: [cat, log.txt]
`;
    const pair = await openPair(shared, { 'flow.yml': flow });
    const began = (): number =>
      (existsSync(join(signals, 'at')) ? readFileSync(join(signals, 'at'), 'utf8') : '').split('\n').length;
    await begin(pair, 'run', 'flow.yml');
    await until(() => began() === 2);
    const still = await pair.holder();
    const [stopped, left] = [pair.workers[still], pair.machines[still === 0 ? 1 : 0]];
    process.kill(stopped.pid, 'SIGSTOP');
    await until(() => began() === 3);
    writeFileSync(join(signals, 'go'), '');
    expect(await endOf(left, pair.run)).toMatchObject({ status: 'success', output: 'kept\nx' });
    const row = async (): Promise<unknown> =>
      shared.postgres.query(pair.url, 'select fence, state from perdure.workspaces');
    const before = await row();
    process.kill(stopped.pid, 'SIGCONT');
    await until(() => stopped.said().includes('taken for lost'));
    // It ends what it was at, as far as it may, before it ends.
    kill(stopped.pid, 'SIGTERM');
    expect((await stopped.finished).code).toBe(0);
    expect(await row()).toEqual(before);
    const diff = await left.run('workspace', 'diff', pair.run);
    expect(diff.stdout.match(/^\+x$/gm)).toHaveLength(1);
  });
});

describe('when PostgreSQL is killed while a tree is kept', () => {
  it('the step ends once it is back, and no file is lost', async () => {
    const signals = signalFolder();
    const step = (number: number): string => `  - id: s${number}
    command: [sh, made.sh, "${number}", "${signals}"]
`;
    const numbers = [1, 2, 3];
    const flow = `name: flow\nworkspace: worktree\nsteps:\n${numbers.map(step).join('')}  - id: last
    command: [sh, -c, "cat ${signals}/s* | sha256sum -c --quiet && echo same"]
`;
    const made = 'head -c 24000000 /dev/urandom > f$1; sha256sum f$1 > $2/s$1; touch $2/e$1\n';
    const pair = await openPair(shared, { 'flow.yml': flow, 'made.sh': made });
    await begin(pair, 'run', 'flow.yml');
    for (const number of numbers) {
      await until(() => existsSync(join(signals, `e${number}`)));
      const delay = Math.floor(draw() * 600);
      await new Promise((resolve) => setTimeout(resolve, delay)); // the random moment itself
      await shared.postgres.kill();
      await shared.postgres.start();
    }
    expect(await endOf(pair.machines[1], pair.run)).toMatchObject({ status: 'success', output: 'same' });
    expect(await pair.machines[1].run('store', 'verify')).toMatchObject({ code: 0 });
  });
});
