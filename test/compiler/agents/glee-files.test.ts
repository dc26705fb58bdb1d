import { describe, expect, it } from 'vitest';
import type { Agent } from '../../../src/plan/step.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const FILE = '.glee/agents/security-scanner.yml';
const WORKFLOW = '.glee/workflows/scan.yml';
const PROMPT = 'prompt: You are a security expert.\n';

function compiled(agent: string, workflow?: string) {
  const root = createProject({ [FILE]: agent, ...(workflow === undefined ? {} : { [WORKFLOW]: workflow }) });
  return compileIn(root, workflow === undefined ? FILE : WORKFLOW);
}

const errorsOf = ({ problems }: ReturnType<typeof compiled>): string[] =>
  problems
    .filter(({ severity }) => severity === 'error')
    .map(({ message, suggestion }) => `${message} ${suggestion ?? ''}`);

// Files as `glee agents import` and people write them; what they come to is what Glee makes of them.
describe('agents of Glee', () => {
  it.each<[string, string, Partial<Agent>]>([
    ['a name by its file', PROMPT, { name: 'security-scanner' }],
    ['its own limits', `${PROMPT}max_output_kb: 50\n`, { max_output_kb: 50 }],
    ['the usual limit of its output', PROMPT, { max_output_kb: 100 }],
    ['the program that plays it', `${PROMPT}agent: codex\n`, { program: 'codex' }],
    ['no program where none is named', PROMPT, { program: null }],
    ['tools', `${PROMPT}tools: [Read, Grep]\n`, { tools: ['Read', 'Grep'] }],
    [
      'where it comes from',
      `${PROMPT}source: {from: claude, file: .claude/agents/scan.md, imported_at: "2026-01-10T12:00:00Z"}\n`,
      { name: 'security-scanner' },
    ],
  ])('have %s', (_what, text, expected) => {
    const made = compiled(text);
    expect(errorsOf(made)).toEqual([]);
    expect(Object.values(made.plan?.agents ?? {})[0]).toMatchObject(expected);
  });

  it.each([
    ['', 5],
    ['timeout_mins: 12\n', 12],
  ])('may take as long as they say, else five minutes: %j', (more, minutes) => {
    expect(compiled(`${PROMPT}${more}`).plan?.steps[0]?.timeout_ms).toBe(minutes * 60_000);
  });

  it('are wanted with a prompt', () => {
    expect(errorsOf(compiled('name: security-scanner\ndescription: Scans.\n'))[0]).toContain('`prompt`');
  });

  it('are found by workflows, which say what there is where a name means nothing', () => {
    expect(errorsOf(compiled(PROMPT, 'name: scan\nsteps: [{agent: security-scanner}]\n'))).toEqual([]);
    const [error] = errorsOf(compiled(PROMPT, 'name: scan\nsteps: [{agent: security-scaner}]\n'));
    expect(error).toContain('security-scanner');
  });
});

const STEPS = 'steps:\n  - {agent: security-scanner}\n  - {agent: security-scanner}\n';

describe('workflows of Glee', () => {
  it.each([
    ['one after the other', '', [[], [0]]],
    ['one after the other', 'execution: sequential\n', [[], [0]]],
    ['beside each other', 'execution: parallel\n', [[], []]],
    ['as their references say', 'execution: dag\n', [[], []]],
  ])('run their steps %s: %j', (_how, execution, needs) => {
    const { plan } = compiled(PROMPT, `name: scan\n${STEPS}${execution}`);
    expect(plan?.steps.map((step) => step.needs.map(({ step: index }) => index))).toEqual(needs);
  });
});
