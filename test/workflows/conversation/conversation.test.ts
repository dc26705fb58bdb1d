// @module-tag sandbox
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WorkflowFailedError } from '@temporalio/client';
import type { Json } from '../../../src/plan/values/json.js';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { Answer, RecordedRequest, Script } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { record } from '../../replay/record.js';
import type { Harness, StartOptions } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';
import { agent, models, talking } from '../helpers/conversing.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
});
afterAll(async () => {
  await harness.close();
});

interface Told {
  outcome: RunOutcome | null;
  error: string | null;
  output: Json;
  requests: RecordedRequest[];
  workspace: string;
}

let folders = 0;

/** Runs a plan against a scripted model in a workspace of its own. */
async function run(
  plan: ReturnType<typeof talking>,
  script: Script,
  { settings, ...options }: StartOptions = {},
): Promise<Told> {
  const endpoint = await startModelEndpoint(script);
  const workspace = join(harness.folder, `workspace-${(folders += 1)}`);
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), 'first\nsecond\n');
  try {
    const handle = await harness.start(plan, { ...options, settings: models(endpoint.url, workspace, settings) });
    const ended = await handle.result().catch((error: unknown) => error);
    const outcome = ended instanceof WorkflowFailedError ? outcomeOf(ended) : (ended as RunOutcome);
    return {
      outcome,
      error: outcome?.error ?? null,
      output: outcome === null ? null : await harness.json(outcome.output),
      requests: endpoint.requests,
      workspace,
    };
  } finally {
    await endpoint.close();
  }
}

function outcomeOf({ cause }: WorkflowFailedError): RunOutcome | null {
  // the detail of a failed run
  return ((cause as { details?: unknown[] } | undefined)?.details?.[0] as RunOutcome | undefined) ?? null;
}

const toolsOf = (answer: Answer) => ('tools' in answer ? answer.tools : []);
const read = (path: string): Answer => ({ tools: [{ name: 'read_file', input: { path } }] });

