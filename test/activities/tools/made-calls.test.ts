import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gateHashOf } from '../../../src/activities/values/content-hash.js';
import { addMade } from '../../../src/activities/made/registry.js';
import type { Making, ToolContext, ToolRun } from '../../../src/activities/tools/handler/handler.js';
import { agentCall, madeAgent } from '../../../src/activities/tools/makers/agent-call.js';
import { toolCreate } from '../../../src/activities/tools/makers/tool-create.js';
import { requestFor } from '../../../src/activities/turns/offered-tools.js';
import { shownOf } from '../../../src/activities/turns/shown-call.js';
import { shortHash } from '../../../src/plan/packing/short-hash.js';
import type { Action } from '../../../src/plan/tools/action.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import type { Permissions } from '../../../src/plan/tools/permission.js';
import type { Agent } from '../../../src/plan/step.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import type { Hash } from '../../../src/plan/values/value.js';
import type { Store } from '../../../src/store/store.js';
import { createMakers } from '../../../src/workers/worker/made-compiler.js';
import { plan } from '../../plan/helpers/build-plan.js';
import { FILES, PERMISSIONS, WORKER, agent } from '../../workflows/helpers/conversing.js';
import { toolContext } from '../helpers/tool-context.js';

const ASKED: Permissions = { ...PERMISSIONS, ask: ['read:secrets/*'] };
const DEPLOY: Action = { kind: 'call', what: 'tool', name: 'deploy' };
const BODY: Hash = `sha256:${'c'.repeat(64)}`;

function makingOf(store: Store, maker: Agent): Making {
  return {
    store,
    plan: plan([]),
    maker,
    by: WORKER,
    scope: { first: 'run', body: BODY },
    run: 'run',
    models: { models: [''], model: '' },
    ...createMakers(store),
  };
}

/** A workspace with a secret in it, and an agent `judge` that was made by one with these permissions. */
async function open(permissions: Permissions): Promise<{ context: ToolContext; judge: Hash }> {
  const context = await toolContext(permissions);
  await mkdir(join(context.workspace, 'secrets'));
  await writeFile(join(context.workspace, 'secrets/key'), 'hush');
  await writeFile(join(context.workspace, 'deck.txt'), 'bicycles');
  const making = makingOf(context.store, agent({ permissions }));
  const made = { agent: agent({ name: 'judge' }), by: WORKER };
  const { ref } = await context.store.putAlways(made as unknown as Json); // agents of Plans are JSON
  await addMade(context.store, making.scope, { kind: 'agent', name: 'judge', ref, call: 'first', text: ref });
  return { context: { ...context, making }, judge: ref };
}

type Calls = (judge: Hash, attachments: string[], context: ToolContext) => Promise<ToolRun>;

describe.each<[string, Calls]>([
  [
    'agent_call',
    (_judge, attachments, context) =>
      agentCall.run(
        { kind: 'maker', name: 'agent_call' },
        { agent: 'judge', input: 'Judge it.', attachments },
        context,
      ),
  ],
  [
    'a call by its name',
    (judge, attachments, context) =>
      madeAgent.run(
        { kind: 'made', name: 'judge', description: null, agent: judge },
        { input: 'Judge it.', attachments },
        context,
      ),
  ],
])('an attachment of %s', (_what, call) => {
  it('that a person would be asked about goes along only where one has allowed the call', async () => {
    const { context, judge } = await open(ASKED);
    expect(await call(judge, ['deck.txt', 'secrets/key'], { ...context, allowed: false })).toMatchObject({
      is_error: true,
      content: expect.stringMatching(/^Not allowed: `secrets\/key`.*`read_file` asks a person/) as string,
    });
    expect(await call(judge, ['deck.txt'], { ...context, allowed: false })).toMatchObject({
      is_error: false,
      called: { name: 'judge' },
    });
    expect(await call(judge, ['secrets/key'], { ...context, allowed: true })).toMatchObject({
      is_error: false,
      called: { name: 'judge' },
    });
  });

  it('whose name no object can have as a key is refused by name', async () => {
    const { context, judge } = await open(PERMISSIONS);
    await writeFile(join(context.workspace, '__proto__'), 'text');
    expect(await call(judge, ['__proto__'], context)).toMatchObject({
      is_error: true,
      content: expect.stringContaining('`__proto__`: a file of this name cannot be attached') as string,
    });
  });

  it('that is denied never goes along', async () => {
    const { context, judge } = await open({ ...PERMISSIONS, deny: ['read:secrets/*'] });
    expect(await call(judge, ['secrets/key'], { ...context, allowed: true })).toMatchObject({
      is_error: true,
      content: expect.stringContaining('`deny`') as string,
    });
  });
});

