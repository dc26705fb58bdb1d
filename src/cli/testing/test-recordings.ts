import { stubAt } from '../../plan/agents/recorded-answers.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import { createReport, sortProblems } from '../../compiler/problems/problem.js';
import type { Report } from '../../compiler/problems/problem.js';
import { keyOf } from '../../compiler/text/node.js';
import type { JunitCase } from '../ci/junit-document.js';
import { junitDocument } from '../ci/junit-document.js';
import { writeJunit } from '../ci/report.js';
import type { ExitCode } from '../exit-codes.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { toRunResult } from '../render/json.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Session, Workspace } from '../session.js';
import { openSession, openWorkspace, ProblemsError, storeElsewhere } from '../session.js';
import { collectInput, namesGiven } from '../submit/collect-input.js';
import type { Compiled } from '../submit/prepare.js';
import { compile, settle, storePlan } from '../submit/prepare.js';
import { newRunId } from '../submit/run-id.js';
import { startSubmission } from '../submit/submit-run.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';
import { decideRecorded } from './decide-recorded.js';
import { readTest } from './read-test.js';
import type { WrittenTest } from './read-test.js';
import { placeStubs, stepsOf } from './stub-paths.js';
import { testsAt } from './test-files.js';
import type { PlacedTest } from './test-run.js';
import { differencesIn, pathOfRun, shownPath } from './test-run.js';
import { typedCommand } from '../text/own-name.js';

interface TestCommand {
  paths: string[];
  /** Whether steps with an effect outside of the workspace may be done. */
  external: boolean;
  by: string;
  json: boolean;
  /** The file of a report in JUnit's form; null for none. */
  junit: string | null;
}

interface Tested {
  file: string;
  run: string;
  status: 'passed' | 'failed';
  /** What is not as it was expected. */
  differences: string[];
  /** What ran, in order; of tests with stubs. */
  path?: string[];
}

interface Prepared extends PlacedTest {
  compiled: Compiled;
  input: ReturnType<typeof collectInput>;
}

/**
 * Runs definitions against recorded answers and stubs, one after the other. All that can be wrong with a file is found
 * before the first starts.
 */
export async function testRecordings(
  { paths, external, by, json, junit }: TestCommand,
  terminal: Terminal,
): Promise<ExitCode> {
  const files = testsAt(paths, terminal.cwd);
  const workspace = await openWorkspace(terminal);
  const prepared = await prepareAll(files, { external, workspace, terminal });
  const elsewhere = await storeElsewhere(workspace, null, terminal);
  if (elsewhere !== null)
    throw usageError(
      `Answers are given by the workers of this project, and the store \`${elsewhere.store.id}\` is elsewhere.`,
      'Unset TEMPORAL_ADDRESS, or test where that store is.',
    );
  const session = await openSession(terminal, { taskQueue: null, elsewhere, workspace });
  const tested: Tested[] = [];
  const cases: JunitCase[] = [];
  for (const one of prepared) {
    const since = performance.now();
    const result = await test(one, { by, session, terminal });
    tested.push(result);
    cases.push(caseOf(result, one, performance.now() - since));
    if (!json) tell(result, terminal);
  }
  const failed = tested.filter(({ status }) => status === 'failed').length;
  if (json) printJson(terminal, tested);
  else print(terminal, `${tested.length - failed} passed, ${failed} failed`);
  if (junit !== null) {
    const ms = cases.reduce((sum, one) => sum + one.ms, 0);
    writeJunit(junit, junitDocument({ name: 'perdure test', ms, cases }), terminal);
  }
  return failed === 0 ? EXIT.success : EXIT.ended;
}

interface Preparing {
  external: boolean;
  workspace: Workspace;
  terminal: Terminal;
}

/** Reads and compiles all tests. Throws their problems together. */
async function prepareAll(files: string[], preparing: Preparing): Promise<Prepared[]> {
  const { workspace, terminal } = preparing;
  const { problems, report } = createReport();
  const sources = new Map<string, string>();
  const reading = { cwd: terminal.cwd, root: workspace.project.root, report, sources };
  const prepared: Prepared[] = [];
  for (const file of files) {
    const read = await readTest(file, reading);
    if (read !== null) prepared.push(await prepare(read, preparing, report));
  }
  if (problems.length > 0) throw new ProblemsError(sortProblems(problems), sources, files.length);
  return prepared;
}

