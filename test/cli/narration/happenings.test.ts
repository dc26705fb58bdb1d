import { describe, expect, it } from 'vitest';
import { createHappenings } from '../../../src/cli/narration/happenings.js';
import type { RoundView, RunView, StepView } from '../../../src/cli/observe/view/view.js';
import { lessonsAt } from '../../../src/plan/narration/curriculum.js';
import { NO_SPEND } from '../../../src/plan/budget/spend.js';
import type { Step } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { stepBase } from '../../plan/helpers/build-plan.js';
import { agentStep, ended, gateStep, runView, stepView } from '../helpers/views.js';

const text = { kind: 'literal' as const, value: 'x' };
const device = { name: 'uno', kind: 'sha256:kind' };
/** Casts: what is not said here nobody looks at. */
const of = (kind: string, more: object): Step => ({ ...stepBase(0, { id: kind }), kind, ...more }) as unknown as Step;
const TOOL = (name: string): Step => of('tool', { tool: { kind: 'builtin', name }, inputs: {} });
const running = { status: 'running', startedAt: 1_000 } as const;

/** What happens between views, in short. */
function happened(...views: RunView[]): string[] {
  const happenings = createHappenings();
  return views.flatMap((view) =>
    happenings
      .since(view, new Map())
      .map(({ kind, task, path }) => `${kind} ${task}${path === task ? '' : ` (${path})`}`),
  );
}

function loopView(rounds: StepView[][]): StepView {
  const loop = of('loop', { body: { steps: [], groups: {}, output: null, single: false } });
  return stepView(loop, {
    ...running,
    rounds: rounds.map((steps, index): RoundView => ({
      index,
      path: `loop/${index}`,
      status: 'running',
      output: null,
      error: null,
      duration_ms: null,
      spend: NO_SPEND,
      single: false,
      steps,
    })),
  });
}

describe('what has happened between two looks at a run', () => {
  const step = agentStep(0, 'draft');

  it.each<[string, StepView[], string[]]>([
    [
      'a step that starts and ends',
      [stepView(step, running), stepView(step, { ...running, ...ended('success') })],
      ['started draft', 'completed draft'],
    ],
    ['a step that did both in between', [stepView(step), stepView(step, ended('success'))], ['completed draft']],
    [
      'a second try',
      [stepView(step, running), stepView(step, { ...running, attempt: 2 })],
      ['started draft', 'again draft'],
    ],
    [
      'a failure and a time-out',
      [stepView(step, ended('error')), stepView(step, ended('timeout'))],
      ['failed draft', 'failed draft'],
    ],
    ['a step that was skipped', [stepView(step), stepView(step, ended('skipped'))], []],
    ['a gate', [stepView(gateStep(0, 'save'), { status: 'waiting' })], ['waiting save']],
    [
      'what goes on after a gate',
      [stepView(step, running), stepView(step, { status: 'waiting' }), stepView(step, running)],
      ['started draft', 'waiting draft'],
    ],
    ['values that are set', [stepView(of('set', { values: {} }), ended('success'))], []],
    ...['gather_context', 'keep_context', 'compare_workspace', 'test_changes'].map(
      (tool): [string, StepView[], string[]] => [
        `the books of a build (${tool})`,
        [stepView(TOOL(tool), ended('success'))],
        [],
      ],
    ),
    [
      'a round that begins again',
      [
        loopView([[stepView(step, { ...running, path: 'loop/0/draft' })]]),
        loopView([
          [stepView(step, { ...running, ...ended('success'), path: 'loop/0/draft' })],
          [stepView(step, { ...running, path: 'loop/1/draft' })],
        ]),
      ],
      ['started loop', 'started loop (loop/0/draft)', 'completed loop (loop/0/draft)', 'again loop (loop/1/draft)'],
    ],
  ])('%s', (_title, steps, expected) => {
    expect(happened(...steps.map((one) => runView([one])))).toEqual(expected);
  });

  it('tells of steps of nested runs, and of what they said', () => {
    const nested = runView([stepView(step, { ...ended('success', { output: inline('Done.') }), path: 'sub/draft' })]);
    const view = runView([stepView(of('workflow', { workflow: 'sub' }), { ...running, path: 'sub', nested })]);
    expect(createHappenings().since(view, new Map())).toMatchObject([
      { kind: 'started', task: 'sub', name: 'workflow' },
      { kind: 'completed', task: 'sub/draft', name: 'draft', text: 'Done.', agent: 'draft' },
    ]);
  });

  it('takes what had happened before the first look for no news, where nobody knows when', () => {
    const [first] = createHappenings().since(runView([stepView(step, ended('success'))], { startedAt: 5 }), new Map());
    expect(first?.at).toBe(5);
  });
});

describe('the curriculum, by steps', () => {
  const VERDICT = { ...agentStep(0, 'review'), schema: { properties: { verdict: { enum: ['APPROVED'] } } } } as Step;
  it.each<[string, Step, Parameters<typeof ended>[0]]>([
    ['testing', TOOL('run_tests'), 'success'],
    ['testing', TOOL('run_tests'), 'error'],
    ['code-review', VERDICT, 'success'],
    ['compilation', of('compile', { device, sources: [text] }), 'success'],
    ['compilation', of('compile', { device, sources: [text] }), 'error'],
    ['flashing', of('flash', { device, image: text, ready: null }), 'success'],
  ])('%s', (concept, step, status) => {
    const happenings = createHappenings();
    const lessons = [stepView(step, running), stepView(step, { ...running, ...ended(status) })].map((view) =>
      happenings
        .since(runView([view]), new Map())
        .flatMap(lessonsAt)
        .map((lesson) => lesson.concept),
    );
    expect(lessons).toEqual([[], [concept]]);
  });

  it('decomposition, once planned tasks begin', () => {
    const step = of('plan', { source: text });
    const [happening] = createHappenings().since(runView([stepView(step, running)]), new Map());
    expect(lessonsAt(happening!).map(({ concept }) => concept)).toEqual(['decomposition']);
  });

  it.each([
    ['architecture', { first: true as const, name: 'Set up' }, ended('success')],
    ['gpio', { hardware: true as const, name: 'Blink the LED' }, { status: 'running' as const }],
    ['lora', { name: 'Listen', description: 'Receive by LoRa.' }, { status: 'running' as const }],
  ])('%s, by what the planner wrote of a task', (concept, task, status) => {
    const view = runView([stepView(agentStep(0, 'task'), { ...running, ...status })]);
    const told = createHappenings().since(view, new Map([['task', task]]));
    expect(told.flatMap(lessonsAt).map((lesson) => lesson.concept)).toEqual([concept]);
  });
});