describe('a call as the workflow decides about it', () => {
  it.each<[string, Permissions['commands'], string | undefined]>([
    ['says what its own agent may not', [], 'Nobody has said what `sh -c true` does: it is in no class of commands.'],
    ['says nothing of what it may', PERMISSIONS.commands, undefined],
    ['says nothing of what a person is asked about', [{ words: 'sh', class: 'install' }], undefined],
  ])('%s', async (_what, commands, denied) => {
    const { store, workspace } = await toolContext();
    const request = await requestFor(
      store,
      { agent: agent({ permissions: { ...PERMISSIONS, commands } }) },
      { kind: 'call', id: '1', name: 'shell', input: { argv: ['sh', '-c', 'true'] } },
      workspace,
    );
    expect(request.action).toMatchObject({ kind: 'command' });
    expect(request.denied).toBe(denied);
  });
});

describe('a gate for a call', () => {
  it.each<[string, Tool, Action]>([
    ['a tool of the project', { kind: 'builtin', name: 'read_file' }, DEPLOY],
    ['an MCP server', { kind: 'builtin', name: 'read_file' }, { kind: 'call', what: 'mcp', name: 'github__delete' }],
    [
      'an agent',
      { kind: 'agent', name: 'helper', description: null, agent: WORKER },
      { kind: 'call', what: 'agent', name: 'helper' },
    ],
  ])('of %s shows all that it is given, and its hash covers that', async (_what, tool, action) => {
    const { store } = await toolContext();
    const shown = (args: JsonObject) =>
      shownOf(store, agent({ permissions: { ...PERMISSIONS, ask: ['tool', 'mcp', 'agent'] } }), { tool, action, args });
    const first = await shown({ where: 'staging' });
    expect(first.content).toEqual({ ...action, input: { where: 'staging' } });
    expect(gateHashOf(await shown({ where: 'production' }))).not.toBe(gateHashOf(first));
  });

  it('marks where more of what a hook says does not fit', async () => {
    const { store } = await toolContext();
    const { ref } = await store.putAlways('x'.repeat(5_000));
    const call = { tool: { kind: 'builtin', name: 'read_file' } as const, action: DEPLOY, args: {} };
    const { message } = await shownOf(store, agent({}), call, { hooked: shortHash(ref) });
    expect(message).toMatch(/A hook asks: x+… Allow it\?$/);
  });
});

describe('a name of a made tool', () => {
  const LINES = {
    description: 'Counts lines.',
    kind: 'command',
    inputs: { schema: { type: 'object' } },
    outputs: { format: 'text' },
    exec: { command: { entrypoint: 'wc', args: ['-l'] } },
  };

  it('is taken in the conversation that made it, and in no other of the run', async () => {
    const context = await toolContext();
    await writeFile(join(context.workspace, 'perdure.yml'), '');
    const create = (call: string, made: Tool[] = [], name = 'count_lines') =>
      toolCreate.run(
        { kind: 'maker', name: 'tool_create' },
        { name, definition: LINES },
        { ...context, making: makingOf(context.store, agent({ uses: [...FILES, ...made] })), call },
      );
    const first = await create('item 1');
    expect(first).toMatchObject({ content: 'count_lines', is_error: false });
    expect(await create('item 2')).toEqual(first);
    expect(await create('item 1')).toEqual(first);
    expect(await create('item 1, later', [first.made!], 'COUNT_LINES')).toMatchObject({
      is_error: true,
      content: expect.stringContaining('name of a tool') as string,
    });
    await addMade(
      context.store,
      { first: 'run', body: BODY },
      { kind: 'agent', name: 'judge', ref: WORKER, call: 'agent', text: WORKER },
    );
    expect(await create('item 3', [], 'judge')).toMatchObject({
      is_error: true,
      content: expect.stringContaining('has made the agent `judge` already') as string,
    });
  });
});
