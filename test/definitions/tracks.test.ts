// @module-tag avrdude
// @module-tag arduino
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { closeBoards, boardFor } from '../devices/boards.js';
import { endOf, startFlow } from '../devices/flow.js';
import { until } from '../faults/project.js';
import { createPeople } from '../workflows/helpers/gate-setting.js';
import type { Harness } from '../workflows/helpers/harness.js';
import { openHarness } from '../workflows/helpers/harness.js';

closeBoards();

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(async () => {
  await harness.close();
});

const shipped = (...path: string[]): Promise<string> => readFile(join(packageRoot(), 'definitions', ...path), 'utf8');

describe("'flash-tracks'", () => {
  it('flashes each board once its own gate says that it is ready, whatever the other waits for', async () => {
    const boards = { left: await boardFor('', { idle: false }), right: await boardFor('', { idle: false }) };
    const { execution, steps, output } = parse(await shipped('workflows', 'flash-tracks.yml')) as {
      execution: 'dag';
      steps: unknown[];
      output: string;
    }; // shipped, and compiled below
    const people = createPeople(harness);
    const run = await startFlow(harness, {
      devices: {
        left: { port: `net:127.0.0.1:${boards.left.port}` },
        right: { port: `net:127.0.0.1:${boards.right.port}` },
      },
      execution,
      steps,
      output,
      files: { 'definitions/sketches/Blink.ino': await shipped('sketches', 'Blink.ino') },
    });
    const gates = await people.open(run.workflowId, 2);
    expect(gates.map(({ path, kind }) => [path, kind]).sort()).toEqual([
      ['flash_left', 'ready'],
      ['flash_right', 'ready'],
    ]);
    const approve = async (path: string): Promise<void> => {
      const { hash = 'sha256:' } = gates.find((gate) => gate.path === path) ?? {};
      await people.decide(run.workflowId, { gate: path, decision: 'approve', hash, by: 'ana' });
    };
    await approve('flash_right');
    await until(() => boards.right.flash[0] !== 0xff);
    expect(boards.left.flash.every((byte) => byte === 0xff)).toBe(true);
    await approve('flash_left');
    const { outcome } = await endOf(harness, run);
    expect(await harness.json(outcome.output)).toBe('left: tick 1, right: tick 1');
    expect(boards.left.flash).toEqual(boards.right.flash);
  });
});
