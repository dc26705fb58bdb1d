import { expect, it } from 'vitest';
import { newFolder, perdure } from '../cli/helpers/command-line.js';

it('says in one sentence that a line is no message', async () => {
  const { stderr } = await perdure(newFolder(), ['mcp'], { stdin: '{"jsonrpc":"2.0","foo":1}\n' });
  expect(stderr).toBe('mcp: Expected a message of JSON-RPC on each line, got another.\n');
});
