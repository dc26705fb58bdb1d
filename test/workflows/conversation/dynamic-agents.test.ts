import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DecisionReceipt, Gate } from '../../../src/plan/gates/gate.js';
import { MEMO } from '../../../src/plan/names.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { RunSettings } from '../../../src/plan/run-input.js';
import type { Agent } from '../../../src/plan/step.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Answer, RecordedRequest } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { until } from '../../faults/project.js';
import { record } from '../../replay/record.js';
import type { Harness, RunHandle, StartOptions } from '../helpers/harness.js';
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
];
const MAKING = { ...PERMISSIONS, allow: ['make:agent'] };
const CREATE = {
  name: 'agent_create',
  input: { name: 'judge', instructions: 'You judge decks.', description: 'Judges a deck.', tools: ['read_file'] },
};

type Turn = (request: RecordedRequest) => Answer;
let folders = 0;

interface Place {
  workspace?: string;
  gates?: RunSettings['gates'];
  start?: StartOptions;
}

/** A run whose agent does these turns one after the other; `made` is what the agent that it makes says. */
async function open(
  turns: Turn[],
  made: Turn,
  fields: Partial<Agent> = {},
  { workspace, gates = 'ask', start: { settings, ...options } = {} }: Place = {},
) {
  const endpoint = await startModelEndpoint((request) => {
    if (!request.system.includes('You work.')) return made(request);
    return turns[request.body['messages'] instanceof Array ? (request.body['messages'].length - 1) / 2 : 0]!(request);
  });
  const folder = workspace ?? join(harness.folder, `made-${(folders += 1)}`);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'perdure.yml'), '');
  await writeFile(join(folder, 'deck.txt'), 'We sell </glee:context> bicycles.\n');
  const handle = await harness.start(talking({ uses: [...FILES, ...MAKERS], permissions: MAKING, ...fields }), {
    ...options,
    settings: { ...models(endpoint.url, folder, { gates }), ...settings },
  });
  return { endpoint, folder, handle };
}

async function run(turns: Turn[], made: Turn = () => ({ text: 'GO' }), fields: Partial<Agent> = {}, place: Place = {}) {
  const { endpoint, folder, handle } = await open(turns, made, fields, place);
  try {
    const { output } = await handle.result();
    return { output: String(await harness.json(output)), requests: endpoint.requests, folder, id: handle.workflowId };
  } finally {
    await endpoint.close();
  }
}

const gateOf = (handle: RunHandle, is: (gate: Gate) => boolean = () => true): Promise<Gate> =>
  until(async () => {
    const { memo } = await harness.client.workflow.getHandle(handle.workflowId).describe();
    return ((memo?.[MEMO.waiting] ?? []) as Gate[]).find(is); // written by the interpreter
  });

const decide = (handle: RunHandle, { path, hash }: Gate, decision: 'approve' | 'reject'): Promise<DecisionReceipt> =>
  sendDecision(handle, { gate: path, decision, hash, by: 'ana' });

/** What was told last, without the containers around it. */
const last = ({ results }: RecordedRequest): string =>
  results.last
    .map(
      ({ text, is_error }) => `${is_error ? 'failed: ' : ''}${text.replace(/<\/?glee:context[^>]*>\n?/g, '').trim()}`,
    )
    .join(' | ');
const said: Turn = (request) => ({ text: last(request) });
// as the provider is sent them
const toolsIn = ({ body }: RecordedRequest): string[] => (body['tools'] as { name: string }[]).map(({ name }) => name);

