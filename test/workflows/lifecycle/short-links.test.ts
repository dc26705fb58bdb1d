// @seconds 15
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { FULL, random } from '../../faults/seed.js';
import {
  foreach,
  literal,
  loop,
  many,
  reference,
  set,
  single,
  textOf,
  wait,
  whole,
} from '../../plan/helpers/build-blocks.js';
import { after, body, commandStep, plan, stepBase } from '../../plan/helpers/build-plan.js';
import { approval, createPeople } from '../helpers/gate-setting.js';
import { harnessOfFile } from '../helpers/harness.js';
import { linksOf } from '../helpers/links.js';
import { WORKER, agent, agentStep, models } from '../helpers/conversing.js';

const harness = await harnessOfFile({ ANTHROPIC_API_KEY: 'test-key' });

const LENGTHS = FULL
  ? Array.from({ length: 20 }, (_, index) => index + 1)
  : [5 + Math.floor(random('short links')() * 16)];

it.each(LENGTHS)(
  'a batch run hands over what all of its items came to, in links of %i steps',
  async (linkSteps) => {
    const count = 210;
    const leaf = body([set(0, { said: whole('input:text') })], { name: 'leaf' });
    const isFew = {
      kind: 'binary' as const,
      operator: '<' as const,
      left: { kind: 'reference' as const, root: 'item', path: [], source: '' },
      right: { kind: 'literal' as const, value: 3 },
    };
    const nested = {
      ...stepBase(1, { when: isFew, needs: [{ step: 0, skip: false }] }),
      kind: 'workflow' as const,
      workflow: 'leaf',
      plan: 'sha256:leaf' as const,
      inputs: { text: whole('item') },
    };
    const each = foreach(
      0,
      { kind: 'literal', value: Array.from({ length: count }, (_, index) => index) },
      many([set(0, { it: whole('item') }), nested], whole('step:0.output', 'it')),
      { id: 'each' },
    );
    const handle = await harness.start(plan([each], { nested: { 'sha256:leaf': leaf } }), { linkSteps });
    const outcome = await handle.result();
    expect(await harness.json(outcome.output)).toEqual(Array.from({ length: count }, (_, index) => index));
    expect((await harness.results(outcome))['each']).toMatchObject({
      status: 'success',
      note: `${count} of ${count} items`,
    });
  },
  600_000,
);

it.each([5, 8])('agents that start together come to their answers in links of %i steps', async (linkSteps) => {
  const agents = 8;
  const endpoint = await startModelEndpoint(({ results }) =>
    results.count < 2 ? { tools: [{ name: 'read_file', input: { path: 'one.txt' } }] } : { text: 'done' },
  );
  const workspace = join(harness.folder, `agents-${linkSteps}`);
  await mkdir(workspace);
  await writeFile(join(workspace, 'one.txt'), 'here');
  const each = foreach(
    0,
    { kind: 'literal', value: Array.from({ length: agents }, (_, index) => index) },
    single({ ...agentStep(0), prompt: literal('Do it.') }),
    { id: 'each' },
  );
  const handle = await harness.start(plan([each], { agents: { [WORKER]: agent() } }), {
    linkSteps,
    settings: models(endpoint.url, workspace),
  });
  const outcome = await handle.result();
  await endpoint.close();
  expect(await harness.json(outcome.output)).toEqual(Array(agents).fill('done'));
  expect(endpoint.requests).toHaveLength(3 * agents);
  // Each link has ended one of them, at least.
  expect((await linksOf(harness, handle)).length).toBeLessThanOrEqual(agents + 1);
});

it('a gate that stays open over links counts as one step of the budget', async () => {
  const people = createPeople(harness);
  const rounds = loop(
    1,
    { kind: 'binary', operator: '==', left: reference('index'), right: { kind: 'literal', value: 9 } },
    single(set(0, { n: whole('index') })),
    { max: 10 },
  );
  const handle = await harness.start(
    plan([approval(0, { id: 'ok' }), rounds, commandStep(2, ['true'], { needs: after(0), id: 'last' })]),
    { linkSteps: 2, lease: { steps: 2 } },
  );
  await expect.poll(async () => (await linksOf(harness, handle)).length).toBeGreaterThan(3);
  await people.say(handle.workflowId, 'ana');
  const outcome = await handle.result();
  expect(outcome).toMatchObject({ status: 'success', error: null, charged: { steps: 2 } });
});

it('a run with more to carry than the server takes goes on, and comes to its end', async () => {
  const text = 'x'.repeat(480);
  const chain = Array.from({ length: 45 }, (_, index) =>
    set(index, { v: literal(`${text}${index}`) }, { needs: after(...(index === 0 ? [] : [index - 1])) }),
  );
  const items = { kind: 'literal' as const, value: Array.from({ length: 100 }, (_, item) => item) };
  const each = foreach(
    0,
    items,
    many([
      ...chain,
      // All of them wait at once, with all that is behind them.
      wait(45, 2_000, { needs: after(44) }),
      set(46, { n: textOf(...chain.map(({ index }) => ({ root: `step:${index}.output` }))) }, { needs: after(45) }),
    ]),
    { max_parallel: 100 },
  );
  const handle = await harness.start(plan([each]), { linkSteps: 1_500 });
  expect(await handle.result()).toMatchObject({ status: 'success' });
  expect((await linksOf(harness, handle)).length).toBeGreaterThan(1);
});
