import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileMade } from '../../../src/compiler/made/compile-made.js';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { toldProblems } from '../../../src/compiler/problems/problem.js';
import { generatedRules } from '../../../src/compiler/project/generated-rules.js';
import { loadConfig } from '../../../src/compiler/project/config.js';
import { findProject } from '../../../src/compiler/project/project.js';
import type { MadeRules } from '../../../src/plan/agents/made-definition.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import { PERMISSIONS } from '../../workflows/helpers/conversing.js';
import { createProject } from '../helpers/temporary-project.js';

const file = 'definitions/workflows/made.yml';
const PROJECT = { 'definitions/agents/scanner.yml': 'name: scanner\nprompt: You scan.\n' };

describe('what an agent made', () => {
  it('says nothing of when people are asked: that is for their own files', () => {
    const folder = createProject(PROJECT);
    const rules = { ...generatedRules({}), tools: null, models: [''], inputs: null };
    const made = (head: string): string =>
      compileMade(
        { file, text: `name: made\n${head}steps:\n  - {agent: scanner, severity: low, type: doc}\n`, rules },
        folder,
      ).problems;
    expect(made('')).toBe('');
    for (const head of ['autonomy: yolo\n', 'autonomy: hitl\n', 'autonomy: {require_approval_for: []}\n'])
      expect(made(head)).toMatch(/Expected no `autonomy`/);
  });
});

it.each([
  ['characters', 30_000, /at most 100000 characters, got \d+/],
  ['steps', 1_001, /at most 1000 steps, got 1001/],
])('what an agent made is refused before it is compiled where it has too many %s', (_what, count, problem) => {
  const rules = { ...generatedRules({}), tools: null, models: [''], inputs: null };
  const steps = Array.from({ length: count }, (_, index) => `- {id: s${index}, agent: no}\n`);
  const text = `name: made\nsteps:\n${steps.join('')}`;
  const { plan, problems } = compileMade({ file, text, rules }, createProject(PROJECT));
  expect(plan).toBe(null);
  expect(problems).toMatch(problem);
  expect(problems).not.toContain('unknown-agent');
});

it('what an agent made is told its first problems, each in short', () => {
  const steps = Array.from({ length: 30 }, (_, index) => `  - {agent: nobody${index}}\n`);
  const { problems } = compileMade({ file, text: `name: made\nsteps:\n${steps.join('')}` }, createProject(PROJECT));
  const lines = problems.split('\n');
  expect([lines.length, lines.at(-1)]).toEqual([21, '… and 10 more problems.']);
  expect(toldProblems(['x'.repeat(5_000)])).toHaveLength(1_000);
});

describe('a definition that is a text only', () => {
  it('compiles as if it lay in the project, and names agents of its files', () => {
    const { plan, problems } = compileMade(
      { file, text: 'name: made\nsteps:\n  - agent: scanner\n' },
      createProject(PROJECT),
    );
    expect([plan?.name, Object.values(plan?.agents ?? {}).map(({ name }) => name), problems]).toEqual([
      'made',
      ['scanner'],
      '',
    ]);
  });

  it('names agents that were made before it, but a file of that name wins', () => {
    const agents = {
      'generated/helper.agent': '---\nname: helper\n---\nYou help.\n',
      'generated/scanner.agent': '---\nname: scanner\n---\nYou are another.\n',
    };
    const { plan } = compileMade(
      { file, text: '{"name": "made", "steps": [{"agent": "helper"}, {"agent": "scanner"}]}', agents },
      createProject(PROJECT),
    );
    expect(
      Object.values(plan?.agents ?? {}).map(({ name, prompt }) => [
        name,
        JSON.stringify(prompt).includes('You are another'),
      ]),
    ).toEqual([
      ['helper', false],
      ['scanner', false],
    ]);
  });

  it('is refused with every problem, at its place', () => {
    const { plan, problems } = compileMade(
      { file, text: 'name: made\nsteps:\n  - agent: scaner\n    promt: x\n' },
      createProject(PROJECT),
    );
    expect(plan).toBe(null);
    expect(problems.split('\n')).toEqual([
      expect.stringMatching(/^definitions\/workflows\/made\.yml:3:12 {2}unknown-agent {2}.*did you mean `scanner`/),
      expect.stringMatching(/^definitions\/workflows\/made\.yml:4:5 {2}unknown-key {2}/),
    ]);
  });
});

describe('a tool that is a text only', () => {
  const TOOL =
    'name: count\ndescription: Counts.\nkind: command\nversion: 1\ninputs: {schema: {type: object}}\noutputs: ' +
    '{format: text}\nexec: {command: {entrypoint: wc}}\n';

  it.each([
    ['step', '  - tool: count\n'],
    ['agent', '  - agent: scanner\n'],
  ])('is asked about at each call of a %s, whatever it says itself', (who, step) => {
    const root = createProject({
      ...PROJECT,
      'definitions/agents/scanner.yml': 'name: scanner\nprompt: You scan.\ntools: [count]\n',
      [file]: `name: made\nsteps:\n${step}`,
    });
    const at = join(root, 'definitions/tools/count/tool.yml');
    const project = findProject(root);
    const { plan } = compileDefinition({
      file,
      cwd: root,
      project,
      config: loadConfig(project).config,
      made: { texts: new Map([[at, TOOL]]), agents: [], tools: [at] },
    });
    const [caller] = who === 'step' ? (plan?.steps ?? []) : Object.values(plan?.agents ?? {});
    expect(caller).toMatchObject({
      permissions: { ask: expect.arrayContaining(['tool:count']) as string[] },
      [who === 'step' ? 'tool' : 'uses']: who === 'step' ? { made: true } : [{ made: true }],
    });
  });
});

