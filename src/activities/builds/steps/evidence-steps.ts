import { literalText } from '../../../plan/values/expression.js';
import type { Commands } from '../../../plan/builds/task.js';
import type { Gathering } from './context-steps.js';
import type { Mending } from './mend-steps.js';
import { inVain, mendSteps, shownWith } from './mend-steps.js';
import { MOST_ROUNDS } from './task-step.js';
import { DECIDED, troubleStep } from './trouble.js';

/** A step as it is written, whose id others need. */
type StepWithId = { id: string } & Record<string, unknown>;

/** What the steps of evidence need of a build. */
export interface Evidence extends Commands {
  /** Ids of all tasks' steps. */
  needs: string[];
  /** Of these, those of testers: they alone may write tests that others have to leave alone. */
  testers: string[];
  /** Ids of the steps in which nobody may change tests: of evidence, and of compiling after it. */
  fixed: string[];
  mend: Mending | null;
  /** What the spec says of failed tests: a part of the prompt of who mends; null where it says nothing. */
  rules: string | null;
  /** What who mends is told of the build, and of what these steps of evidence found; null for nothing. */
  context: ((found: string[]) => Gathering) | null;
}

/**
 * The last steps of a build: its own tests, and its start, run as commands in the sandbox and never told by an agent.
 * What fails goes back to the builder; what stays failed makes the build partial.
 */
export function evidenceSteps(evidence: Evidence): StepWithId[] {
  const { test_command, needs, start_command, page } = evidence;
  return [
    test_command !== null
      ? tests(test_command, evidence)
      : { id: 'tests', needs, set: { result: 'not tested', ok: false, reason: null, passed: null, failed: null } },
    ...(start_command === null ? [] : [start(program(start_command), evidence, start_command.join(' '))]),
    ...(start_command !== null || page === null ? [] : [start(opened(page), evidence, page)]),
  ];
}

/**
 * A look at the result: a step `run`, an expression that says whether it is well, one of why not, and what else is told
 * of it.
 */
interface Look {
  run: object;
  ok: string;
  /** An expression. */
  reason: string;
  told: Record<string, string>;
  /** Steps that look at more, after `run`, and a template of what they say to who mends. */
  more?: { steps: object[]; said: string };
}

function program(argv: string[]): Look {
  return {
    run: { id: 'run', tool: 'start_program', inputs: { argv: argv.map(literalText) }, on_error: 'continue' },
    ok: '(steps.run.output.ok ?? false)',
    reason: 'steps.run.output.reason ?? steps.run.error',
    told: {},
  };
}

function opened(page: string): Look {
  return {
    run: { id: 'run', tool: 'read_file', inputs: { path: literalText(page) }, on_error: 'continue' },
    ok: "steps.run.status == 'success'",
    reason: 'steps.run.error',
    told: {},
  };
}

function start(look: Look, evidence: Evidence, what: string): StepWithId {
  return {
    id: 'start',
    needs: ['tests'],
    ...mended(andTests(look, evidence), evidence, {
      part: `${what} does not start`,
      ask: `# Make it start\n\nWhat was built is started by \`${what}\`, and that fails. Find the cause and mend it.`,
      what: 'make it start',
      found: ['tests'],
    }),
  };
}

/** Says who has changed tests that are not theirs to change. */
function authorsStep({ testers, fixed, test_command: argv }: Evidence): object {
  return {
    id: 'authors',
    tool: 'test_changes',
    inputs: { writers: testers, fixed, ...(argv === null ? {} : { argv: argv.map(literalText) }) },
    on_error: 'continue',
  };
}

/** A look at the tests in a loop after them, once who mends there has changed something. */
export interface TestedAgain {
  /** Steps of a round. */
  steps: object[];
  /** An expression: they were not to be run again, or passed and are as they were. */
  passed: string;
  /** An expression of why not; null where they passed. */
  reason: string;
  /** A template of what they said. */
  said: string;
}

