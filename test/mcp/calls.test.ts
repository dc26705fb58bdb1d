import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../src/plan/values/json.js';
import type { Connection } from '../../src/mcp/connection.js';
import { background, filled, jsonMap } from '../../src/mcp/input.js';
import { defineTool, registerTools } from '../../src/mcp/tool.js';

/** Gives back what it was called with. */
const echo = defineTool({
  name: 'echo',
  title: 'Echo',
  description: 'Says it again.',
  input: z.strictObject({
    prompt: filled('What is said.'),
    session_id: filled('Where.').optional(),
    inputs: jsonMap('More.').optional(),
    background,
  }),
  annotations: {},
  run: (input) => Promise.resolve({ ...input } as JsonObject),
});

async function open(glee: boolean): Promise<Client> {
  const server = new McpServer({ name: 'test', version: '1' });
  registerTools(server, [echo], { connection: {} as Connection, glee }); // `echo` looks at none
  const client = new Client({ name: 'test-client', version: '1' });
  const [near, far] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(far), client.connect(near)]);
  onTestFinished(() => client.close());
  return client;
}

/** Calls `echo` over the protocol, and gives what is answered, or the words of a refusal. */
async function call(args: JsonObject): Promise<unknown> {
  const { structuredContent, content } = await (await open(false)).callTool({ name: 'echo', arguments: args });
  return structuredContent ?? content[0];
}

describe('the `glee_` name of a tool', () => {
  it('is listed where asked for, with all that its own name has, and can always be called', async () => {
    const [ours, both] = [await open(false), await open(true)];
    const { tools } = await ours.listTools();
    expect(tools).toMatchObject([{ name: 'echo', inputSchema: { type: 'object', required: ['prompt'] } }]);
    expect((await both.listTools()).tools).toEqual(['echo', 'glee_echo'].map((name) => ({ ...tools[0], name })));
    for (const client of [ours, both])
      expect(await client.callTool({ name: 'glee_echo', arguments: { prompt: 'x' } })).toMatchObject({
        structuredContent: { prompt: 'x', background: false },
      });
  });
});

describe('a parameter that a client gives as null', () => {
  it.each<[what: string, args: JsonObject, given: unknown]>([
    [
      'is not given where it may be left out',
      { prompt: 'x', session_id: null, inputs: null, background: null },
      { prompt: 'x', background: false },
    ],
    [
      'is refused where it must be given',
      { prompt: null, session_id: null },
      { type: 'text', text: 'Expected `prompt` of the tool `echo` to be a text.' },
    ],
    [
      'is refused where there is none of the name',
      { prompt: 'x', session: null },
      {
        type: 'text',
        text: 'The tool `echo` takes no `session`; it takes `prompt`, `session_id`, `inputs`, `background`.',
      },
    ],
    [
      'is a value inside another',
      { prompt: 'x', inputs: { focus: null } },
      { prompt: 'x', inputs: { focus: null }, background: false },
    ],
  ])('%s', async (_, args, given) => {
    expect(await call(args)).toEqual(given);
  });
});
