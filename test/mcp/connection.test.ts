import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { expect, it } from 'vitest';
import type { JsonObject } from '../../src/plan/values/json.js';
import { clientOf } from '../../src/mcp/connection.js';

it.each<[what: string, elicitation: JsonObject | undefined, canAsk: boolean]>([
  ['that says nothing of it cannot ask', undefined, false],
  ['of before there were ways to ask can', {}, true],
  ['that shows forms can', { form: {} }, true],
  ['that shows forms and opens pages can', { form: {}, url: {} }, true],
  ['that only opens pages cannot: what is decided stands in a form', { url: {} }, false],
])('a client %s', (_what, elicitation, canAsk) => {
  const said = elicitation === undefined ? {} : { elicitation };
  // All of a server and of a request that is looked at.
  const server = {
    server: { getClientVersion: () => ({ name: 'x' }), getClientCapabilities: () => said },
  } as unknown as McpServer;
  expect(clientOf(server, { mcpReq: {} } as unknown as ServerContext)).toEqual({ name: 'mcp:x', canAsk });
});
