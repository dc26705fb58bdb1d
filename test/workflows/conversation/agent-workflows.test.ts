import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Answer, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { harnessOfFile } from '../helpers/harness.js';
import { PERMISSIONS, models, talking } from '../helpers/conversing.js';
import { viewOf } from '../helpers/viewing.js';

const harness = await harnessOfFile({ ANTHROPIC_API_KEY: 'test-key' });

const definition = {
  execution: 'parallel',
  output: '${steps.first.output} and ${steps.second.output}',
  steps: [
    { id: 'first', agent: 'reader', prompt: 'First' },
    { id: 'second', agent: 'reader', prompt: 'Second' },
  ],
};
const TURNS = [
  { tools: [{ name: 'workflow_create', input: { name: 'review', definition } }] },
  { tools: [{ name: 'review', input: {} }] },
];

it.each<[string, string, (prompt: string) => Answer]>([
  ['failed', 'The workflow failed: ', () => ({ status: 400 })],
  [
    'came to a part only',
    'It came to a part only. What failed in it:\nsecond: ',
    (prompt) => (prompt.includes('Second') ? { status: 400 } : { text: 'one' }),
  ],
])(
  'an agent is told that a workflow that it started %s, and its run is `partial` for that',
  async (_how, told, answer) => {
    const heard: RecordedRequest[] = [];
    const endpoint = await startModelEndpoint((request) => {
      if (!request.system.includes('You work.')) return answer(request.prompt);
      heard.push(request);
      return TURNS[heard.length - 1] ?? { text: 'well' };
    });
    const workspace = join(harness.folder, `of-agents-${_how.length}`);
    await mkdir(join(workspace, 'definitions/agents'), { recursive: true });
    await writeFile(join(workspace, 'perdure.yml'), '');
    await writeFile(
      join(workspace, 'definitions/agents/reader.yml'),
      'name: reader\nprompt: You read.\ntools: [read_file]\n',
    );
    const uses = [
      {
        kind: 'maker' as const,
        name: 'workflow_create' as const,
        rules: { kinds: ['agent' as const], budgets: { ...NO_BUDGETS, max_steps: 10 } },
      },
      { kind: 'builtin' as const, name: 'read_file' as const },
    ];
    const handle = await harness.start(talking({ uses, permissions: { ...PERMISSIONS, allow: ['make'] } }), {
      settings: models(endpoint.url, workspace),
    });
    const outcome = await handle.result();
    await endpoint.close();
    expect(
      heard
        .at(-1)
        ?.results.last.map(({ text }) => text)
        .join(''),
    ).toContain(told);
    const why = expect.stringContaining('1 workflow that it started failed in whole or in part') as string;
    expect(outcome).toMatchObject({ status: 'partial', error: why });
    expect((await harness.results(outcome))['work']).toMatchObject({ status: 'success', partial: why });
    expect((await viewOf(harness, handle.workflowId)).steps[0]?.result?.partial).toEqual(why);
  },
);
