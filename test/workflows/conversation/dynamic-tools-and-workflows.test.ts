import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Agent } from '../../../src/plan/step.js';
import type { Answer } from '../../fakes/model-endpoint.js';
import { record } from '../../replay/record.js';
import { FILES, PERMISSIONS } from '../helpers/conversing.js';
import type { Turn, Place } from '../helpers/making.js';
import {
  openForAll,
  harness,
  MAKERS,
  MAKING,
  CREATE,
  open,
  run,
  gateOf,
  decide,
  last,
  said,
  toolsIn,
} from '../helpers/making.js';

openForAll();

describe('an agent that makes tools', () => {
  const LINES = {
    description: 'Counts lines.',
    kind: 'command',
    inputs: { schema: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] } },
    outputs: { format: 'text' },
    exec: { command: { entrypoint: 'sh', args: ['-c', 'wc -l < "$0"', '${file}'] } },
  };
  const NONE = { schema: { type: 'object', properties: {} } };
  const PWD = ['-c', 'pwd'];
  let rooted = 0;
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

  it('run in the folder that their maker works in, and in no other', { tags: ['sandbox'] }, async () => {
    const where = (cwd: object) => ({
      ...LINES,
      inputs: NONE,
      exec: { command: { entrypoint: 'sh', args: PWD, ...cwd } },
    });
    const uses = [{ kind: 'builtin', name: 'shell', root: 'deep' } as const, TOOLING.uses![FILES.length]!];
    const told = async (cwd: object) => {
      const workspace = join(harness.folder, `rooted-${(rooted += 1)}`);
      await mkdir(join(workspace, 'deep'), { recursive: true });
      const call = { tools: [{ name: 'count_lines', input: {} }] };
      return run([() => makes(where(cwd)), () => call, said], undefined, { ...TOOLING, uses }, { workspace });
    };
    const { output, folder } = await told({});
    expect(output).toBe(join(folder, 'deep'));
    expect((await told({ cwd: '..' })).output).toMatch(/^failed: /);
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
    const workspace = join(harness.folder, 'flows');
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
    await record('made-workflow.work.2-1', await nested.fetchHistory());
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
