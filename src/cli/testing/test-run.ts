import { fits, stubAt } from '../../plan/agents/recorded-answers.js';
import type { Stub } from '../../plan/agents/recorded-answers.js';
import type { Json } from '../../plan/values/json.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { RunResult } from '../../plan/result.js';
import { positionAt } from '../../compiler/problems/source.js';
import type { Place } from '../../compiler/problems/problem.js';
import { keyOf } from '../../compiler/text/node.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { statusesOf } from './record-run.js';
import type { WrittenTest } from './read-test.js';
import { flowDiff, flowOf, stepsThatRan } from './recorded-run.js';
import type { WrittenStub } from './stub-form.js';
import type { PlacedStep } from './stub-paths.js';
import { ownOf } from '../../plan/values/own.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** A test, and what was made of its stubs. */
export interface PlacedTest {
  test: WrittenTest;
  stubs: { stub: Stub; written: WrittenStub }[] | null;
  /** The steps that its definition may come to. */
  steps: PlacedStep[];
}

/** How a run went. */
export interface Went {
  view: RunView;
  result: RunResult;
}

/** What ran, in the order of the Plan: in a flow what it calls its steps, in other definitions their paths. */
export function pathOfRun({ steps, test }: PlacedTest, { view }: Went): string[] {
  return stepsThatRan(view).flatMap(({ path }) => {
    const placed = steps.find((one) => fits(one.path, path));
    if (!test.mocks) return [path];
    return placed?.name === undefined ? [] : [placed.name];
  });
}

/** What is not as a test expects it. */
export function differencesIn(placed: PlacedTest, went: Went): string[] {
  const { expect } = placed.test.recording;
  const { result, view } = went;
  const statuses = statusesOf(result.steps);
  const checks: [what: string, expected: Json, got: Json][] = [
    ['status', expect.status, result.status],
    ...Object.entries(expect.steps).map(([step, status]): [string, Json, Json] => [
      step,
      status,
      ownOf(statuses, step) ?? 'no such step',
    ]),
    ...(expect.path === undefined
      ? []
      : [['path', arrows(expect.path), arrows(pathOfRun(placed, went))] as [string, Json, Json]]),
    ...(expect.output === undefined ? [] : [['output', expect.output, result.output] as [string, Json, Json]]),
  ];
  const found = checks
    .filter(([, expected, got]) => canonicalJson(expected) !== canonicalJson(got))
    .map(([what, expected, got]) => `${what}: expected ${brief(expected)}, got ${brief(got)}`);
  const steps = expect.flow === undefined ? [] : flowDiff(expect.flow, flowOf(view));
  if (steps.length > 0) found.push('control flow, as it was recorded (-) and as it went (+):', ...steps);
  found.push(...stubDifferences(placed, view));
  return found.length > 0 && result.error !== null ? [...found, result.error] : found;
}

/** So many names of a path are shown in its line. */
const SHOWN_NAMES = 60;

/** The names of a path in one line. */
export function arrows(path: string[]): string {
  return path.join(' → ');
}

/** The same for people, who read no thousand names. */
export function shownPath(path: string[]): string {
  const more = path.length - SHOWN_NAMES;
  return more <= 0 ? arrows(path) : `${arrows(path.slice(0, SHOWN_NAMES))} → … and ${more} more`;
}

/** Stubs that nothing used, and steps that had none, each with its place in the file. */
function stubDifferences({ test, stubs, steps }: PlacedTest, view: RunView): string[] {
  if (stubs === null) return [];
  const ran = stepsThatRan(view);
  const used = new Set(ran.map(({ path }) => stubAt(asStubs(stubs), path)?.written));
  const unused = (test.stubs ?? []).filter((written) => !used.has(written));
  const word = test.mocks ? 'mock' : 'stub';
  const key = test.mocks ? 'mocks' : 'stubs';
  const lacking = ran.filter((step) => lacks(step, { test, stubs, steps })).map(({ path }) => nameOf(path, steps));
  return [
    ...unused.map(({ key: name, at }) => `${placeOf(at)}: The ${word} \`${name}\` is for nothing that ran.`),
    ...lacking.map(
      (name) => `${placeOf(keyOf(test.node, key))}: \`${name}\` ran and has no ${word}: add it under \`${key}\`.`,
    ),
  ];
}

function asStubs(stubs: { stub: Stub; written: WrittenStub }[]): { step: string; written: WrittenStub }[] {
  return stubs.map(({ stub: { step }, written }) => ({ step, written }));
}

function nameOf(path: string, steps: PlacedStep[]): string {
  return steps.find((one) => fits(one.path, path))?.name ?? path;
}

/** Tells whether a step ran that nothing is said of. Of a flow, only those count at whose output something looks. */
function lacks({ path, step }: StepView, { test, stubs, steps }: PlacedTest): boolean {
  const { answers, commands, devices, gates } = test.recording;
  const known = [...answers, ...(commands ?? []), ...(devices ?? [])].some((one) => one.step === path);
  if (known || stubAt(asStubs(stubs ?? []), path) !== null) return false;
  if (step.kind === 'ask') return gates?.some(({ gate }) => gate === path) !== true;
  if (!ACTING.has(step.kind)) return false;
  return !test.mocks || steps.find((one) => fits(one.path, path))?.isRead === true;
}

const ACTING = new Set<string>(['agent', 'command', 'tool', 'compile', 'flash', 'serial']);

function placeOf({ source, start }: Place): string {
  const { line, column } = positionAt(source, start);
  return `${source.file}:${line}:${column}`;
}

function brief(value: Json): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `\`${cutTo(text, 200)}\``;
}
