import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Plan } from '../../../src/plan/plan.js';
import type { Agent } from '../../../src/plan/step.js';
import { validatePaths } from '../../../src/compiler/validate.js';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const FIXTURES = join(import.meta.dirname, '../fixtures/projects');

/** A project as people write them, in a folder below that of `perdure.yml`. */
function projectOf(name: string): string {
  const root = createProject({});
  cpSync(join(FIXTURES, name), join(root, name), { recursive: true });
  return root;
}

function planOf(name: string): Plan {
  const { plan, problems } = compileIn(projectOf(name), name);
  if (plan === null) throw new Error(problems.map(brief).join('; '));
  expect(problems.map(brief)).toEqual([]);
  return plan;
}

/** The agent that is asked by a way of calls, the entry first; undefined where nobody has that tool. */
function agentAt(plan: Plan, ...way: string[]): Agent | undefined {
  const [step] = plan.steps;
  let agent = step?.kind === 'agent' ? plan.agents[step.agent] : undefined;
  for (const name of way) {
    const tool = agent?.uses?.find((one) => one.name === name);
    agent = tool?.kind === 'agent' ? plan.agents[tool.agent] : undefined;
  }
  return agent;
}

const toolsOf = (agent: Agent | undefined): string[] => (agent?.uses ?? []).map(({ name }) => name);
const FILES = ['read_file', 'list_files', 'search_files', 'write_file', 'edit_file'];
const READING = FILES.slice(0, 3);

describe('projects as people write them', () => {
  it('an agent that asks itself has itself as a tool, down to the level whose call is refused', () => {
    const plan = planOf('recursive-outline');
    for (const levels of [0, 1, 2, 3]) {
      const agent = agentAt(plan, ...Array.from({ length: levels }, () => 'outliner'));
      expect(toolsOf(agent)).toEqual(['outliner']);
      expect(agent?.max_depth).toBe(4);
    }
    expect(toolsOf(agentAt(plan, 'outliner', 'outliner', 'outliner', 'outliner'))).toEqual([]);
    expect(Object.keys(plan.agents)).toHaveLength(5);
  });

  it('an agent of a folder below is found, asks itself, and reads where the manifest is', () => {
    const plan = planOf('recursive-report');
    expect(toolsOf(agentAt(plan))).toEqual([...FILES, 'section']);
    expect(toolsOf(agentAt(plan, 'section'))).toEqual(['section', ...READING]);
    const roots = [agentAt(plan), agentAt(plan, 'section')].flatMap((agent) =>
      (agent?.uses ?? []).map((tool) => ('root' in tool ? tool.root : tool.kind)),
    );
    expect(new Set(roots)).toEqual(new Set(['recursive-report', 'agent']));
  });

  it('instructions are text, whatever in them looks like a reference', () => {
    expect(agentAt(planOf('recursive-report'))?.prompt).toMatchObject({
      kind: 'literal',
      value: expect.stringContaining('`report-${DAY:-today}.md`; a dollar sign is `\\${`.') as string,
    });
  });

  it('decks are evaluated by models alone: one agent asks the other about each file', () => {
    const plan = planOf('decks-llm');
    expect(toolsOf(agentAt(plan))).toEqual([...FILES, 'deck_judge']);
    expect(agentAt(plan)).toMatchObject({ model: null, compatible_models: ['anthropic:claude-*'] });
    expect(agentAt(plan, 'deck_judge')).toMatchObject({ compatible_models: ['anthropic:*', 'google-gla:gemini-*'] });
    expect(agentAt(plan)?.permissions?.denial).toBe('report');
  });

  it('decks are evaluated by an agent that is made in the run, which is written beside the manifest', () => {
    const tools = agentAt(planOf('decks-boot'))?.uses ?? [];
    expect(tools.slice(FILES.length)).toEqual([
      { kind: 'maker', name: 'agent_create', folder: 'decks-boot/generated', root: 'decks-boot' },
      { kind: 'maker', name: 'agent_call', root: 'decks-boot' },
    ]);
  });

  it('each agent is asked about as the manifest says of it', () => {
    const plan = planOf('review-desk');
    const asked = (agent: Agent | undefined): string[] =>
      (agent?.permissions?.ask ?? []).filter((one) => one.startsWith('agent:'));
    expect(asked(agentAt(plan))).toEqual(['agent:desk', 'agent:fixer']);
    expect(asked(agentAt(plan, 'fixer'))).toEqual(['agent:desk', 'agent:fixer']);
    expect(toolsOf(agentAt(plan, 'fixer'))).toEqual([...FILES, 'reader']);
    expect(agentAt(plan, 'fixer', 'reader')?.max_depth).toBe(3);
  });

  it.each([
    ['tools in code', 'decks-stable', 'decks-stable/main.agent 3:12 python-only'],
    ['an entry in code', 'decks-code', 'decks-code/project.json 7:17 python-only'],
    ['rules of commands in code', 'review-rules', 'review-rules/reviewer.agent 7:5 python-only'],
  ])('%s: one sentence, whether the folder is validated or its manifest', (_what, name, problem) => {
    const root = projectOf(name);
    for (const path of ['.', name, `${name}/project.json`]) {
      const { problems } = validatePaths([path], root);
      expect(problems.map((one) => `${one.file} ${brief(one)}`)).toEqual([problem]);
    }
  });

  it.each(['recursive-outline', 'recursive-report', 'decks-llm', 'decks-boot', 'review-desk'])(
    '%s: nothing is wrong with its folder',
    (name) => {
      expect(validatePaths(['.'], projectOf(name)).problems).toEqual([]);
    },
  );

  it('a depth that no Plan holds is refused with the largest', () => {
    const manifest = {
      version: 1,
      runtime: { max_depth: 101 },
      entry: { agent: 'main' },
      agent_files: ['main.agent'],
    };
    const agent = '---\nname: main\ntoolsets: [main]\n---\nYou work.\n';
    const compiled = (depth: number) => {
      const text = JSON.stringify({ ...manifest, runtime: { max_depth: depth } });
      return compileIn(createProject({ 'project.json': text, 'main.agent': agent }), '.');
    };
    expect(compiled(101).problems).toMatchObject([
      { code: 'invalid-value', message: expect.stringContaining('a whole number from 1 to 100') as string },
    ]);
    expect(Object.keys(compiled(100).plan?.agents ?? {})).toHaveLength(101);
  });
});
