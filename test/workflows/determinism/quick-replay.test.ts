// @seconds 10
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { foreach, many, script, set, single, whole } from '../../plan/helpers/build-blocks.js';
import { after, commandStep, plan } from '../../plan/helpers/build-plan.js';
import { approval, createPeople } from '../helpers/gate-setting.js';
import { harnessOfFile } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';

const harness = await harnessOfFile();
const people = createPeople(harness);

/** Hundredths of a second that an item's first step takes: what starts first does not end first. */
const DELAYS = Array.from({ length: 40 }, (_, index) => (index * 7) % 10);

describe('a run that waits for a long step before it continues as new', () => {
  it('goes on with a worker that replays what it did', async () => {
    const go = join(harness.folder, 'go');
    const list = Array.from({ length: 900 }, (_, index) => index);
    const long = commandStep(0, ['sh', '-c', 'until [ -e "$0" ]; do sleep 0.05; done', go]);
    const made = plan(
      [long, foreach(1, { kind: 'literal', value: list }, single(set(0, { n: whole('item') })), { id: 'each' })],
      { output: whole('step:1.output') },
    );
    const leave = await harness.work('second');
    const handle = await harness.start(made, { taskQueue: 'second' });
    const written = async (): Promise<number> =>
      (await harness.events(handle.workflowId)).filter(({ type }) => type === 'markerRecorded').length;
    // As many as one link takes.
    await expect.poll(written).toBeGreaterThanOrEqual(500);
    await leave();
    onTestFinished(await harness.work('second'));
    await writeFile(go, '');
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(list.map((n) => ({ n })));
    const links = await linksOf(harness, handle);
    expect(links.length).toBeGreaterThan(1);
  });
});

describe('quick steps of a foreach that end in another order than they started in', () => {
  it('keep their own results when another worker replays the run', async () => {
    const item = many([
      script(0, 'sleep "0.$1"; echo "$2"', [whole('item'), whole('index')]),
      script(1, 'echo "$1 of $2"', [whole('step:0.output'), whole('index')], { needs: after(0) }),
    ]);
    const made = plan(
      [
        foreach(0, { kind: 'literal', value: DELAYS.map((delay) => `0${delay}`) }, item, { id: 'each' }),
        approval(1, { id: 'ok', needs: after(0) }),
      ],
      { output: whole('step:0.output') },
    );
    const leave = await harness.work('first');
    const handle = await harness.start(made, { taskQueue: 'first' });
    await people.gate(handle.workflowId);
    await leave();
    onTestFinished(await harness.work('first'));
    await people.say(handle.workflowId, 'ana');
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(DELAYS.map((_, index) => `${index} of ${index}`));
    expect((await harness.events(handle.workflowId)).filter(({ type }) => type === 'workflowTaskFailed')).toEqual([]);
  });
});
