import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/plan/step.js';
import { compileText } from '../helpers/temporary-project.js';

const compile = (steps: string) =>
  compileText(
    `steps:\n${steps
      .split('\n')
      .map((line) => `  ${line}`)
      .join('\n')}\n`,
  );
const last = (steps: string): Step | undefined => compile(steps).plan?.steps.at(-1);
const codes = (steps: string): string[] => compile(steps).problems.map(({ code, message }) => `${code} ${message}`);

describe('an approval', () => {
  it('takes its keys beside it or inside it', () => {
    const rules = {
      rules: {
        approvers: { kind: 'literal', value: ['ana', 'bo'] },
        quorum: 2,
        reminder_ms: 3_600_000,
        escalate: { after_ms: 7_200_000, to: { kind: 'literal', value: 'cy' } },
      },
    };
    const fields = {
      kind: 'approval',
      deadline_ms: 86_400_000,
      options: ['ship', 'hold'],
      default: 'hold',
      fixed: true,
      ...rules,
    };
    const keys = [
      'options: [ship, hold]',
      'default: hold',
      'edit: false',
      'required_approver: [ana, bo]',
      'quorum: 2',
      'reminder: 1h',
      'escalate: {after: 2h, to: cy}',
      'deadline: 1d',
    ];
    expect(last(`- approval: Release?\n${keys.map((key) => `  ${key}`).join('\n')}`)).toMatchObject(fields);
    expect(last(`- approval:\n    message: Release?\n${keys.map((key) => `    ${key}`).join('\n')}`)).toMatchObject(
      fields,
    );
  });

  it('tells the submitter and deciders of steps apart, which come before it', () => {
    expect(last('- id: first\n  approval: One?\n- approval: Two?\n  different_from: [submitter, first]')).toMatchObject(
      {
        needs: [{ step: 0 }],
        rules: { not_submitter: true, not_deciders: { items: [{ expression: { root: 'step:0.decided_by' } }] } },
      },
    );
  });

  it('refuses to want somebody else than who decided what nobody decides', () => {
    expect(codes('- id: first\n  command: [date]\n- approval: Two?\n  different_from: first')).toEqual([
      'invalid-value Expected `different_from` to name a step that people decide, got `first`, a `command` step.',
    ]);
  });

  it('says nothing of rules where there are none', () => {
    expect(last('- approval: Go on?')).not.toHaveProperty('rules');
  });

  it.each([
    ['- approval: Go?\n  different_from: nobody', 'unknown-step'],
    ['- approval: Go?\n  required_approver: [ana]\n  quorum: 2', 'invalid-value Expected a quorum of at most 1'],
    [
      '- approval: Go?\n  deadline: 1h\n  reminder: 60m',
      'invalid-value Expected a time before the deadline (`1h`), got',
    ],
    [
      '- approval: Go?\n  deadline: 1h\n  default: reject\n  escalate: {after: 2h, to: ana}',
      'invalid-value Expected a time before the deadline (`1h`), got `2h`.',
    ],
    ['- approval: Go?\n  options: [a, a]', 'duplicate-name `a` can be chosen already.'],
    ['- approval: Go?\n  options: ["a b", "a  b"]', 'duplicate-name `a b` can be chosen already.'],
    [`- ask: Which?\n  choices: [b, "${'a'.repeat(511)}"]`, 'invalid-value Expected a choice of at most 512 bytes.'],
    [`- approval: Go?\n  options: ["${'a'.repeat(511)}"]`, 'invalid-value Expected an option of at most 512 bytes.'],
    ['- ask: Which?\n  choices: [1, 2, "1"]', 'duplicate-name `1` can be chosen already.'],
    ['- approval: Go?\n  options: [a, b]\n  default: c', 'invalid-value Expected one of `a`, `b`, `reject`'],
    ['- approval: Go?\n  default: approve', 'missing-key `default` counts when the deadline passes'],
    ['- approval: {message: Go?, quorum: 2}\n  quorum: 3', 'conflicting-keys'],
    ['- approval: Go?\n  required_approver: []', 'invalid-value Expected at least one name'],
    ['- approval: Go?\n  approvers: ana', 'unknown-key'],
    ['- approval: Go?\n  rework: later\n- id: later\n  command: [true]', 'forward-reference'],
    [
      '- id: a\n  command: [true]\n- command: [true]\n  effect: external\n- approval: Go?\n  rework: a',
      'invalid-value A rejection would run `1` again',
    ],
    ['- approval: "${rework.reason}"', 'unknown-field A rework has no `reason`'],
    [
      '- ask: How many?\n  schema: {type: [integer, "null"]}\n  default: many\n  deadline: 1h',
      'invalid-value Expected an answer of the type that `schema` asks for, `integer` or `null`, got `many`.',
    ],
    [
      '- ask: How many?\n  schema: {type: integer, nullable: true}\n  choices: [1, null, two]',
      'invalid-value Expected an answer of the type that `schema` asks for, `integer` or `null`, got `two`.',
    ],
    ['- ask: Which?\n  choices: [1, 2]\n  default: 3', 'invalid-value Expected the default to be one of'],
    ['- ask: Which?\n  schema: {type: text}', 'invalid-schema'],
    ['- ask: Which?\n  approval: Go?', 'step-kind'],
  ])('%j is the problem %s', (steps, problem) => {
    expect(codes(steps).join('\n')).toContain(problem);
  });
});

describe('a question', () => {
  it('has a schema, choices and a default, in either form', () => {
    const fields = {
      kind: 'ask',
      schema: { type: 'integer' },
      choices: [1, 2],
      default: 2,
      deadline_ms: 60_000,
      timeout_ms: 0,
    };
    expect(
      last('- ask: How many?\n  schema: {type: integer}\n  choices: [1, 2]\n  default: 2\n  deadline: 1m'),
    ).toMatchObject(fields);
    expect(
      last(
        '- ask:\n    question: How many?\n    schema: {type: integer}\n    choices: [1, 2]\n    default: 2\n    ' +
          'deadline: 1m',
      ),
    ).toMatchObject(fields);
  });

  it('is an edge to what it refers to, and its answer is referred to as any output', () => {
    const { plan, problems } = compile(
      '- command: [git, tag]\n  output: tags\n- ask: "After ${tags}?"\n  output: next\n- command: [echo, "${next}"]',
    );
    expect(problems).toEqual([]);
    expect(plan?.steps[1]).toMatchObject({ needs: [{ step: 0, skip: true }] });
  });
});