/** What had passed may be broken by who mends something else: then it is run again. Null where nothing is tested. */
export function testedAgain(evidence: Evidence): TestedAgain | null {
  const { test_command: argv } = evidence;
  if (argv === null) return null;
  const had = '(steps.tests.output.ok ?? false)';
  const when = `\${index > 0 && ${had}}`;
  return {
    steps: [
      { id: 'tested', when, tool: 'run_tests', inputs: { argv: argv.map(literalText) }, on_error: 'continue' },
      { ...authorsStep(evidence), when },
    ],
    passed: `(index == 0 || !${had} || ` + '((steps.tested.output.ok ?? false) && (steps.authors.output.ok ?? true)))',
    reason: 'steps.authors.output.reason ?? steps.tested.output.reason',
    said: '${steps.authors.output.reason ?? ""}\n${steps.tested.output.output ?? ""}',
  };
}

/** Who made it start may have broken what had passed. */
function andTests(look: Look, evidence: Evidence): Look {
  const again = testedAgain(evidence);
  if (again === null) return look;
  const { steps, passed, reason, said } = again;
  return {
    ...look,
    ok: `(${look.ok} && ${passed})`,
    reason: `${reason} ?? ${look.reason}`,
    more: { steps, said },
  };
}

/** Tests that others changed than testers are no pass; where nobody knows, those that changed since their first run. */
function tests(argv: string[], evidence: Evidence): StepWithId {
  const kept = 'steps.run.output.tests_hash == steps.kept.output.hash';
  const look: Look = {
    run: { id: 'run', tool: 'run_tests', inputs: { argv: argv.map(literalText) }, on_error: 'continue' },
    ok:
      '((steps.run.output.ok ?? false) && (steps.authors.output.ok ?? true) && ' +
      `((steps.authors.output.known ?? false) || ${kept}))`,
    reason: 'steps.authors.output.reason ?? steps.run.output.reason ?? steps.run.error',
    more: {
      steps: [authorsStep(evidence)],
      said: '${steps.authors.output.reason ?? ""}',
    },
    told: {
      changed_by: '${steps.authors.output.changes ?? null}',
      result: '${steps.run.output.output ?? ""}',
      passed: '${steps.run.output.passed ?? null}',
      failed: '${steps.run.output.failed ?? null}',
    },
  };
  return {
    id: 'tests',
    needs: evidence.needs,
    ...mended(look, evidence, {
      part: 'the tests fail',
      ask:
        `# Make the tests pass\n\nThe tests of the project fail (\`${argv.join(' ')}\`). Find the cause and mend it. ` +
        `The tests themselves stay as they are, and so do the command and what sets them up: changed tests count ` +
        `as failed.`,
      what: 'make the tests pass',
      found: [],
    }),
  };
}

/** Why it is not well, and what it said. */
const SHOWN = '${steps.looked.output.reason ?? ""}\n\n${steps.run.output.output ?? steps.run.error ?? ""}';

function mended(
  look: Look,
  { mend, rules, context }: Evidence,
  { part, ask, what, found }: { part: string; ask: string; what: string; found: string[] },
): object {
  const most = mend?.rounds ?? 0;
  return {
    on_error: 'stop',
    loop: { until: `\${steps.looked.output.ok || ${DECIDED}}`, max: MOST_ROUNDS + most, at_max: 'continue' },
    steps: [
      ...mendSteps(mend, {
        prompt: [
          literalText(ask),
          `<output>\n${look.more?.said ?? ''}\n\${steps.run.output ?? steps.run.error}\n</output>`,
          ...(rules === null ? [] : [literalText(rules)]),
        ].join('\n\n'),
        what,
        gather: context?.(found) ?? null,
      }),
      look.run,
      ...(look.more?.steps ?? []),
      { id: 'kept', set: { hash: '${steps.kept.output.hash ?? steps.run.output.tests_hash ?? ""}' } },
      {
        id: 'looked',
        set: {
          ...look.told,
          ok: `\${${look.ok}}`,
          reason: `\${${look.reason}}`,
        },
      },
      { id: 'judged', set: { ask: `\${!(${look.ok}) && (index >= ${most} || ${inVain(mend)})}` } },
      troubleStep(part, {
        when: 'steps.judged.output.ask',
        shown: shownWith(mend, SHOWN),
      }),
      {
        id: 'passed',
        set: { message: '${steps.looked.output.reason ?? "The tests were changed while they were mended."}' },
        require: '${steps.looked.output.ok}',
        on_error: 'skip_dependents',
      },
    ],
    yields: '${steps.looked.output}',
  };
}