async function prepare(test: WrittenTest, preparing: Preparing, report: Report): Promise<Prepared> {
  const { workspace, terminal, external } = preparing;
  const compiled = await compile(test.definition, workspace, terminal, {
    given: namesGiven({ pairs: [], file: test.recording.input }),
  });
  const stubs = test.stubs === null ? null : placeStubs(test.stubs, compiled, report);
  const placed = { test, stubs, steps: stepsOf(compiled) };
  const outside = external ? [] : outsideSteps(placed);
  if (outside.length > 0)
    throw usageError(
      `\`${test.file}\` would do ${outside.join(', ')}, whose effect is external.`,
      'Add `--external` if it is to be done; what is recorded (`record --commands`) or has a stub is not.',
    );
  return { ...placed, compiled, input: inputOf(test, compiled, report) };
}

/** The run's input; what is wrong with it is reported where it is written. */
function inputOf({ node, recording }: WrittenTest, { plan }: Compiled, report: Report): Prepared['input'] {
  try {
    return collectInput(plan, { pairs: [], file: recording.input, request: null });
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    report({ code: 'invalid-value', at: keyOf(node, 'input'), message: error.message, suggestion: error.hint });
    return {};
  }
}

/** Steps that would change the world outside: not what is recorded, or has a stub. */
function outsideSteps({ test, stubs, steps }: PlacedTest): string[] {
  const { commands } = test.recording;
  return steps
    .filter(({ step }) => step.effect === 'external' && step.kind !== 'agent' && step.kind !== 'flash')
    .filter(({ path, step }) => {
      if (step.kind === 'command' && commands !== undefined) return false;
      if (stubs === null || test.mocks) return true;
      const found = stubs.find(({ stub }) => stubAt([stub], path.replaceAll('*', '0')) !== null);
      return found !== undefined && 'real' in found.stub;
    })
    .map(({ path }) => `\`${path}\``);
}

async function test(
  prepared: Prepared,
  { by, session, terminal }: { by: string; session: Session; terminal: Terminal },
): Promise<Tested> {
  const { compiled, input } = prepared;
  const { file, recording, mocks } = prepared.test;
  const { answers, commands, devices, gates = [] } = recording;
  const stubs = prepared.stubs?.map(({ stub }) => stub);
  const asks = recording.gates !== undefined || stubs !== undefined;
  const run = newRunId(`test-${compiled.plan.name}`);
  const settled = await settle(
    compiled.plan,
    { rehearse: true, by, gates: asks ? 'ask' : 'approve', limits: NO_BUDGETS },
    session,
    terminal,
  );
  const settings = { ...settled, no_waits: true as const };
  await session.store.writeRecorded(run, { answers, commands, devices, stubs, ...(mocks ? { stand_ins: true } : {}) });
  const link = await session.connect({ start: true });
  let undecided: string[] = [];
  try {
    await startSubmission(
      { id: run, compiled, session, settings, values: () => storePlan(compiled, input, session.store) },
      link,
    );
    if (asks) undecided = await decideRecorded({ run, gates, stubs: stubs ?? [], by }, link, session.store);
    // A run that fails is a failed workflow; how it ended is read below.
    await link.client.workflow
      .getHandle(run)
      .result()
      .catch(() => undefined);
  } finally {
    await link.close();
  }
  const found = await findRun(run, session);
  await found.link?.close();
  const went = { view: found.view, result: await toRunResult(found.view, session.store) };
  const differences = [...undecided, ...differencesIn(prepared, went)];
  const path = prepared.stubs === null ? {} : { path: pathOfRun(prepared, went) };
  return { file, run, status: differences.length === 0 ? 'passed' : 'failed', differences, ...path };
}

/** A test as a case of a report: of its definition, by its file. */
function caseOf({ file, differences }: Tested, { compiled: { plan } }: Prepared, ms: number): JunitCase {
  const failed = differences.length === 0 ? null : differences.join('\n');
  return { classname: plan.name, name: file, ms, failed };
}

function tell({ file, run, status, differences, path }: Tested, terminal: Terminal): void {
  print(
    terminal,
    `${status === 'passed' ? '✓' : '✗'} ${safeName(file)}`,
    ...(path === undefined ? [] : [`    ${safeLine(shownPath(path))}`]),
    ...differences.flatMap((line) => line.split('\n')).map((line) => `    ${safeLine(line)}`),
  );
  if (status === 'failed') print(terminal, `    ${typedCommand('perdure show', [run])}`);
}
