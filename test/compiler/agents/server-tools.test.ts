import { describe, expect, it } from 'vitest';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { callOfRemote } from '../../../src/plan/tools/mcp-server.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';
import type { ListedTool } from '../../../src/plan/tools/mcp-server.js';
import { loadConfig } from '../../../src/compiler/project/config.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { serverTools } from '../../../src/compiler/agents/server-tools.js';
import { NO_PERMISSIONS } from '../../plan/helpers/build-plan.js';
import { createProject } from '../helpers/temporary-project.js';

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

describe('tools that a server calls by names that providers do not take', () => {
  const LONG = `delete_${'x'.repeat(70)}`;
  const ODD = ['dup.a', 'dup_a', 'repo.delete', LONG, `${LONG}_too`].map((name) => tool(name));
  const had = (wanted: string) => named(wanted, { github: ODD }).found;

  it('have a name each, and none is lost', () => {
    const [dotted, plain, , long = '', longer] = had('github__*') as string[];
    expect([dotted, plain]).toEqual(['github__dup_a_2', 'github__dup_a']);
    expect([long.length, longer]).toEqual([64, `${long.slice(0, 62)}_2`]);
  });

  it.each([
    ['github__dup.a', ['github__dup_a_2']],
    ['github__dup_a', ['github__dup_a']],
    ['github__dup_a_2', ['github__dup_a_2']],
    ['github__repo.delete', ['github__repo_delete']],
    ['github__repo_delete', ['github__repo_delete']],
  ])('are meant by %s', (wanted, found) => {
    expect(had(wanted)).toEqual(found);
  });

  it.each(['repo.delete', 'repo_delete', 'mcp__github__repo.delete', 'github__repo.*'])(
    'are held by a pattern for %s',
    (wanted) => {
      const pattern = `mcp:${wanted.includes('github') ? wanted : `github__${wanted}`}`;
      const call = callOfRemote({ name: 'github__repo_delete', server: 'github', remote: 'repo.delete' });
      expect(judgeAction({ ...NO_PERMISSIONS, deny: [pattern] }, call).verdict).toBe('deny');
      expect(judgeAction({ ...NO_PERMISSIONS, ask: [pattern] }, call).verdict).toBe('ask');
    },
  );

  it('are held by their whole name, where what providers take is a part of it', () => {
    const call = callOfRemote({ name: `github__${LONG}`.slice(0, 64), server: 'github', remote: LONG });
    expect(judgeAction({ ...NO_PERMISSIONS, deny: [`mcp:github__${LONG}`] }, call).verdict).toBe('deny');
  });
});

describe('an agent that uses tools of a server', () => {
  const compiled = (agent: string, permissions = '') => {
    const cwd = createProject({
      'perdure.yml': `mcp: {github: {command: [node, server.js]}}\n${permissions}`,
      'definitions/agents/ops.yml': `name: ops\nprompt: You work.\n${agent}\n`,
      'flow.yml':
        'name: flow\nsteps:\n  - agent: ops\n  - {tool: github__repo.read, permissions: {ask: ["mcp:github__raed"]}}\n',
    });
    const listed = new Map([['github', [tool('repo.read', true), tool('repo.delete')]]]);
    const project = findProject(cwd);
    const { config } = loadConfig(project);
    const listings = { listed, wanted: new Set<string>() };
    const { plan, problems } = compileDefinition({ file: 'flow.yml', cwd, project, config, listings });
    return {
      uses: Object.values(plan?.agents ?? {}).flatMap(({ uses }) => (uses ?? []).map(({ name }) => name)),
      told: problems.map(({ message }) => message).join('\n'),
    };
  };

  it('is told of patterns that fit none of them', () => {
    const { told } = compiled(
      'tools: [github__*]\npermissions: {deny: ["mcp:github__repo.delete", "mcp:github__repo.delte"], ' +
        'ask: ["mcp:other__x"]}',
      'permissions: {ask: ["mcp:mcp__github__issue*", "mcp:*"]}\n',
    );
    for (const pattern of ['mcp:github__repo.delte', 'mcp:mcp__github__issue*', 'mcp:github__raed'])
      expect(told).toContain(`\`${pattern}\` of the permissions fits no tool`);
    expect(told).not.toContain('`mcp:github__repo.delete`');
    expect(told).not.toMatch(/other__x|`mcp:\*`/);
  });

  it.each(['github__repo.delete', 'mcp__github__repo.delete', 'github__repo_d*'])(
    'has none that it is denied as %s',
    (name) => {
      expect(compiled(`tools: [github__*]\ndisallowed_tools: [${name}]`).uses).toEqual(['github__repo_read']);
    },
  );
});