describe('an agent that makes agents', () => {
  it('calls what it made from the next turn on, by its name and with agent_call, and no tool disappears', async () => {
    const call = { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.', attachments: ['deck.txt'] } };
    const { output, requests, folder } = await run(
      [() => ({ tools: [CREATE] }), () => ({ tools: [call, { name: 'judge', input: { input: 'Once more.' } }] }), said],
      (request) =>
        request.results.count === 0 && request.prompt.includes('Judge it.')
          ? { tools: [{ name: 'read_file', input: { path: 'deck.txt' } }] }
          : { text: request.prompt.includes('Once more.') ? 'WATCH' : `GO ${last(request).includes('bicycles')}` },
    );
    expect(output).toBe('GO true | WATCH');
    expect(await readFile(join(folder, 'generated/judge.agent'), 'utf8')).toBe(
      '---\nname: judge\ndescription: Judges a deck.\ntools:\n  - read_file\n---\n\nYou judge decks.\n',
    );
    const [first, second] = requests.filter(({ system }) => system.includes('You work.')).map(toolsIn);
    expect(second).toEqual([...(first ?? []), 'judge']);
    const asked = requests.filter(({ system }) => system.includes('You judge decks.'));
    expect(toolsIn(asked[0]!)).toEqual(['read_file']);
    expect(asked.find(({ prompt }) => prompt.includes('Judge it.'))?.prompt).toContain(
      '<input name="deck.txt" trusted="false"',
    );
  });

  it('may call it in the turn that made it', async () => {
    const { output } = await run([
      () => ({ tools: [CREATE, { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.' } }] }),
      said,
    ]);
    expect(output).toBe('judge | GO');
  });

  it('waits until a person has approved the file, word for word', async () => {
    const { handle, endpoint, folder } = await open([() => ({ tools: [CREATE] }), said], () => ({ text: '' }), {
      permissions: PERMISSIONS,
    });
    const gate = await gateOf(handle);
    expect(gate).toMatchObject({
      kind: 'tool',
      message: expect.stringContaining('It makes the agent `judge`.') as string,
    });
    expect(await harness.json(gate.content)).toMatchObject({
      what: 'agent',
      name: 'judge',
      content: { file: 'generated/judge.agent', text: expect.stringContaining('You judge decks.') as string },
    });
    expect(existsSync(join(folder, 'generated'))).toBe(false);
    await decide(handle, gate, 'reject');
    expect(await harness.json((await handle.result()).output)).toMatch(/^failed: Not allowed by ana/);
    expect(existsSync(join(folder, 'generated'))).toBe(false);
    await endpoint.close();
  });

  it('asks what it made only what a person has seen, where calls need that', async () => {
    const input = { input: 'Judge it.', attachments: ['deck.txt'] };
    const { handle, endpoint } = await open(
      [() => ({ tools: [CREATE] }), () => ({ tools: [{ name: 'judge', input }] }), said],
      () => ({ text: 'GO' }),
      { permissions: { ...MAKING, ask: ['made', 'read:deck.txt'] } },
    );
    const gate = await gateOf(handle);
    expect(await harness.json(gate.content)).toEqual({
      kind: 'call',
      what: 'made',
      name: 'judge',
      files: ['deck.txt'],
      input,
    });
    await decide(handle, gate, 'approve');
    expect(await harness.json((await handle.result()).output)).toBe('GO');
    await endpoint.close();
  });

  it('does not know in the next run what it made in this one, and is told who made it', async () => {
    const { folder, id } = await run([() => ({ tools: [CREATE] }), said]);
    const call = { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.' } };
    const { output } = await run(
      [
        () => ({ tools: [call, CREATE] }),
        () => ({ tools: [call] }),
        (request) => ({ text: `${request.results.count} ${last(request)}` }),
        said,
      ],
      () => ({ text: 'GO' }),
      {},
      { workspace: folder },
    );
    expect(output).toBe('3 GO');
    const { output: told } = await run(
      [() => ({ tools: [call] }), said],
      () => ({ text: 'GO' }),
      {},
      { workspace: folder },
    );
    expect(told).toContain('is known there only. To keep it a person promotes it');
    expect(id).not.toBe('');
  });

  it.each<[string, Turn[], Partial<Agent>, RegExp]>([
    [
      'an agent that nobody made',
      [() => ({ tools: [{ name: 'agent_call', input: { agent: 'nobody', input: 'x' } }] }), said],
      {},
      /^failed: Dynamic agent 'nobody' not found\. Available: \[\]$/,
    ],
    [
      'a name that it has used',
      [
        () => ({ tools: [CREATE] }),
        () => ({ tools: [{ ...CREATE, input: { ...CREATE.input, name: 'JUDGE' } }] }),
        said,
      ],
      {},
      /^failed: .*(?:has made the agent `judge` already|the name of a tool)/,
    ],
    [
      'tools that it lacks',
      [() => ({ tools: [{ ...CREATE, input: { ...CREATE.input, tools: ['http_request'] } }] }), said],
      {},
      /which its maker may not/,
    ],
    [
      'a place that nobody has configured',
      [() => ({ tools: [CREATE] }), said],
      { uses: [{ kind: 'maker', name: 'agent_create' }] },
      /`generated_agents_dir` is not configured/,
    ],
    [
      'an attachment that is not there',
      [
        () => ({ tools: [CREATE] }),
        () => ({ tools: [{ name: 'judge', input: { input: 'x', attachments: ['no.txt'] } }] }),
        said,
      ],
      {},
      /^failed: Attachment not found: no\.txt$/,
    ],
    [
      'an attachment from elsewhere',
      [
        () => ({ tools: [CREATE] }),
        () => ({ tools: [{ name: 'judge', input: { input: 'x', attachments: ['../secret'] } }] }),
        said,
      ],
      {},
      /[Nn]ot allowed.*outside/,
    ],
  ])('is told about %s', async (_what, turns, fields, expected) => {
    const { output } = await run(turns, undefined, fields);
    expect(output).toMatch(expected);
  });

  it('cannot let what it made do more than itself', async () => {
    const create = { ...CREATE, input: { ...CREATE.input, tools: ['write_file', 'agent_create', 'agent_call'] } };
    const { output, folder } = await run(
      [() => ({ tools: [create] }), () => ({ tools: [{ name: 'judge', input: { input: 'Go.' } }] }), said],
      (request) => {
        if (request.results.count === 0)
          return {
            tools: [
              { name: 'write_file', input: { path: 'out.txt', content: 'x' } },
              { name: 'agent_create', input: { ...CREATE.input, name: 'inner', tools: ['shell'] } },
            ],
          };
        return { text: last(request) };
      },
      { permissions: { ...MAKING, protected: ['/out.txt'] } },
    );
    expect(output).toMatch(/Not allowed: `out\.txt` is protected.*shell.*which its maker may not/s);
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
    expect(existsSync(join(folder, 'generated/inner.agent'))).toBe(false);
  });
});

describe('an agent that was made with less than its maker', () => {
  const CREATED = { tools: [{ ...CREATE, input: { ...CREATE.input, tools: ['Bash(ls *)'] } }] };
  const turns: Turn[] = [() => CREATED, () => ({ tools: [{ name: 'judge', input: { input: 'Go.' } }] }), said];
  const acts: Turn = (request) =>
    request.results.count === 0
      ? { tools: [{ name: 'shell', input: { argv: ['sh', '-c', 'echo x > out.txt'] } }] }
      : { text: last(request) };
  /** A person would be asked about it, as a command of the maker. */
  const permissions = { ...MAKING, commands: [{ words: 'sh', class: 'install' as const }] };

  it('is not given it by `--yes`', async () => {
    const { output, folder } = await run(turns, acts, { permissions }, { gates: 'approve' });
    expect(output).toMatch(/Not allowed: Nobody has said what `sh/);
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  });

  it('is given it by a person who was asked after denials', { tags: ['sandbox'] }, async () => {
    const { handle, endpoint, folder } = await open(turns, acts, {
      permissions: { ...permissions, escalate_after: 1 },
    });
    const gate = await gateOf(handle);
    expect(gate.message).toContain('Nobody has said what `sh');
    await decide(handle, gate, 'approve');
    await handle.result();
    expect(existsSync(join(folder, 'out.txt'))).toBe(true);
    await endpoint.close();
  });
});

describe('an agent that makes tools', () => {
  const LINES = {
    description: 'Counts lines.',
    kind: 'command',
    inputs: { schema: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] } },
    outputs: { format: 'text' },
    exec: { command: { entrypoint: 'sh', args: ['-c', 'wc -l < "$0"', '${file}'] } },
  };
  const makes = (definition: object): Answer => ({
    tools: [{ name: 'tool_create', input: { name: 'count_lines', definition } }],
  });
  const TOOLING: Partial<Agent> = {
    uses: [...FILES, { kind: 'maker', name: 'tool_create' }, ...MAKERS],
    permissions: { ...MAKING, allow: ['make'] },
  };
  const uses = (file: string): Answer => ({ tools: [{ name: 'count_lines', input: { file } }] });

  it('calls them from the next turn on, and hands them to agents that it makes', { tags: ['sandbox'] }, async () => {
    const create = { name: 'agent_create', input: { ...CREATE.input, tools: ['count_lines'] } };
    const { output, requests } = await run(
      [
        () => makes(LINES),
        () => uses('deck.txt'),
        (request) => ({ tools: [create], text: last(request) }),
        () => ({ tools: [{ name: 'judge', input: { input: 'Count.' } }] }),
        said,
      ],
      (request) => (request.results.count === 0 ? uses('deck.txt') : { text: `it has ${last(request).trim()}` }),
      TOOLING,
    );
    expect(output).toMatch(/^it has .*1/);
    expect(requests.flatMap(toolsIn).filter((name) => name === 'count_lines')).toHaveLength(6);
  });

  it.each<[string, object, Answer, RegExp]>([
    [
      'a program that it may not run',
      { ...LINES, exec: { command: { entrypoint: 'curl', args: ['${file}'] } } },
      uses('https://example.org'),
      /^failed: Not allowed/,
    ],
    [
      'a folder outside',
      { ...LINES, exec: { command: { entrypoint: 'sh', cwd: '${file}' } } },
      uses('../..'),
      /^failed: Not allowed.*outside/,
    ],
    ['an argument that becomes an option', LINES, uses('-x'), /^failed: .*taken for an option/],
    [
      'input that does not fit',
      LINES,
      { tools: [{ name: 'count_lines', input: { file: 3 } }] },
      /^failed: The arguments do not fit/,
    ],
  ])('cannot use them for %s', async (_what, definition, call, expected) => {
    const { output } = await run([() => makes(definition), () => call, said], undefined, TOOLING);
    expect(output).toMatch(expected);
  });
});

describe('an agent that makes workflows', () => {
  const RULES = { kinds: ['agent' as const], budgets: { ...NO_BUDGETS, max_steps: 10 } };
  const MAKES: Partial<Agent> = {
    uses: [...FILES, ...MAKERS, { kind: 'maker', name: 'workflow_create', rules: RULES }],
    permissions: { ...MAKING, allow: ['make'] },
  };
  const STEPS = {
    description: 'Reviews a text twice.',
    inputs: { target: { type: 'string' } },
    execution: 'parallel',
    steps: [
      { id: 'first', agent: 'reader', prompt: 'First: ${target}' },
      { id: 'second', agent: 'reader', prompt: 'Second: ${target}' },
    ],
    output: '${steps.first.output} and ${steps.second.output}',
  };
  const READER = 'name: reader\nprompt: You read.\ntools: [read_file]\n';
  const makes = (definition: object | string = STEPS, name = 'review'): Answer => ({
    tools: [{ name: 'workflow_create', input: { name, definition } }],
  });
  const uses: Turn = () => ({ tools: [{ name: 'review', input: { target: 'deck.txt' } }] });
  const reads: Turn = ({ prompt }) => ({ text: /(First|Second): .*$/m.exec(prompt)?.[0] ?? '' });
  const place = async (agents: Record<string, string> = { reader: READER }): Promise<Place> => {
    const workspace = join(harness.folder, `flows-${(folders += 1)}`);
    await mkdir(join(workspace, 'definitions/agents'), { recursive: true });
    for (const [name, text] of Object.entries(agents))
      await writeFile(join(workspace, `definitions/agents/${name}.yml`), text);
    return { workspace };
  };

  it('runs them from the next turn on, each as a nested run of its call', async () => {
    const { handle, endpoint } = await open([() => makes(), uses, said], reads, MAKES, {
      ...(await place()),
      start: { id: 'made-workflow' },
    });
    expect(await harness.json((await handle.result()).output)).toBe('First: deck.txt and Second: deck.txt');
    const [first, second] = endpoint.requests
      .filter(({ system }) => system.includes('You work.'))
      .map(({ body }) => body['tools'] as { name: string; input_schema: object }[]);
    expect(second?.slice(0, -1).map(({ name }) => name)).toEqual(first?.map(({ name }) => name));
    expect(second?.at(-1)).toMatchObject({
      name: 'review',
      input_schema: { properties: { target: { type: 'string' } }, required: ['target'], additionalProperties: false },
    });
    const nested = harness.client.workflow.getHandle('made-workflow/work/2.1');
    expect(await nested.describe()).toMatchObject({ status: { name: 'COMPLETED' } });
    await record('made-workflow', await handle.fetchHistory());
    await record('made-workflow-kept.work.2-1', await nested.fetchHistory());
    await endpoint.close();
  });

  it('has room for it where only one thing may run at once, and counts what it spends', async () => {
    const { handle, endpoint } = await open([() => makes(), uses, said], reads, MAKES, {
      ...(await place()),
      start: {
        lease: { slots: 1, steps: 20, usd: 100 },
        settings: { budget: { ...NO_BUDGETS, max_parallel: 1, max_cost_usd: 100 } },
      },
    });
    const { charged, spend } = await handle.result();
    expect(charged?.steps).toBe(3);
    expect(spend.usd).toBeCloseTo(charged?.usd ?? 0, 6);
    await endpoint.close();
  });

  it('waits until a person has approved the text, with the Plan that it comes to', async () => {
    const { handle, endpoint } = await open(
      [() => makes(), uses, said],
      reads,
      { ...MAKES, permissions: PERMISSIONS },
      await place(),
    );
    const gate = await gateOf(handle);
    expect(gate).toMatchObject({
      kind: 'tool',
      message: expect.stringContaining('It makes the workflow `review`.') as string,
    });
    expect(await harness.json(gate.content)).toMatchObject({
      what: 'workflow',
      name: 'review',
      content: {
        definition: expect.stringContaining('agent: reader') as string,
        plan: expect.stringMatching(/^sha256:/) as string,
      },
    });
    await decide(handle, gate, 'reject');
    expect(await harness.json((await handle.result()).output)).toContain('There is no tool `review`');
    await endpoint.close();
  });

  it('does not make what its agents would do otherwise than a person saw', async () => {
    const where = await place();
    const { handle, endpoint } = await open(
      [() => makes(), said],
      reads,
      { ...MAKES, permissions: PERMISSIONS },
      where,
    );
    const gate = await gateOf(handle);
    await writeFile(join(where.workspace!, 'definitions/agents/reader.yml'), READER.replace('You read.', 'You write.'));
    await decide(handle, gate, 'approve');
    // It is asked for as it is now.
    const again = await gateOf(handle, ({ hash }) => hash !== gate.hash);
    expect(again.message).toMatch(/^Asked again: /);
    expect(await harness.json(again.content)).not.toEqual(await harness.json(gate.content));
    await decide(handle, again, 'reject');
    expect(await harness.json((await handle.result()).output)).toMatch(/^failed: Not allowed by ana/);
    await endpoint.close();
  });

  it('holds its agents to its own permissions, whatever theirs are', async () => {
    const writer = 'name: reader\nprompt: You read.\ntools: [write_file]\npermissions: {allow: ["write:*"]}\n';
    const { output, folder } = await run(
      [() => makes(), uses, said],
      (request) =>
        request.results.count === 0
          ? { tools: [{ name: 'write_file', input: { path: 'out.txt', content: 'x' } }] }
          : { text: last(request) },
      { ...MAKES, permissions: { ...MAKES.permissions!, protected: ['/out.txt'] } },
      await place({ reader: writer }),
    );
    expect(output).toContain('`out.txt` is protected');
    expect(existsSync(join(folder, 'out.txt'))).toBe(false);
  });

  it('lets them name agents that it has made', async () => {
    const { output } = await run(
      [
        () => ({ tools: [CREATE] }),
        () => makes({ steps: [{ agent: 'judge', prompt: 'First: x' }] }),
        () => ({ tools: [{ name: 'review', input: {} }] }),
        said,
      ],
      reads,
      MAKES,
    );
    expect(output).toBe('First: x');
  });

  it.each<[string, Answer, RegExp]>([
    ['no workflow', makes('a: ['), /^failed: .*invalid-yaml/],
    [
      'steps that are none of agents',
      makes({ steps: [{ command: ['touch', 'x'] }] }),
      /Expected `agent` steps only, got a `command` step/,
    ],
    ['another workflow in it', makes({ steps: [{ workflow: 'review' }] }), /^failed: .*review/],
    ['an agent that nobody knows', makes({ steps: [{ agent: 'nobody' }] }), /unknown-agent/],
    [
      'an agent with tools that it lacks',
      makes({ steps: [{ agent: 'fetcher' }] }),
      /`fetcher` may use `http_request`, which whoever made this may not/,
    ],
    ['an agent that makes workflows', makes({ steps: [{ agent: 'maker' }] }), /what is made nests no other workflow/],
    ['another name', makes('name: other\nsteps: [{agent: reader}]\n'), /names it `other`; expected `review`/],
    ['the name of a tool', makes(STEPS, 'read_file'), /is the name of a tool/],
    ['the name of an agent', makes(STEPS, 'Reader'), /There is an agent `reader` already/],
    [
      'a model that the run has not',
      makes({ steps: [{ agent: 'reader', model: 'opus' }] }),
      /Expected one of the models of this run/,
    ],
  ])('makes nothing of %s', async (_what, answer, expected) => {
    const { output, requests } = await run(
      [() => answer, said],
      reads,
      MAKES,
      await place({
        reader: READER,
        fetcher: 'name: fetcher\nprompt: You read.\ntools: [http_request]\n',
        maker: 'name: maker\nprompt: You make.\ntools: [workflow_create]\n',
      }),
    );
    expect(output).toMatch(expected);
    expect(requests).toHaveLength(2);
  });
});
