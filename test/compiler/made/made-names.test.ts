import { describe, expect, it } from 'vitest';
import { compileMade } from '../../../src/compiler/made/compile-made.js';
import { compileMadeAgent } from '../../../src/compiler/made/made-agent.js';
import { compileMadeTool } from '../../../src/compiler/made/made-tool.js';
import { compileMadeWorkflow } from '../../../src/compiler/made/made-workflow.js';
import type { JsonObject } from '../../../src/plan/values/json.js';
import { NO_BUDGETS } from '../../../src/plan/budget/budgets.js';
import type { Tool } from '../../../src/plan/tools/tool.js';
import { FILES, agent } from '../../workflows/helpers/conversing.js';
import { createProject } from '../helpers/temporary-project.js';

const file = 'definitions/workflows/made.yml';
const PROJECT = { 'definitions/agents/scanner.yml': 'name: scanner\nprompt: You scan.\n' };

describe('a workflow that an agent makes', () => {
  it('has no name that the project has, be it in two files', () => {
    const root = createProject({
      ...PROJECT,
      'definitions/workflows/deploy.yml': 'steps: [{command: [a]}]\n',
      'definitions/workflows/deploy.yaml': 'steps: [{command: [b]}]\n',
    });
    const bounds = {
      ...{ maker: agent({ uses: FILES }), taken: [], models: [''], model: '', agents: {} },
      rules: { kinds: ['agent' as const], budgets: NO_BUDGETS },
    };
    const { made } = compileMadeWorkflow(
      { name: 'deploy', definition: { steps: [{ agent: 'scanner' }] } },
      bounds,
      root,
    );
    expect(made).toEqual({ problems: 'The project has a workflow `deploy` already; choose another name.' });
  });
});

describe('what is made under the name of a tool that its maker lacks', () => {
  const DEPLOY =
    'name: deploy\ndescription: Deploys.\nkind: command\nversion: 1\ninputs: {schema: {type: object}}\noutputs: ' +
    '{format: text}\nexec: {command: {entrypoint: ./deploy}}\n';
  const root = (): string =>
    createProject({
      ...PROJECT,
      'definitions/tools/deploy/tool.yml': DEPLOY,
      'definitions/agents/ops.yml': 'name: ops\nprompt: You deploy.\ntools: [deploy]\n',
      'definitions/agents/lead.yml': 'name: lead\nprompt: You lead.\ntools: [ops, read_file]\n',
    });
  const WORKFLOW: Tool = {
    kind: 'workflow',
    name: 'deploy',
    description: null,
    inputs: '{}',
    plan: `sha256:${'c'.repeat(64)}`,
  };
  const CUSTOM: Tool = {
    kind: 'custom',
    name: 'deploy',
    description: 'Deploys.',
    inputs: '{}',
    definition: '{}',
    through: 'shell',
  };
  const AGENT: Tool = { kind: 'made', name: 'deploy', description: null, agent: `sha256:${'d'.repeat(64)}` };
  const bounds = (...more: Tool[]) => ({
    maker: agent({ uses: [...FILES, { kind: 'maker', name: 'tool_create' }, ...more] }),
    taken: [],
    models: [''],
    model: '',
    agents: {},
    rules: { kinds: ['agent' as const, 'tool' as const], budgets: NO_BUDGETS },
  });
  const workflow = (name: string, steps: JsonObject[], ...more: Tool[]) =>
    compileMadeWorkflow({ name, definition: { steps } }, bounds(...more), root()).made;

  it.each(['deploy', 'Deploy', 'github__push', 'mcp_github_push'])('is refused: `%s` is the name of a tool', (name) => {
    const problems = expect.stringContaining(`\`${name}\` is the name of a tool`) as string;
    expect(workflow(name, [{ agent: 'scanner' }])).toEqual({ problems });
    expect(compileMadeTool({ name, definition: DEPLOY }, bounds(), root()).made).toEqual({ problems });
    expect(compileMadeAgent({ name, instructions: 'Go.', description: 'Goes.' }, bounds(), root()).made).toEqual({
      problems,
    });
  });

  it.each([
    ['workflow', WORKFLOW],
    ['tool', CUSTOM],
    ['agent', AGENT],
  ])('gives its maker no such tool: a %s', (_what, made) => {
    expect(workflow('boost', [{ agent: 'ops' }], made)).toEqual({
      problems: expect.stringContaining('The agent `ops` may use `deploy`, which whoever made this may not.') as string,
    });
    expect(workflow('boost', [{ tool: 'deploy' }], made)).toEqual({
      problems: expect.stringContaining('It calls the tool `deploy`, which whoever made this may not use.') as string,
    });
  });

  it('is held against the tool itself, which a maker that has it may hand on', () => {
    const { plan } = compileMade({ file, text: 'name: made\nsteps:\n  - agent: ops\n' }, root());
    const [own] = Object.values(plan?.agents ?? {}).flatMap(({ uses = [] }) => uses);
    if (own?.kind !== 'defined') throw new Error('no tool of a file');
    expect(workflow('boost', [{ agent: 'ops' }, { tool: 'deploy', inputs: {} }], own)).toMatchObject({
      plan: { name: 'boost' },
    });
    expect(workflow('boost', [{ agent: 'ops' }], { ...own, definition: '{}' })).toHaveProperty('problems');
  });

  it('is looked for in agents that its agents may ask', () => {
    const asks: Tool = { kind: 'agent', name: 'ops', description: null, agent: `sha256:${'e'.repeat(64)}` };
    expect(workflow('boost', [{ agent: 'lead' }], asks)).toEqual({
      problems: expect.stringContaining('The agent `ops` may use `deploy`') as string,
    });
    expect(workflow('boost', [{ agent: 'lead' }])).toEqual({
      problems: expect.stringContaining('The agent `lead` may use `ops`') as string,
    });
  });
});
