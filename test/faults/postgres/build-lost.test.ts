// @module-tag postgres
// @module-tag git
// @module-tag sandbox
// @seconds 40
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { COUNTER, COUNTER_SPEC, mendCounter, team } from '../../definitions/counter-build.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { FULL, random } from '../seed.js';
import type { Shared } from './machines.js';
import { endOf, openShared } from './machines.js';
import { begin, openPair } from './pair.js';

const draw = random('build lost');

let shared: Shared;
beforeAll(async () => {
  shared = await openShared();
});
afterAll(() => shared.close());

/** Questions of a build: the plan, three tasks with two each, two reviews, and two times mending. */
const REQUESTS = 13;

it.each(FULL ? [2, 4, 6, 8, 10, 12] : [2 + Math.floor(draw() * (REQUESTS - 2))])(
  'a build whose machine is gone, with its checkout, at question %i comes to the same files and asks one more at most',
  async (moment) => {
    const voices = team(1, mendCounter);
    const endpoint = await startModelEndpoint((request) => {
      const voice = Object.keys(voices).find((words) => request.system.includes(words));
      return (voice === undefined ? undefined : voices[voice]?.(request)) ?? { status: 400, message: 'nobody' };
    });
    onTestFinished(() => endpoint.close());
    const spec = JSON.stringify({ ...COUNTER_SPEC, workflow: { approve_plan: false } });
    const pair = await openPair(shared, { 'definitions/builds/counter.yml': spec }, endpoint);
    await begin(pair, 'build', 'definitions/builds/counter.yml');
    await endpoint.arrival(moment);
    const left = await pair.lose();
    const { status, output } = await endOf(left, pair.run);
    expect([moment, status]).toEqual([moment, 'success']);
    expect(output).toMatchObject({ tests: { ok: true, passed: 1, failed: 0 } });
    expect((await left.run('workspace', 'export', pair.run, 'result')).code).toBe(0);
    expect(readFileSync(join(left.folder, 'result', 'counter.js'), 'utf8')).toBe(COUNTER(1));
    expect(endpoint.requests.length).toBeLessThanOrEqual(REQUESTS + 1);
  },
);
