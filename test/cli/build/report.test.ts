import { describe, expect, it } from 'vitest';
import { reportPage } from '../../../src/cli/build/report/report-html.js';
import { reportLines } from '../../../src/cli/build/report/report-text.js';
import type { ReportSource } from '../../../src/cli/build/report/report.js';
import { reportOf } from '../../../src/cli/build/report/report.js';
import type { StepView } from '../../../src/cli/observe/view/view.js';
import { createPalette } from '../../../src/cli/text/colors.js';

const HOSTILE = '<script>alert("x")</script>\u001b[2J';
const task = (id: string, requirement_ids: string[]) => ({
  id,
  name: `Task ${id}`,
  description: 'Do it.',
  acceptance_criteria: [],
  dependencies: [],
  agent_name: 'Bo',
  requirement_ids,
});
// A task called as another step of a build has a step called after its place.
const view = (id: string, status: StepView['status'], error: string | null = null) =>
  // What a report reads of a step.
  ({ path: `build/${id}`, status, step: { id }, result: { error } }) as unknown as StepView;
const commit = (hash: string, step: string, subject: string) => ({
  commit: hash.repeat(40),
  subject,
  body: '',
  run: 'r',
  step,
  try: '1',
  key: '',
  from: '',
});

const SOURCE: ReportSource = {
  record: { run: 'r', status: 'partial', error: 'One task failed.', rehearsal: false },
  spec: {
    nugget: { goal: `A counter ${HOSTILE}` },
    requirements: [
      { id: 'req-0', type: 'feature', description: 'A click adds one.' },
      { id: 'req-1', type: 'feature', description: 'It looks good.', test_id: 't2' },
      { id: 'req-2', type: 'feature', description: 'Nobody thought of it.' },
    ],
    workflow: {
      behavioral_tests: [
        { id: 't1', when: 'it is clicked', then: 'it says 1', requirement_id: 'req-0' },
        { id: 't2', when: 'it is seen', then: 'it shines' },
      ],
    },
  },
  output: {
    tasks: [task('count', ['req-0']), task('tests', ['req-0']), task('look', ['req-1']), task('setup', [])],
    commands: { test_command: ['npm', 'test'] },
    tests: { ok: false, passed: 2, failed: 1, reason: '1 of 3 tests failed.' },
  },
  steps: [
    view('count', 'success'),
    view('task_2', 'success'),
    view('look', 'error', HOSTILE),
    view('setup', 'success'),
  ],
  branch: {
    name: 'perdure/r',
    commits: [
      commit('a', 'build/setup/0/work', 'Bo: setup'),
      commit('b', 'build/count/0/work', `Bo: ${HOSTILE}`),
      commit('c', 'build/tests/1/mend', 'Bo: mended'),
      commit('d', 'build/deploy_1_compile/1/mend', 'Bo: make it compile'),
    ],
  },
};
const plain = (source: ReportSource): string => reportLines(reportOf(source), createPalette(false)).join('\n');

