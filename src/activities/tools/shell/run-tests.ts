import { builtin, failed, ok } from '../handler/builtin.js';
import type { JsonObject } from '../../../plan/values/json.js';
import { passedOver } from '../files/walk.js';
import { DEFAULT_S, programAction, programInput, runGiven } from './shell.js';
import { testCounts } from './test-counts.js';
import { hashOfTests } from './test-files.js';

export const runTests = builtin({
  description:
    'Runs the tests of the project with its own runner, given as a list of words, and counts them. `ok` says that ' +
    'tests ran and none failed; `reason` says why not.',
  input: programInput,
  parallel: false,
  quick: false,
  effect: 'workspace',
  action: programAction,
  run: async (given, context) => {
    const states: string[] = [];
    const tests_hash = await hashOfTests(context, (path) => states.push(path));
    const end = await runGiven(given, context);
    if ('output' in end) return ok({ ...resultOf(end.output.exit_code, end.output, states), tests_hash });
    if (end.late === undefined) return failed(end.failure);
    const reason = `The tests did not end within ${given.timeout_s ?? DEFAULT_S} s.`;
    return ok({ ...resultOf(null, end.late, states), ok: false, reason, tests_hash });
  },
});

/** What a run of tests came to. */
interface TestResult extends JsonObject {
  ok: boolean;
  passed: number | null;
  failed: number | null;
  exit_code: number | null;
  /** Why it is not ok. */
  reason: string | null;
  output: string;
}

function resultOf(
  exitCode: number | null,
  { stdout, stderr }: { stdout: string; stderr: string },
  states: string[],
): TestResult {
  const output = `${stdout}\n${stderr}`.trim();
  const counts = testCounts(output);
  const reason = faultIn(exitCode, counts);
  return {
    ok: reason === null,
    passed: counts?.passed ?? null,
    failed: counts?.failed ?? null,
    exit_code: exitCode,
    reason,
    output: [output, ...passedOver(states)].join('\n'),
  };
}

function faultIn(exitCode: number | null, counts: ReturnType<typeof testCounts>): string | null {
  if (counts !== null && counts.failed > 0) return `${counts.failed} of ${counts.failed + counts.passed} tests failed.`;
  if (exitCode !== 0) return `The tests ended with exit code ${exitCode ?? 'none'}.`;
  if (counts === null) return 'Nothing says how many tests ran.';
  return counts.passed === 0 ? 'No test ran.' : null;
}