describe('an agent with tools', () => {
  it('calls them and answers with what they gave, each turn told all that came before', async () => {
    const { outcome, output, requests, error } = await run(talking(), [
      read('a.txt'),
      ({ results }) => ({ text: `it says ${results.last[0]?.text.includes('second')}` }),
    ]);
    expect(error).toBeNull();
    expect(output).toBe('it says true');
    expect(outcome?.spend).toMatchObject({ tokens: 30, steps: 1 });
    expect(requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', name: 'read_file' }] },
      { role: 'user', content: [{ type: 'tool_result', cache_control: { type: 'ephemeral' } }] },
    ]);
    expect(requests[1]?.body['tools']).toEqual(requests[0]?.body['tools']);
    expect(requests[1]?.body['system']).toEqual(requests[0]?.body['system']);
  });

  it('has calls that only look made by one local activity, and hears the same as of single ones', async () => {
    const look = (name: string, input: Json) => ({ name, input });
    const script = (): Script => {
      let turn = 0;
      return ({ results }) => {
        turn += 1;
        if (turn > 1) return { text: JSON.stringify(results.last) };
        return {
          tools: [
            look('read_file', { path: 'a.txt' }),
            look('read_file', { path: 'none.txt' }),
            look('read_file', { path: '../out.txt' }),
            look('list_files', { path: '.' }),
            look('read_file', { wrong: true }),
            look('write_file', { path: 'b.txt', content: 'b' }),
            look('read_file', { path: 'b.txt' }),
          ],
        };
      };
    };
    const together = await run(talking(), script(), { id: 'together' });
    const apart = await run(talking(), script(), { id: 'apart', looksBefore: true });
    expect(together.output).toEqual(apart.output);
    expect(JSON.parse(String(together.output))).toMatchObject([
      { text: expect.stringContaining('second'), is_error: false },
      { text: expect.stringContaining('none.txt'), is_error: true },
      { text: expect.stringContaining('outside'), is_error: true },
      { text: expect.stringContaining('a.txt'), is_error: false },
      { is_error: true },
      { text: expect.stringContaining('b.txt'), is_error: false },
      { text: expect.stringContaining('b'), is_error: false },
    ]);
    await record('calls-together', await harness.client.workflow.getHandle('together').fetchHistory());
    const markers = async (id: string): Promise<number> =>
      (await harness.events(id)).filter(({ type }) => type === 'markerRecorded').length;
    expect([await markers('together'), await markers('apart')]).toEqual([4, 6]);
  });

  it.each(['openai', 'ollama'] as const)(
    'calls them through %s as well, with each result told to its call',
    async (provider) => {
      const endpoint = await startModelEndpoint(({ results }) =>
        results.count === 0
          ? { text: 'I look.', tools: [...toolsOf(read('a.txt')), ...toolsOf(read('none.txt'))] }
          : { text: `${results.count} results` },
      );
      const { output, error, requests } = await run(talking(), () => ({ status: 500 }), {
        settings: {
          models: {
            '': {
              provider,
              model: 'tiny',
              base_url: provider === 'openai' ? `${endpoint.url}/v1` : endpoint.url,
              price: null,
            },
          },
        },
      });
      expect([error, output, requests]).toEqual([null, '2 results', []]);
      const [first, second] = endpoint.requests.map(
        ({ body }) =>
          body as {
            tools: unknown;
            messages: { role: string; content: string; tool_calls?: { id?: string }[]; tool_call_id?: string }[];
          },
      );
      expect(second?.tools).toEqual(first?.tools);
      expect(second?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'tool']);
      expect(second?.messages.slice(3).map(({ content }) => content.includes('second'))).toEqual([true, false]);
      expect(second?.messages.slice(3).map(({ tool_call_id }) => tool_call_id)).toEqual(
        second?.messages[2]?.tool_calls?.map(({ id }) => id),
      );
      await endpoint.close();
    },
  );

  it('goes on by itself where its provider paused in the middle of an answer, in the same turn', async () => {
    const { output, outcome, requests } = await run(talking(), [
      { text: 'I search.', stop: 'pause_turn' },
      ({ messages }) => ({ text: messages.map(({ role, text }) => `${role}: ${text}`).at(-1) ?? '' }),
    ]);
    expect(output).toBe('I search.assistant: I search.');
    expect(outcome?.spend.tokens).toBe(30);
    expect(requests).toHaveLength(2);
  });

  it('has said before a pause what it said, whatever follows, and is sent it back as it came', async () => {
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } };
    const { output, requests } = await run(talking(), [
      { text: 'First. ', stop: 'pause_turn', served: [use] },
      { text: 'Second. ', stop: 'pause_turn' },
      { text: 'Third.' },
    ]);
    expect(output).toBe('First. Second. Third.');
    expect(requests[1]?.body['messages']).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'text', text: 'First. ' }, use] },
    ]);
    const schema = {
      type: 'object',
      properties: { lines: { type: 'number' } },
      required: ['lines'],
      additionalProperties: false,
    };
    expect(
      (await run(talking({}, { schema }), [{ text: 'I search.', stop: 'pause_turn' }, { text: '{"lines": 2}' }]))
        .output,
    ).toEqual({ lines: 2 });
    expect(
      (await run(talking({}, { schema }), [{ text: '{"lines"', stop: 'pause_turn' }, { text: ': 2}' }])).output,
    ).toEqual({ lines: 2 });
    // A turn that ends in calls is no answer yet.
    expect(
      (await run(talking(), [{ text: 'Before. ', stop: 'pause_turn' }, read('a.txt'), { text: 'After.' }])).output,
    ).toBe('After.');
  });

  it.each(['anthropic', 'openai', 'ollama'] as const)(
    'hears of arguments that are no JSON from %s, and goes on',
    async (provider) => {
      const broken = { name: 'read_file', input: null, raw: '{"path": "a.txt' };
      const endpoint = await startModelEndpoint(({ results }) =>
        results.count === 0
          ? { tools: [broken, ...toolsOf(read('a.txt'))] }
          : results.count === 2
            ? read('a.txt')
            : { text: 'done' },
      );
      const { output, error, outcome } = await run(talking(), [], {
        settings: {
          models: {
            '': {
              provider,
              model: 'tiny',
              base_url: provider === 'openai' ? `${endpoint.url}/v1` : endpoint.url,
              price: null,
            },
          },
        },
      });
      expect([error, output, endpoint.requests.length]).toEqual([null, 'done', 3]);
      const told = JSON.stringify(endpoint.requests[1]?.body['messages']);
      expect([told.includes('The arguments are no JSON'), told.includes('second')]).toEqual([true, true]);
      expect(outcome?.spend.tokens).toBe(45);
      // The provider takes objects only.
      expect(told).toContain('INVALID_JSON');
      await endpoint.close();
    },
  );

  it('hears of a call that Ollama cannot read, and goes on; again and again it ends with the truth', async () => {
    const broken: Answer = {
      failAfter: 'I look.',
      kind: 'api_error',
      message: 'error parsing tool call: raw=\'{"path": \', err=unexpected end of JSON input',
    };
    const at = (url: string) => ({
      settings: { models: { '': { provider: 'ollama' as const, model: 'tiny', base_url: url, price: null } } },
    });
    const endpoint = await startModelEndpoint([broken, read('a.txt'), { text: 'done' }, broken, broken, broken]);
    expect((await run(talking(), [], at(endpoint.url))).output).toBe('done');
    expect(endpoint.requests[1]?.prompt).toMatch(/^Your call could not be read: .*Make the call again/s);
    expect((await run(talking(), [], at(endpoint.url))).error).toMatch(
      /calls that cannot be read, again and again: error parsing/,
    );
    await endpoint.close();
  });

  it('that only ever makes calls which cannot be made fails with the truth', async () => {
    const { outcome } = await run(talking({ max_turns: 3 }), () => ({
      tools: [{ name: 'read_file', input: null, raw: '{' }],
    }));
    expect(outcome).toMatchObject({
      status: 'error',
      error: expect.stringContaining('None of the calls of its last 3 turns could be made') as string,
    });
  });

  it('makes several calls of one turn, and changes the workspace', async () => {
    const writes = [1, 2, 3].map((number) => ({
      name: 'write_file',
      input: { path: `out/${number}.txt`, content: `${number}\n` },
    }));
    const { output, workspace } = await run(talking(), [
      { tools: writes },
      ({ results }) => ({ text: String(results.last.filter(({ is_error }) => !is_error).length) }),
    ]);
    expect(output).toBe('3');
    expect(await readFile(join(workspace, 'out/3.txt'), 'utf8')).toBe('3\n');
  });

  it('runs commands', async () => {
    const { output } = await run(talking(), [
      { tools: [{ name: 'shell', input: { argv: ['sh', '-c', 'wc -l < a.txt'] } }] },
      ({ results }) => ({ text: results.last[0]?.text ?? '' }),
    ]);
    expect(output).toMatch(/2/);
  });

  it.each<[string, Answer, RegExp]>([
    ['a tool that it does not have', { tools: [{ name: 'fly', input: {} }] }, /no tool `fly`/],
    ['arguments that do not fit', { tools: [{ name: 'read_file', input: { file: 'a.txt' } }] }, /do not fit/],
    ['a path out of the workspace', read('../secret'), /[Nn]ot allowed.*outside/],
    ['a file that is not there', read('b.txt'), /b\.txt/],
  ])('is told about %s, and goes on', async (_what, call, expected) => {
    const { output } = await run(talking(), [
      call,
      ({ results }) => ({ text: `${results.last[0]?.is_error} ${results.last[0]?.text}` }),
    ]);
    expect(output).toMatch(/^true/);
    expect(output).toMatch(expected);
  });

  it('that is not done after `max_turns` fails so, with what it spent', async () => {
    const { outcome, requests } = await run(talking({ max_turns: 3 }), () => read('a.txt'));
    expect(outcome).toMatchObject({
      status: 'error',
      error: expect.stringContaining('`max_turns`') as string,
      spend: { tokens: 45 },
    });
    expect(requests).toHaveLength(3);
  });

  it('that a limit of the run ends has not failed by itself: the run is partial, with what it has done', async () => {
    const { outcome, requests } = await run(talking(), [{ ...read('a.txt'), usage: { input: 300_000, output: 1 } }], {
      lease: { tokens: 200_000 },
    });
    expect(outcome).toMatchObject({ status: 'partial', error: expect.stringMatching(/^max_tokens: /) as string });
    expect(requests).toHaveLength(1);
  });

  it.each([
    ['max_tokens', /limit of 5 tokens/],
    ['refusal', /refuses/],
    ['model_context_window_exceeded', /context window/],
  ])('that stops with %s fails so', async (stop, expected) => {
    const { error } = await run(talking(), [read('a.txt'), { text: 'no', stop }]);
    expect(error).toMatch(expected);
  });

  it('answers with JSON that fits its schema, and is asked again where it does not', async () => {
    const schema = {
      type: 'object',
      properties: { lines: { type: 'number' } },
      required: ['lines'],
      additionalProperties: false,
    };
    const { output, requests } = await run(talking({}, { schema }), [
      read('a.txt'),
      { text: '{"lines": "two"}' },
      { text: '{"lines": 2}' },
    ]);
    expect(output).toEqual({ lines: 2 });
    expect(requests[2]?.prompt).toContain('must be number');
    expect(requests.map((request) => request.schema !== undefined)).toEqual([true, true, true]);
  });

  it('asks another agent as a tool, which sees only what it is told', async () => {
    const helper = `sha256:${'b'.repeat(64)}` as const;
    const plan = talking(
      { uses: [{ kind: 'agent', name: 'helper', description: 'Helps.', agent: helper }] },
      {},
      { [helper]: agent({ name: 'helper', prompt: { kind: 'literal', value: 'You help.' } }) },
    );
    const { output, requests, outcome } = await run(plan, ({ system, results, prompt }) => {
      if (system === 'You help.')
        return results.count === 0 ? read('a.txt') : { text: `helped with ${prompt === '' ? 'it' : prompt}` };
      return results.count === 0
        ? { tools: [{ name: 'helper', input: { input: 'Count the lines.' } }] }
        : { text: `so: ${results.last[0]?.text}` };
    });
    expect(output).toMatch(/^so: <glee:context source="agent:helper" trusted="false" nonce="[0-9a-f]{16}">\n/);
    expect(output).toMatch(/>\nhelped with it\n<\/glee:context>$/);
    expect(requests.filter(({ system }) => system === 'You help.')[0]?.prompt).toBe('Count the lines.');
    expect(outcome?.spend.tokens).toBe(60);
  });

  it('goes on where a turn failed, and repeats no call', async () => {
    let failures = 0;
    const appended = { tools: [{ name: 'shell', input: { argv: ['sh', '-c', 'echo x >> log.txt'] } }] };
    const { output, workspace, requests } = await run(
      talking({}, { retry: { attempts: 3, backoff_ms: 10 } }),
      ({ results }) => {
        if (results.count === 0) return appended;
        return (failures += 1) === 1 ? { status: 500 } : { text: 'done' };
      },
    );
    expect(output).toBe('done');
    expect(requests).toHaveLength(3);
    expect(await readFile(join(workspace, 'log.txt'), 'utf8')).toBe('x\n');
  });
});
