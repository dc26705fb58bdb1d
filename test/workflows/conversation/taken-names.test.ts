import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Json } from '../../../src/plan/values/json.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Answer } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { FILES, PERMISSIONS, models, talking } from '../helpers/conversing.js';
import { sendDecision } from '../helpers/updating.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
});
afterAll(async () => {
  await harness.close();
});

const MAKERS: Tool[] = [
  { kind: 'maker', name: 'agent_create', folder: 'generated' },
  { kind: 'maker', name: 'agent_call' },
  { kind: 'maker', name: 'tool_create' },
  { kind: 'maker', name: 'workflow_create', rules: { kinds: ['agent'], budgets: { ...NO_BUDGETS, max_steps: 10 } } },
];
const AGENT = { instructions: 'You judge.', description: 'Judges.' };
const TOOL = {
  description: 'Lists.',
  kind: 'command',
  inputs: { schema: { type: 'object' } },
  outputs: { format: 'text' },
  exec: { command: { entrypoint: 'sh', args: ['-c', 'ls'] } },
};
const FLOW = { description: 'Reads.', steps: [{ agent: 'reader', prompt: 'Read.' }] };

/**
 * What an agent is told that makes these calls in one turn; a person, where one is asked, approves whatever is shown.
 * Each call is asked about once at most.
 */
async function told(tools: { name: string; input: unknown }[], asks: boolean): Promise<{ said: Json; gates: number }> {
  const endpoint = await startModelEndpoint(({ results, system }): Answer => {
    if (!system.includes('You work.')) return { text: 'GO' };
    return results.count === 0
      ? { tools }
      : {
          text: results.last
            .map(
              ({ text, is_error }) =>
                `${is_error ? 'failed: ' : ''}${text.replace(/<\/?glee:context[^>]*>\n?/g, '').trim()}`,
            )
            .join(' | '),
        };
  });
  const folder = join(harness.folder, `names-${endpoint.url.split(':').at(-1) ?? ''}`);
  await mkdir(join(folder, 'definitions/agents'), { recursive: true });
  await writeFile(join(folder, 'perdure.yml'), '');
  await writeFile(join(folder, 'definitions/agents/reader.yml'), 'name: reader\nprompt: You read.\n');
  const permissions = asks ? PERMISSIONS : { ...PERMISSIONS, allow: ['make'] };
  const handle = await harness.start(talking({ uses: [...FILES, ...MAKERS], permissions }), {
    settings: models(endpoint.url, folder),
  });
  const seen = new Set<string>();
  for (;;) {
    const next = await until(async () => {
      const { memo, status } = await harness.client.workflow.getHandle(handle.workflowId).describe();
      return status.name === 'RUNNING'
        ? ((memo?.[MEMO.waiting] ?? []) as Gate[]).find(({ path }) => !seen.has(path))
        : 'over'; // the interpreter wrote it
    });
    if (next === 'over') break;
    seen.add(next.path);
    await sendDecision(handle, { gate: next.path, decision: 'approve', hash: next.hash, by: 'ana' });
  }
  const { output } = await handle.result();
  await endpoint.close();
  return { said: await harness.json(output), gates: seen.size };
}

describe.each([[true], [false]])('a name that is taken (a person is asked: %s)', (asks) => {
  it.each<[string, { name: string; input: unknown }[]]>([
    ['agent_create', ['judge', 'JUDGE'].map((name) => ({ name: 'agent_create', input: { ...AGENT, name } }))],
    ['tool_create', ['lister', 'lister'].map((name) => ({ name: 'tool_create', input: { name, definition: TOOL } }))],
    [
      'workflow_create',
      ['flow', 'flow'].map((name) => ({ name: 'workflow_create', input: { name, definition: FLOW } })),
    ],
    [
      'two makers',
      [
        { name: 'agent_create', input: { ...AGENT, name: 'both' } },
        { name: 'tool_create', input: { name: 'both', definition: TOOL } },
      ],
    ],
  ])('is for the model to hear that gives it twice in one turn, by %s', async (_what, calls) => {
    const { said, gates } = await told(calls, asks);
    expect(said).toMatch(/^\w+ \| failed: .*choose another name/);
    expect(gates).toBe(asks ? 1 : 0);
  });
});

it('what was made may be called in the same turn by agent_call, and by its name from the next one on', async () => {
  const input = { input: 'Judge it.' };
  const { said } = await told(
    [
      { name: 'agent_create', input: { ...AGENT, name: 'judge' } },
      { name: 'agent_call', input: { agent: 'judge', ...input } },
      { name: 'judge', input },
    ],
    false,
  );
  expect(said).toMatch(/^judge \| GO \| failed: `judge` was not there yet .*Call it again\.$/);
});

it('a workflow with a budget beyond its limit is refused when it is made', async () => {
  const { said } = await told(
    [{ name: 'workflow_create', input: { name: 'flow', definition: { ...FLOW, budgets: { max_steps: 50 } } } }],
    false,
  );
  expect(said).toMatch(/^failed: .*Expected `max_steps` of a workflow that is made to be at most 10, got `50`/);
});