describe('the report of a build', () => {
  it('leads from a requirement to its tasks, their commits, and the tests', () => {
    const report = reportOf(SOURCE);
    expect(report.requirements).toMatchObject([
      { tasks: ['count', 'tests'], done: true, behaviour: ['when it is clicked, then it says 1'] },
      { tasks: ['look'], done: false, behaviour: ['when it is seen, then it shines'] },
      { tasks: [], done: null, behaviour: [] },
    ]);
    expect(report.tasks.map(({ id, status, commits }) => [id, status, commits?.length])).toEqual([
      ['count', 'success', 1],
      ['tests', 'success', 0],
      ['look', 'error', 0],
      ['setup', 'success', 1],
    ]);
    expect(report.others?.map(({ subject }) => subject)).toEqual(['Bo: mended', 'Bo: make it compile']);
    expect(report.tests).toEqual({
      command: ['npm', 'test'],
      result: 'failed',
      passed: 2,
      failed: 1,
      reason: '1 of 3 tests failed.',
    });
  });

  it('marks no requirement of which a part was taken as it is, or done without', () => {
    const told = { error: null, partial: '1 round ended in part: the tests fail' };
    const steps = SOURCE.steps?.map((step) =>
      step.step.id === 'count' ? ({ ...step, result: told } as unknown as StepView) : step,
    );
    const source = { ...SOURCE, steps: steps ?? null };
    expect(reportOf(source).requirements[0]).toMatchObject({ tasks: ['count', 'tests'], done: false });
    expect(reportOf(source).tasks[0]).toMatchObject({ status: 'partial', error: told.partial });
    expect(plain(source)).toContain('✗ A click adds one.');
    expect(reportPage(reportOf(source))).toContain('<span class="bad">partial</span>, 1 round ended in part');
  });

  it('tells a person all of it, and nothing that a terminal acts on', () => {
    const text = plain(SOURCE);
    expect(text).not.toContain('\u001b');
    for (const said of [
      '✓ A click adds one.',
      '✗ It looks good.',
      '? Nobody thought of it.',
      'The plan names no task for it.',
      'Tests failed: 2 passed, 1 failed (npm test). 1 of 3 tests failed.',
      'Tasks that name no requirement (1 task)',
      'ddddddd  Bo: make it compile',
    ])
      expect(text).toContain(said);
  });

  it.each<[string, Partial<ReportSource>, string]>([
    ['whose work tree is gone', { branch: null }, 'The work tree is gone, and its commits with it.'],
    ['that was not tested', { output: { tests: { ok: false, result: 'not tested' } } }, 'Not tested.'],
    ['that planned nothing', { output: null, steps: null }, 'No tasks were approved.'],
    ['whose tasks never began', { steps: null }, 'pending  Task count'],
  ])('says so of a build %s', (_what, over, said) => {
    expect(plain({ ...SOURCE, ...over })).toContain(said);
  });

  it('says of a rehearsal that it was one', () => {
    const source = { ...SOURCE, record: { ...SOURCE.record, rehearsal: true } };
    for (const told of [plain(source), reportPage(reportOf(source))]) expect(told).toContain('This was a rehearsal');
    expect(plain(SOURCE)).not.toContain('rehearsal');
  });

  it('is a page with nothing from elsewhere, in which what agents wrote is text', () => {
    const page = reportPage(reportOf(SOURCE));
    expect(page).not.toMatch(/<script|<link|<img|src=|href=/);
    expect(page).toContain('&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;');
    expect(page).toContain("default-src 'none'");
    expect(page).not.toContain('\u001b');
  });

  it('says of each board whether it was flashed and said what it should, and what failed first', () => {
    const devices = [{ name: 'clock', expect: 'tick' }, { name: 'lamp' }];
    const source = (...steps: StepView[]): ReportSource => ({
      ...SOURCE,
      spec: { ...SOURCE.spec, deployment: { target: 'esp32' }, devices },
      steps,
    });
    const boards = (...steps: StepView[]) => reportOf(source(...steps)).boards;
    const done = ['deploy_1_flash', 'deploy_1_listen', 'deploy_2_flash', 'deploy_2_listen'];
    expect(boards(...done.map((id) => view(id, 'success')))).toEqual([
      { name: 'clock', flashed: true, heard: true, error: null },
      { name: 'lamp', flashed: true, heard: null, error: null },
    ]);
    const silent = [view('deploy_1_flash', 'success'), view('deploy_1_listen', 'error', 'It said nothing.')];
    expect(boards(...silent)[0]).toEqual({ name: 'clock', flashed: true, heard: false, error: 'It said nothing.' });
    expect(plain(source(...silent))).toContain('clock was flashed, and did not say what it should. It said nothing.');

    const failed = source(view('deploy_1_compile', 'error', HOSTILE), view('deploy_1_flash', 'skipped'));
    expect(reportOf(failed).boards[0]).toEqual({ name: 'clock', flashed: false, heard: false, error: HOSTILE });
    expect(plain(failed)).toContain('The board clock was not flashed. <script>');
    expect(plain(failed)).not.toContain('\u001b');
    expect(reportPage(reportOf(failed))).toContain('<p class="bad">The board clock was not flashed. &lt;script&gt;');
    expect(reportOf(SOURCE).boards).toEqual([]);
  });
});
