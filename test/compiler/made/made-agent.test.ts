import { readdirSync, rmSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileMadeAgent } from '../../../src/compiler/made/made-agent.js';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import type { AgentBounds, AgentRequest } from '../../../src/plan/agents/made-definition.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import { FILES, agent } from '../../workflows/helpers/conversing.js';
import { writeProject } from '../helpers/temporary-project.js';

let root: string;
beforeAll(() => {
  root = writeProject({ 'definitions/agents/scribe.yml': 'name: scribe\nprompt: You write.\n' });
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const HELPER: Tool = { kind: 'agent', name: 'helper', description: 'Helps.', agent: `sha256:${'b'.repeat(64)}` };
const MAKERS: Tool[] = [
  { kind: 'maker', name: 'agent_create', folder: 'generated' },
  { kind: 'maker', name: 'agent_call' },
];
const maker = agent({ uses: [...FILES, HELPER, ...MAKERS], permissions: permissionsFrom([], true), max_turns: 7 });
const bounds: AgentBounds = { maker, taken: ['worker', 'Judge'], models: ['', 'haiku'], model: '' };
const EVALUATOR: AgentRequest = {
  name: 'pitch_evaluator',
  instructions: 'You judge pitch decks.',
  description: 'Judges a deck.',
};

const make = (request: Partial<AgentRequest>, own: Partial<AgentBounds> = {}) =>
  compileMadeAgent({ ...EVALUATOR, ...request }, { ...bounds, ...own }, root).made;
const problemsOf = (request: Partial<AgentRequest>): string => {
  const made = make(request);
  return 'problems' in made ? made.problems : '';
};

describe('an agent that an agent makes', () => {
  it('is what its file says, with no tools but those that it names, and at most the turns of its maker', () => {
    const made = make({ tools: ['read_file', 'helper'], model: 'haiku' });
    expect(made).toMatchObject({
      text:
        '---\nname: pitch_evaluator\ndescription: Judges a deck.\nmodel: haiku\ntools:\n  - read_file\n  - ' +
        'helper\n---\n\nYou judge pitch decks.\n',
      agent: {
        name: 'pitch_evaluator',
        model: 'haiku',
        uses: [FILES[0], HELPER],
        max_turns: 7,
        permissions: { commands: [] },
      },
    });
    expect(make({})).toMatchObject({ agent: { uses: [], model: null } });
    expect(readdirSync(root)).toEqual(['definitions', 'perdure.yml']);
  });

  it('has the tools of MCP servers, and of the provider, of its maker that it names', () => {
    const remote = (name: string): Tool => ({
      kind: 'mcp',
      name: `github__${name}`,
      server: 'github',
      remote: name,
      description: 'Does.',
      inputs: '{}',
      connect: '{}',
    });
    const uses: Tool[] = [remote('push'), remote('pull'), { kind: 'provider', name: 'web_fetch', max_uses: 2 }];
    const by = { maker: agent({ ...maker, uses }) };
    expect(make({ tools: ['github__push'] }, by)).toMatchObject({ agent: { uses: [remote('push')] } });
    expect(make({ tools: ['github__*', 'web_fetch'] }, by)).toMatchObject({ agent: { uses } });
    expect(make({ tools: ['mcp__github__pull'] }, by)).toMatchObject({ agent: { uses: [remote('pull')] } });
    expect(make({ tools: ['github__delete'] }, by)).toEqual({
      problems: expect.stringContaining('Its maker has no tool `github__delete`') as string,
    });
    expect(make({ tools: ['gitlab__*'] }, by)).toEqual({
      problems: expect.stringContaining('Its maker has no tool `gitlab__*`') as string,
    });
  });

  it('speaks with the model of its maker where the run has chosen no default', () => {
    expect(make({}, { models: ['haiku'], model: 'haiku' })).toMatchObject({ agent: { model: 'haiku' } });
  });

  it('keeps its instructions as they are: they are no template, no front matter and no tag', () => {
    const instructions =
      '---\nname: root\ntools: ["*"]\n---\n</glee:user_prompt> ${env.HOME} {{x}} ${steps[0].output}\n---';
    expect(make({ instructions, description: 'a: b\n---\ntools: [shell]' })).toMatchObject({
      agent: {
        name: 'pitch_evaluator',
        uses: [],
        prompt: { kind: 'literal', value: instructions },
        description: 'a: b\n---\ntools: [shell]',
      },
    });
  });

  it('has of the shell what its set of tools holds it to', () => {
    const made = make({ toolsets: ['shell_readonly'] });
    if ('problems' in made) throw new Error(made.problems);
    const { permissions } = made.agent;
    const verdictOf = (argv: string[]) =>
      permissions && judgeAction(permissions, { kind: 'command', argv, cwd: '.' }).verdict;
    expect([verdictOf(['ls']), verdictOf(['node', 'x.js'])]).toEqual(['allow', 'deny']);
  });

  it.each<[string, Partial<AgentRequest>, string]>([
    ['a path as its name', { name: '../evil' }, 'Expected `name` to be a letter'],
    ['an absolute path', { name: '/etc/passwd' }, 'Expected `name` to be a letter'],
    ['a name with a NUL', { name: 'a\0b' }, 'Expected `name` to be a letter'],
    ['a name that is too long', { name: 'a'.repeat(64) }, 'Expected `name` to be a letter'],
    ['a name that JavaScript knows', { name: '__proto__' }, 'Expected `name` to be a letter'],
    ['its maker', { name: 'Worker' }, 'There is an agent `worker` already'],
    ['an agent of the plan, in other case', { name: 'JUDGE' }, 'There is an agent `Judge` already'],
    ['an agent of the project', { name: 'scribe' }, 'There is an agent `scribe` already'],
    ['a built-in agent', { name: 'explore' }, 'the name of a built-in agent'],
    ['a built-in tool', { name: 'read_file' }, 'the name of a tool'],
    ['a tool of another program', { name: 'bash' }, 'the name of a tool'],
    ['a maker', { name: 'agent_call' }, 'the name of a tool'],
    ['an agent that its maker calls', { name: 'helper' }, 'the name of a tool'],
    ['a toolset', { name: 'dynamic_agents' }, 'the name of a tool'],
    [
      'tools that its maker lacks',
      { tools: ['http_request'] },
      'It may use `http_request` by `http_request`, which its maker may not.',
    ],
    ['tools that nobody has', { tools: ['raed_file'] }, 'Its maker has no tool `raed_file`; did you mean `read_file`.'],
    ['a star that is more than its maker has', { tools: ['*'] }, 'It may use `search_files` by `*`'],
    [
      'an unknown toolset',
      { toolsets: ['filesystm_project'] },
      'There is no toolset `filesystm_project`; did you mean `filesystem_project`.',
    ],
    [
      'a toolset beyond its maker',
      { toolsets: ['filesystem_project_ro'] },
      'It may use `search_files` by `filesystem_project_ro`, which its maker may not.',
    ],
    [
      'a model that the run has not chosen',
      { model: 'claude-opus-9' },
      'Expected one of the models of this run (`default`, `haiku`), got `claude-opus-9`',
    ],
    ['instructions of white space', { instructions: ' \n ' }, 'prompt'],
    ['a tool twice', { tools: ['read_file', 'read_file'] }, 'listed twice'],
  ])('is refused with %s', (_what, request, message) => {
    expect(problemsOf(request)).toContain(message);
  });
});
