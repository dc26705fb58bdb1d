import { describe, expect, it } from 'vitest';
import { brief, compileIn, createProject } from '../helpers/temporary-project.js';

const INTENT = `type: intent
name: harden-login
description: Makes the login safer.
goal: Make the login of \${service} resist guessing.
constraints:
  - Do not change the public API.
  - All tests pass.
success_criteria: Ten wrong passwords in a minute are refused.
`;

function compile(text: string, name = '.glee/workflows/harden.yml') {
  return compileIn(createProject({ [name]: text }), name);
}

function problemsOf(text: string, name?: string): string[] {
  return compile(text, name).problems.map(brief);
}

describe('A workflow that says its goal', () => {
  it.each([
    ['  - Size: at most 1 MB\n  - All tests pass.', ['Size: at most 1 MB', 'All tests pass.']],
    ['  max_files: 10\n  style: terse\n  tests:', ['max_files: 10', 'style: terse', 'tests']],
  ])('reads constraints that YAML takes for maps as sentences: %s', (constraints, value) => {
    const { plan, problems } = compile(`name: a\ngoal: Write docs.\nconstraints:\n${constraints}\n`);
    expect(problems).toEqual([]);
    expect(plan?.steps[0]).toMatchObject({ inputs: { constraints: { kind: 'literal', value } } });
  });

  it('has tasks planned, approved, carried out and held against its constraints', () => {
    const { plan, problems } = compile(INTENT);
    expect(problems).toEqual([]);
    expect(plan?.steps.map(({ id, kind }) => [id, kind])).toEqual([
      ['plan', 'agent'],
      ['work', 'plan'],
      ['check', 'agent'],
      ['held', 'set'],
    ]);
    expect(plan?.inputs).toMatchObject({ service: { required: true } });
    const [thinks, , checks] = plan?.steps ?? [];
    for (const step of [thinks, checks])
      expect(step).toMatchObject({
        inputs: {
          constraints: { kind: 'literal', value: ['Do not change the public API.', 'All tests pass.'] },
          success_criteria: { kind: 'literal', value: 'Ten wrong passwords in a minute are refused.' },
        },
      });
  });

  it.each([
    ['definitions/workflows/x.yml', 'goal: Tidy up.\n'],
    ['.glee/workflows/x.yml', 'goal: Tidy up.\nconstraints: Nothing breaks.\n'],
    ['x.yml', 'goal: Tidy up.\nsuccess_criteria: [It is tidy.]\n'],
    ['x.yml', 'goal: Tidy up.\nconstraints: [Nothing breaks.]\n'],
    ['x.yml', 'type: intent\ngoal: Tidy up.\n'],
  ])('is known as one by its words or its place: %s %j', (name, text) => {
    expect(compile(text, name).plan?.steps.map(({ id }) => id)).toEqual(['plan', 'work', 'check', 'held']);
  });

  it.each([
    ['x.yml', 'goal: Build a game.\n'],
    ['x.yml', 'nugget: {goal: Build a game., type: software, description: A game.}\nconstraints: [x]\n'],
    ['definitions/builds/x.yml', 'goal: Build a game.\ntype: software\n'],
  ])('is no build: %s %j still is one', (name, text) => {
    const { plan } = compile(text, name);
    expect(plan?.steps.some(({ id }) => id === 'held')).not.toBe(true);
  });

  it('has each problem where it is written', () => {
    expect(problemsOf('type: intent\nname: a\n')).toEqual(['1:1 missing-key']);
    expect(problemsOf('type: intent\ngoal: ""\n')).toEqual(['2:7 invalid-value']);
    expect(problemsOf('goal: Go.\nconstraints: {a: {b: 1}}\n')).toEqual(['2:14 invalid-value']);
    expect(problemsOf('goal: Go.\nconstraints: [a, 3]\n')).toEqual(['2:18 invalid-value']);
    expect(problemsOf('goal: "Go ${steps.nowhere.output}."\nconstraints: [a]\n')).toEqual(['1:13 unknown-step']);
    expect(problemsOf('goal: Go.\ngaol: 1\nconstraints: [a]\n')).toEqual(['2:1 unknown-key']);
  });

  it.each([
    ['checkpoints', '[{when: before_deploy, requires: human_approval, rollback_on_failure: true}]'],
    ['boundaries', '{allowed: [src/], forbidden: [infra/]}'],
    ['memory', '{before_run: {query: past logins}, after_run: {store: decision}}'],
  ])('refuses %s once, by name', (key, value) => {
    const { plan, problems } = compile(`${INTENT}${key}: ${value}\n`);
    expect(plan).toBeNull();
    expect(problems.map(({ code, line, column }) => [code, line, column])).toEqual([['unsupported-key', 9, 1]]);
    expect(problems[0]?.message).toContain(`\`${key}\``);
    expect(compile(INTENT).plan).not.toBeNull(); // without it, as the suggestion says
  });

  it.each(['guardrails', 'learning', 'hybrid'])('of the family %s is refused with what to write', (family) => {
    const { problems } = compile(
      `type: ${family}\ngoal: Keep it fast.\nboundaries: {forbidden: [x]}\nsteps: [{agent: explore}]\n`,
    );
    expect(problems).toMatchObject([{ code: 'unsupported-key', line: 1, column: 7 }]);
    expect(problems[0]?.suggestion).toContain('type: intent');
  });

  it('has no steps beside its goal', () => {
    expect(problemsOf(`${INTENT}steps: [{agent: explore}]\n`)).toEqual(['9:1 conflicting-keys']);
  });
});

describe('A workflow of `type: imperative`', () => {
  it('is one with steps', () => {
    const { plan, problems } = compile('type: imperative\nsteps:\n  - {id: look, agent: explore, prompt: Look.}\n');
    expect(problems).toEqual([]);
    expect(plan?.steps.map(({ id }) => id)).toEqual(['look']);
    expect(problemsOf('type: imperative\nname: a\n')).toEqual(['2:1 missing-key']);
  });
});