describe('a workflow that an agent makes with steps of tools', () => {
  const rules: MadeRules = {
    kinds: ['agent', 'tool'],
    budgets: NO_BUDGETS,
    tools: [{ kind: 'builtin', name: 'write_file' }],
    models: [''],
    inputs: null,
    within: [{ ...PERMISSIONS, protected: ['/out.txt'], network: ['example.org'] }],
  };
  const PUSH: Tool = {
    kind: 'mcp',
    name: 'github__push',
    server: 'github',
    remote: 'push',
    description: 'Pushes.',
    inputs: '{}',
    connect: '{}',
  };
  const made = (step: string, by = rules) =>
    compileMade(
      { file, text: `name: made\nsteps:\n${step}`, rules: by },
      createProject({
        ...PROJECT,
        'perdure.yml':
          'permissions: {network: true, allow: ["write:*"]}\nmcp: {github: {command: [node, github.js]}}\n',
      }),
    );

  it('holds them to what its maker may do', () => {
    const { plan, problems } = made('  - {tool: write_file, inputs: {path: out.txt, content: x}}\n');
    expect(problems).toBe('');
    const [step] = plan?.steps ?? [];
    if (step?.kind !== 'tool') throw new Error('no step of a tool');
    expect(judgeAction(step.permissions, { kind: 'write', path: 'out.txt' })).toMatchObject({
      verdict: 'deny',
      reason: expect.stringContaining('protected') as string,
    });
    expect(step.permissions.network).toEqual(['example.org']);
  });

  it.each([
    [
      'are not allowed to made workflows',
      '  - {tool: write_file, inputs: {path: a, content: x}}\n',
      { ...rules, kinds: ['agent' as const] },
      'Expected `agent` steps only, got a `tool` step',
    ],
    [
      'call what its maker may not',
      '  - {tool: read_file, inputs: {path: a}}\n',
      rules,
      'It calls the tool `read_file`, which whoever made this may not use.',
    ],
    [
      'call tools of MCP servers',
      '  - {tool: github__push, inputs: {}}\n',
      { ...rules, tools: [PUSH] },
      "It calls `github__push` of an MCP server, which only people's workflows do.",
    ],
    [
      'say what they may do',
      '  - {tool: write_file, inputs: {path: a, content: x}, permissions: {network: true}}\n',
      rules,
      'sets no `permissions`; step `0` does',
    ],
    [
      'say what they change',
      '  - {tool: write_file, inputs: {path: a, content: x}, effect: none}\n',
      rules,
      'sets no `effect`; step `0` does',
    ],
    [
      'say what they may do in a loop',
      '  - {id: again, loop: {until: "${index > 1}", max: 2}, steps: [{tool: write_file, inputs: {path: a, ' +
        'content: x}, permissions: {network: true}}]}\n',
      rules,
      'sets no `permissions`; step `again/0` does',
    ],
    [
      'say what they change in a foreach of a foreach',
      '  - {foreach: [1], steps: [{foreach: [1], steps: [{id: w, tool: write_file, inputs: {path: a, content: ' +
        'x}, effect: none}]}]}\n',
      rules,
      'sets no `effect`; step `0/0/w` does',
    ],
  ])('is refused where they %s', (_what, step, by, problem) => {
    expect(made(step, by)).toMatchObject({ plan: null, problems: expect.stringContaining(problem) as string });
  });

  it('keeps tools of MCP servers that its maker has for its agents, and refuses the others with the reason', () => {
    const ops = (tools: string, name = 'definitions/agents/ops.yml') => ({
      ...PROJECT,
      'perdure.yml': 'mcp: {github: {command: [node, github.js]}}\n',
      [name]: name.endsWith('.md')
        ? `---\nname: ops\ndescription: Works.\ntools: ${tools}\n---\nYou work.\n`
        : `name: ops\nprompt: You work.\ntools: [${tools}]\n`,
    });
    const workflow = (files: Record<string, string>, tools: Tool[] | null) =>
      compileMade(
        { file, text: 'name: made\nsteps:\n  - agent: ops\n', rules: { ...rules, tools } },
        createProject(files),
      );
    for (const name of ['github__push', '"github__*"', 'mcp__github__push'])
      expect(Object.values(workflow(ops(name), [PUSH]).plan?.agents ?? {})).toMatchObject([{ uses: [PUSH] }]);
    const refused = {
      plan: null,
      problems: expect.stringContaining(
        'Whoever made this has no tool `github__delete`, and MCP servers are not asked in the middle of a run.',
      ) as string,
    };
    expect(workflow(ops('github__delete'), [PUSH])).toMatchObject(refused);
    expect(workflow(ops('github__delete'), null)).toMatchObject(refused);
    expect(workflow(ops('github__delete', '.claude/agents/ops.md'), [PUSH])).toMatchObject(refused);
  });

  it('has them where the project says so', () => {
    expect(generatedRules({ workflows: { ai_generated: { allow_tools: true } } })).toMatchObject({
      kinds: ['agent', 'tool'],
    });
    expect(generatedRules({})).toMatchObject({ kinds: ['agent'], budgets: { max_steps: 10 } });
  });
});
