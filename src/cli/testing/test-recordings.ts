import { join } from 'node:path';
import { existsSync } from 'node:fs';
import { canonicalJson } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import { everyStepOf } from '../../plan/plan.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { RunResult } from '../../plan/result.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import { findRun } from '../observe/find-run.js';
import { toRunResult } from '../render/json.js';
import { safeLine, safeName } from '../text/safe-text.js';
import type { Session, Workspace } from '../session.js';
import { openSession, openWorkspace, storeElsewhere } from '../session.js';
import { collectInput } from '../submit/collect-input.js';
import type { Compiled } from '../submit/prepare.js';
import { compile, settle, storePlan } from '../submit/prepare.js';
import { newRunId } from '../submit/run-id.js';
import { startSubmission } from '../submit/submit-run.js';
import type { Terminal } from '../terminal.js';
import { print, printJson } from '../terminal.js';
import { statusesOf } from './record-run.js';
import { decideRecorded } from './decide-recorded.js';
import { flowDiff, flowOf } from './recorded-run.js';
import type { Recording } from './recording.js';
import { readRecording, recordingsAt } from './recording.js';
import { ownName } from '../text/own-name.js';

interface TestCommand {
  paths: string[];
  /** Whether steps with an effect outside of the workspace may be done. */
  external: boolean;
  by: string;
  json: boolean;
}

interface Tested {
  file: string;
  run: string;
  status: 'passed' | 'failed';
  /** What is not as it was expected. */
  differences: string[];
}

interface Prepared {
  file: string;
  recording: Recording;
  compiled: Compiled;
  input: Awaited<ReturnType<typeof collectInput>>;
}

/**
 * Runs definitions against recorded answers, one after the other. All that can be wrong with a file is found before the
 * first starts.
 */
export async function testRecordings(
  { paths, external, by, json }: TestCommand,
  terminal: Terminal,
): Promise<ExitCode> {
  const read: Pick<Prepared, 'file' | 'recording'>[] = [];
  for (const file of recordingsAt(paths, terminal.cwd))
    read.push({ file, recording: await readRecording(file, terminal.cwd) });
  const workspace = await openWorkspace(terminal);
  const elsewhere = await storeElsewhere(workspace, null, terminal);
  if (elsewhere !== null)
    throw usageError(
      `Answers are given by the workers of this project, and the store \`${elsewhere.store.id}\` is elsewhere.`,
      'Unset TEMPORAL_ADDRESS, or test where that store is.',
    );
  const prepared: Prepared[] = [];
  for (const one of read) prepared.push(await prepare(one, { external, workspace, terminal }));
  const session = await openSession(terminal, { taskQueue: null, elsewhere });
  const tested: Tested[] = [];
  for (const one of prepared) {
    const result = await test(one, { by, session, terminal });
    tested.push(result);
    if (!json) tell(result, terminal);
  }
  const failed = tested.filter(({ status }) => status === 'failed').length;
  if (json) printJson(terminal, tested);
  else print(terminal, `${tested.length - failed} passed, ${failed} failed`);
  return failed === 0 ? EXIT.success : EXIT.ended;
}

async function prepare(
  { file, recording }: Pick<Prepared, 'file' | 'recording'>,
  { external, workspace, terminal }: { external: boolean; workspace: Workspace; terminal: Terminal },
): Promise<Prepared> {
  const named = join(workspace.project.root, recording.definition);
  const compiled = await compile(existsSync(named) ? named : recording.definition, workspace, terminal);
  const outside = external ? [] : outsideSteps(compiled.plan, recording.commands !== undefined);
  if (outside.length > 0)
    throw usageError(
      `\`${file}\` would do ${outside.join(', ')}, whose effect is external.`,
      'Add `--external` if it is to be done; commands are not where they were recorded (`record --commands`).',
    );
  return {
    file,
    recording,
    compiled,
    input: collectInput(compiled.plan, { pairs: [], file: recording.input, request: null }),
  };
}

/** Steps that would change the world outside: commands do not where what they came to is recorded. */
function outsideSteps(plan: Plan, areRecorded: boolean): string[] {
  return [...everyStepOf(plan)]
    .filter((step) => step.effect === 'external' && step.kind !== 'agent' && step.kind !== 'flash')
    .filter(({ kind }) => !(areRecorded && kind === 'command'))
    .map((step) => `\`${step.id ?? String(step.index)}\``);
}

async function test(
  { file, recording, compiled, input }: Prepared,
  { by, session, terminal }: { by: string; session: Session; terminal: Terminal },
): Promise<Tested> {
  const run = newRunId(`test-${compiled.plan.name}`);
  const settings = await settle(
    compiled.plan,
    { rehearse: true, by, gates: recording.gates === undefined ? 'approve' : 'ask', limits: NO_BUDGETS },
    session,
    terminal,
  );
  const { answers, commands, gates } = recording;
  await session.store.writeRecorded(run, { answers, ...(commands === undefined ? {} : { commands }) });
  const link = await session.connect({ start: true });
  let undecided: string[] = [];
  try {
    await startSubmission(
      { id: run, compiled, session, settings, values: () => storePlan(compiled, input, session.store) },
      link,
    );
    if (gates !== undefined) undecided = await decideRecorded({ run, gates, by }, link, session.store);
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
  const differences = [
    ...undecided,
    ...differencesIn(recording, await toRunResult(found.view, session.store), flowOf(found.view)),
  ];
  return { file, run, status: differences.length === 0 ? 'passed' : 'failed', differences };
}

function differencesIn({ expect }: Recording, result: RunResult, flow: Record<string, string>): string[] {
  const statuses = statusesOf(result.steps);
  const checks: [what: string, expected: Json, got: Json][] = [
    ['status', expect.status, result.status],
    ...Object.entries(expect.steps).map(([step, status]): [string, Json, Json] => [
      step,
      status,
      statuses[step] ?? 'no such step',
    ]),
    ...(expect.output === undefined ? [] : [['output', expect.output, result.output] as [string, Json, Json]]),
  ];
  const found = checks
    .filter(([, expected, got]) => canonicalJson(expected) !== canonicalJson(got))
    .map(([what, expected, got]) => `${what}: expected ${brief(expected)}, got ${brief(got)}`);
  const steps = expect.flow === undefined ? [] : flowDiff(expect.flow, flow);
  if (steps.length > 0) found.push('control flow, as it was recorded (-) and as it went (+):', ...steps);
  return found.length > 0 && result.error !== null ? [...found, result.error] : found;
}

function brief(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\`${text.length <= 200 ? text : `${text.slice(0, 199)}…`}\``;
}

function tell({ file, run, status, differences }: Tested, terminal: Terminal): void {
  print(
    terminal,
    `${status === 'passed' ? '✓' : '✗'} ${safeName(file)}`,
    ...differences.flatMap((line) => line.split('\n')).map((line) => `    ${safeLine(line)}`),
  );
  if (status === 'failed') print(terminal, `    ${ownName()} show ${run}`);
}
