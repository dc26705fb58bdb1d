import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';
import { compile, MANIFEST, HELPER } from '../helpers/project-compile.js';

describe('an .agent file', () => {
  const problemsOf = (front: string) =>
    compileIn(createProject({ 'x.agent': `---\n${front}\n---\nYou help.\n` }), 'x.agent').problems.map(brief);

  it.each([
    ['no name', 'description: x', '2:1 missing-key'],
    ['a model and patterns', 'name: x\nmodel: anthropic:haiku\ncompatible_models: ["*"]', '4:1 conflicting-keys'],
    ['no pattern', 'name: x\ncompatible_models: []', '3:20 invalid-value'],
    ['a class of Python', 'name: x\ninput_model_ref: a.B', '3:1 python-only'],
    ['an entry', 'name: x\nentry: true', '3:1 unknown-key'],
    ['an older key', 'name: x\nschema_in_ref: a.B', '3:1 unknown-key'],
    ['an empty toolset', 'name: x\ntoolsets: [""]', '3:12 invalid-value'],
    ['an unknown tool of the server', 'name: x\nserver_side_tools: [{tool_type: shell}]', '3:33 invalid-value'],
    [
      'a tool of the server twice',
      'name: x\nserver_side_tools: [{tool_type: web_search}, {tool_type: web_search}]',
      '3:58 duplicate-name',
    ],
    [
      'domains both ways',
      'name: x\nserver_side_tools: [{tool_type: web_search, allowed_domains: [a.org], blocked_domains: [b.org]}]',
      '3:71 conflicting-keys',
    ],
    ['no domain', 'name: x\nserver_side_tools: [{tool_type: web_search, allowed_domains: []}]', '3:62 invalid-value'],
    ['no use', 'name: x\nserver_side_tools: [{tool_type: web_search, max_uses: 0}]', '3:55 invalid-value'],
  ])('with %s is refused where it is', (_what, front, expected) => {
    expect(problemsOf(front)).toEqual([expected]);
  });

  it('has tools of its provider with their limits, before a tool of the same name', () => {
    const files = {
      'p/main.agent':
        '---\nname: main\ntools: [web_search, read_file]\nserver_side_tools:\n  - tool_type: web_search\n    ' +
        'max_uses: 3\n    allowed_domains: [example.org]\n  - tool_type: code_execution\n---\nYou lead.\n',
    };
    const { agents, found } = compile(MANIFEST, files);
    expect(found).toEqual([]);
    expect(agents[0]?.uses).toEqual([
      { kind: 'provider', name: 'web_search', max_uses: 3, allowed_domains: ['example.org'] },
      { kind: 'provider', name: 'code_execution' },
      { kind: 'builtin', name: 'read_file' },
    ]);
  });

  it('is told what no provider does', () => {
    expect(
      problemsOf(
        'name: x\nserver_side_tools: [{tool_type: image_generation}, {tool_type: code_execution, max_uses: 2}]',
      ),
    ).toEqual(['3:33 unsupported-key', '3:80 unsupported-key']);
  });

  it('without front matter is refused', () => {
    expect(compileIn(createProject({ 'x.agent': 'You help.\n' }), 'x.agent').problems.map(brief)).toEqual([
      '1:1 unsupported-format',
    ]);
  });

  it('alone may name agents beside it; another name is a warning', () => {
    expect(problemsOf('name: x\ntoolsets: [y]')).toEqual(['3:12 unknown-toolset']);
    const root = createProject({ 'x.agent': '---\nname: x\ntoolsets: [y]\n---\nYou help.\n' });
    mkdirSync(join(root, 'any'), { recursive: true });
    writeFileSync(join(root, 'y.agent'), HELPER);
    expect(compileIn(root, 'x.agent').problems.map(brief)).toEqual([]);
  });

  it('that a manifest lists is one of its project also alone: all of that may be named, and nothing else', () => {
    const manifest = (python: string[]): string =>
      JSON.stringify({
        version: 1,
        runtime: {},
        entry: { agent: 'x' },
        agent_files: ['x.agent', 'agents/far.agent', 'agents/y.agent'],
        ...(python.length > 0 ? { python_files: python } : {}),
      });
    const agent = (name: string, sets: string): string =>
      `---\nname: ${name}\nmodel: anthropic:x\ntoolsets: ${sets}\n---\nYou help.\n`;
    const files = {
      'p/project.json': manifest([]),
      'p/x.agent': agent('x', '[far]'),
      'p/agents/far.agent': agent('far', '[x, stranger]'),
      'p/agents/y.agent': agent('y', '[dynamic_agents]'),
      'p/stranger.agent': agent('stranger', '[x]'),
    };
    const root = createProject(files);
    const told = (name: string): string[] =>
      compileIn(root, name).problems.map((one) => `${one.file} ${one.severity} ${brief(one)}`);
    expect(told('p/x.agent')).toEqual([]);
    expect(told('p/agents/far.agent')).toEqual(['p/agents/far.agent error 4:15 unknown-toolset']);
    expect(told('p/agents/y.agent')).toEqual(['p/agents/y.agent warning 4:12 missing-key']);
    // No manifest lists it.
    expect(told('p/stranger.agent')).toEqual([]);
    writeFileSync(join(root, 'p/project.json'), manifest(['tools.py']));
    expect(told('p/agents/far.agent')).toEqual(['p/agents/far.agent error 4:15 python-only']);
  });

  it('in definitions/agents is used by workflows by its name, with its patterns of models', () => {
    const files = {
      'definitions/agents/x.agent': '---\nname: x\ncompatible_models: ["anthropic:*"]\n---\nYou help.\n',
      'flow.yml': 'steps:\n  - agent: x\n',
    };
    const { plan, problems } = compileIn(createProject(files), 'flow.yml');
    expect(problems).toEqual([]);
    expect(Object.values(plan?.agents ?? {})).toMatchObject([{ name: 'x', compatible_models: ['anthropic:*'] }]);
  });
});
