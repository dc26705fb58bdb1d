import { describe, expect, it } from 'vitest';
import type { ListedTool } from '../../../src/plan/tools/mcp-server.js';
import { serverTools } from '../../../src/compiler/agents/server-tools.js';

const SERVERS = { github: { command: ['npx', 'server'] }, my_files: { url: 'https://files.example' } };
const tool = (name: string, reads = false): ListedTool => ({
  name,
  description: `Does ${name}.`,
  inputs: '{"type":"object"}',
  reads,
});

function named(
  name: string,
  listed: Record<string, ListedTool[]> = {
    github: [tool('get_issue', true), tool('create_issue')],
    my_files: [tool('files.read')],
  },
) {
  const listings = { listed: new Map(Object.entries(listed)), wanted: new Set<string>() };
  const found = serverTools(name, { servers: SERVERS, listings, texts: new Map() });
  return { found: Array.isArray(found) ? found.map((one) => one.name) : found, wanted: [...listings.wanted] };
}

describe('a name of a tool of an MCP server', () => {
  it.each([
    ['github__get_issue', ['github__get_issue']],
    ['github__*', ['github__get_issue', 'github__create_issue']],
    ['github__get_*', ['github__get_issue']],
    ['mcp__github__create_issue', ['github__create_issue']],
    ['mcp__github', ['github__get_issue', 'github__create_issue']],
    ['mcp_my_files_files.read', ['my_files__files_read']],
    ['mcp_github_*', ['github__get_issue', 'github__create_issue']],
    ['read_file', null],
    ['Bash(git *)', null],
  ])('%s means %j', (name, tools) => {
    expect(named(name)).toEqual({ found: tools, wanted: [] });
  });

  it.each([
    ['githup__get_issue', 'There is no MCP server `githup` in perdure.yml.', 'did you mean `github`?'],
    ['__proto____x', 'There is no MCP server `__proto` in perdure.yml.', 'add it under `mcp`'],
    ['github__get_isue', 'The MCP server `github` has no tool `get_isue`.', 'did you mean `get_issue`?'],
  ])('%s is a mistake, with what was meant', (name, missing, suggestion) => {
    expect(named(name).found).toEqual({ missing, suggestion });
  });

  it('of a server that was not asked asks for it, and is none until then', () => {
    expect(named('github__*', {})).toEqual({ found: [], wanted: ['github'] });
  });
});
