import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { historyFromJSON } from '@temporalio/common/lib/proto-utils.js';
import { DefaultLogger, Runtime, Worker } from '@temporalio/worker';
import { DeterminismViolationError } from '@temporalio/workflow';
import { beforeAll, describe, expect, it } from 'vitest';
import type { StepKind } from '../../src/plan/names.js';
import { unpackPlan } from '../../src/plan/packing/packed-plan.js';
import type { RunInput } from '../../src/plan/run-input.js';
import { everyStep } from '../../src/plan/step.js';

const FOLDER = fileURLToPath(new URL('./histories', import.meta.url));
const code = readFileSync(new URL('../../dist/workflow-bundle.js', import.meta.url), 'utf8');
const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json.gz'));

const historyIn = (file: string) =>
  historyFromJSON(JSON.parse(gunzipSync(readFileSync(`${FOLDER}/${file}`)).toString()));
const replay = (history: ReturnType<typeof historyFromJSON>, id: string) =>
  Worker.runReplayHistory({ workflowBundle: { code } }, history, id);

beforeAll(() => {
  Runtime.install({ logger: new DefaultLogger('ERROR') });
});

describe('a stored history', () => {
  it.each(files)('%s replays with the workflow code of today', async (file) => {
    await expect(
      replay(historyIn(file), file.replace(/\.json\.gz$/, '').replaceAll('.', '/')),
    ).resolves.toBeUndefined();
  });

  it('does not replay when it tells of something else than the code would do', async () => {
    const history = historyIn('sequence.json.gz');
    const scheduled = history.events?.find((event) => event.activityTaskScheduledEventAttributes);
    scheduled!.activityTaskScheduledEventAttributes!.activityType!.name = 'somethingElse';
    await expect(replay(history, 'sequence')).rejects.toThrow(DeterminismViolationError);
  });
});

/** The compiler lists what a new kind misses here. */
const KINDS: Record<StepKind, true> = {
  agent: true,
  command: true,
  tool: true,
  workflow: true,
  plan: true,
  approval: true,
  ask: true,
  set: true,
  wait: true,
  foreach: true,
  loop: true,
  compile: true,
  flash: true,
  serial: true,
};

/** What happens to runs, as history tells of it. */
const HAPPENINGS = [
  'activityTaskCanceled',
  'activityTaskFailed',
  'childWorkflowExecutionCanceled',
  'childWorkflowExecutionCompleted',
  'childWorkflowExecutionFailed',
  'childWorkflowExecutionTerminated',
  'externalWorkflowExecutionSignaled',
  'timerCanceled',
  'timerFired',
  'workflowExecutionCancelRequested',
  'workflowExecutionCanceled',
  'workflowExecutionCompleted',
  'workflowExecutionContinuedAsNew',
  'workflowExecutionFailed',
  'workflowExecutionSignaled',
  'workflowExecutionUpdateCompleted',
];

describe('the stored histories', () => {
  const events = files.flatMap((file) => historyIn(file).events ?? []);

  it('hold each kind of step', () => {
    const found = events.flatMap(({ workflowExecutionStartedEventAttributes: start }) => {
      const data = start?.workflowType?.name === 'perdure' ? start.input?.payloads?.[0]?.data : undefined;
      if (!data) return [];
      const { plan } = JSON.parse(Buffer.from(data).toString()) as RunInput; // the argument of the interpreter
      const whole = unpackPlan(plan);
      return [whole, ...Object.values(whole.nested)].flatMap((body) => [...everyStep(body)].map(({ kind }) => kind));
    });
    expect([...new Set(found)].sort()).toEqual(Object.keys(KINDS).sort());
  });

  it('hold what happens to runs', () => {
    const found = new Set(events.flatMap((event) => Object.keys(event)));
    expect(HAPPENINGS.filter((name) => !found.has(`${name}EventAttributes`))).toEqual([]);
  });
});
