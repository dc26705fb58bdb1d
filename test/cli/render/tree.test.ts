import { describe, expect, it } from 'vitest';
import type { Step } from '../../../src/plan/step.js';
import type { RoundView, RunView, StepView } from '../../../src/cli/observe/view/view.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { renderEnding, renderHeader, renderMeter, renderScreen } from '../../../src/cli/render/screen.js';
import { renderTree, windowOf } from '../../../src/cli/render/tree.js';
import { displayWidth } from '../../../src/cli/text/width.js';
import { loop, many, reference } from '../../plan/helpers/build-blocks.js';
import { stepBase } from '../../plan/helpers/build-plan.js';
import { agentStep, commandStep, ended, gateStep, runView, stepView } from '../helpers/views.js';

const palette = createPalette(false);
const spend = (usd: number) => ({ usd, tokens: 0, steps: 1 });

const review = runView([
  stepView(
    commandStep(0, ['git', 'log', '--oneline', '-20'], { id: 'facts' }),
    ended('success', { duration_ms: 100, note: 'exit 0' }),
  ),
  stepView(agentStep(1, 'security-scanner', 'scanners'), {
    model: 'claude-opus-4-6',
    ...ended('success', { duration_ms: 41_000, note: '2 findings', spend: spend(0.031) }),
  }),
  stepView(
    commandStep(2, ['npx', 'eslint', '.'], { id: 'lint', parallel_group: 'scanners' }),
    ended('error', { duration_ms: 3000, error: '\n3 problems:\nmore', failure: 'command-failed' }),
  ),
  stepView(agentStep(3, 'types', 'scanners'), {
    model: 'claude-sonnet-4-6',
    status: 'running',
    startedAt: 44_000,
    doing: 'turn 3 · read src/plan',
    attempt: 2,
  }),
  stepView(commandStep(4, ['tee'], { id: 'report' }), { waitsFor: ['scanners'] }),
  stepView(gateStep(5, 'approve')),
]);

describe('the tree of a run', () => {
  it('shows at 80 columns what README shows', () => {
    expect(renderTree(review, { now: 66_000, expand: false }, { width: 79, palette, frame: 4 })).toEqual([
      '  ✓ 0 facts               command            git log --oneline -…  0.1s',
      '  ▾ scanners                                                        1 of 3 done',
      '    ✓ 1 security-scanner  claude-opus-4-6    2 findings             41s  $0.031',
      '    ✗ 2 lint              command            3 problems            3.0s',
      '    ⠼ 3 types             claude-sonnet-4-6  try 2 · turn 3 · re…   22s',
      '  ○ 4 report              command            waits for scanners',
      '  ○ 5 approve             gate',
    ]);
  });

  it('says what an open foreach, its item and an agent between its tries have cost so far', () => {
    const item = stepView(agentStep(0, 'item'), { status: 'running', startedAt: 0, spent: spend(0.25) });
    const each: Step = {
      ...stepBase(0, { id: 'each' }),
      kind: 'foreach',
      items: { kind: 'list', items: [] },
      max_parallel: null,
      body: { steps: [], groups: {}, single: true },
      yields: { kind: 'value', value: null },
    } as unknown as Step; // as much of one as is drawn
    // likewise
    const round = { index: 0, status: 'running', steps: [item], spend: spend(0.25) } as unknown as RoundView;
    const rows = renderTree(
      runView([stepView(each, { status: 'running', startedAt: 0, rounds: [round] })]),
      { now: 1_000, expand: true },
      { width: 79, palette, frame: 0 },
    );
    expect(rows.filter((row) => row.endsWith('$0.250'))).toHaveLength(2);
  });

  it.each([30, 50, 60, 79, 120])('never exceeds %i columns', (width) => {
    const lines = renderTree(review, { now: 66_000, expand: true }, { width, palette, frame: 0 });
    expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
  });

  it('shows what would act on a terminal as escapes in whatever a definition or a model said', () => {
    const hostile = runView([
      stepView(agentStep(0, 'a'), {
        status: 'running',
        startedAt: 0,
        doing: '\u001b]52;c;aGk=\u0007\u001b[2Jgone\r\nnext\u202e',
      }),
    ]);
    const text = renderTree(hostile, { now: 0, expand: false }, { width: 79, palette, frame: 0 }).join('\n');
    expect(text).toContain('\\u{1b}]52;c;aGk=\\u{7}\\u{1b}[2Jgone next\\u{202e}');
    // eslint-disable-next-line no-control-regex -- the characters that must not be there
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/u);
  });

  it('shows a nested run while it runs and when it failed, and always when asked', () => {
    const inner = (status: 'running' | 'success') =>
      runView([stepView(commandStep(0, ['true'], { id: 'inner' }))], { status });
    const nested = { ...stepBaseWorkflow, id: 'nested' };
    const tree = (status: 'running' | 'success', expand: boolean) =>
      renderTree(
        runView([
          stepView(nested, {
            nested: inner(status),
            ...(status === 'success' ? ended('success') : { status: 'running' as const, startedAt: 0 }),
          }),
        ]),
        { now: 0, expand },
        { width: 79, palette, frame: 0 },
      ).length;
    expect([tree('running', false), tree('success', false), tree('success', true)]).toEqual([2, 1, 2]);
  });

  it('keeps what goes on in sight where the screen is too low, and counts the rest', () => {
    const lines = Array.from({ length: 40 }, (_, index) => `line ${index}`);
    expect(windowOf(lines, 20, 8)).toEqual([
      '  … 18 above',
      'line 18',
      'line 19',
      'line 20',
      'line 21',
      'line 22',
      'line 23',
      '  … 16 below',
    ]);
    expect(windowOf(lines, 20, 40)).toEqual(lines);
  });
});

const stepBaseWorkflow = {
  ...commandStep(0, ['x']),
  kind: 'workflow' as const,
  workflow: 'inner',
  plan: 'sha256:inner' as const,
  inputs: {},
};

describe('the lines around the tree', () => {
  it('says what was used of what may be', () => {
    expect(renderMeter(review, 66_000)).toBe('3 of 100 steps · 1m06s of 30m · $0.043 of $5.00 · 18,204 tokens');
    // Nobody's time at a gate counts: 10 s of work, 20 s at a gate beside it and after it, and 5 s of work.
    const asked = [
      stepView(commandStep(0, ['a']), { startedAt: 0, ...ended('success', { duration_ms: 10_000 }) }),
      stepView(gateStep(1, 'ok'), { startedAt: 5_000, ...ended('success', { duration_ms: 25_000 }) }),
      stepView(commandStep(2, ['a']), { startedAt: 30_000, status: 'running' }),
    ];
    expect(renderMeter(runView(asked), 35_000)).toContain('· 15s of 30m');
    expect(
      renderMeter(runView([stepView(gateStep(0, 'ok'), { startedAt: 1_000, status: 'waiting' })]), 86_400_000),
    ).toContain('· 1.0s of 30m');
    const nested = stepView(commandStep(0, ['a']), {
      startedAt: 0,
      status: 'running',
      nested: runView([stepView(gateStep(0, 'ok'), { startedAt: 2_000, status: 'waiting' })]),
    });
    expect(renderMeter(runView([nested]), 60_000)).toContain('· 2.0s of 30m');
    expect(renderMeter(runView([], { spend: { usd: null, tokens: 0, steps: 1 } }), 0)).toBe(
      '1 of 100 steps · 0.0s of 30m · cost unknown of $5.00',
    );
  });

  it('breaks the header where the width demands it, and never cuts what is copied', () => {
    const url = 'http://127.0.0.1:8233/namespaces/default/workflows/full-review-7k2m';
    expect(renderHeader(review, url, 79)).toEqual([
      'full-review · run full-review-7k2m · plan 3f9c1a',
      `  Temporal ${url}`,
    ]);
    expect(renderHeader({ ...review, rehearsal: true }, null, 79)[1]).toContain('REHEARSAL');
  });

  it('ends with a line of what it took', () => {
    const success = runView([], {
      status: 'success',
      endedAt: 134_000,
      spend: { usd: 0.118, tokens: 41_020, steps: 6 },
    });
    expect(renderEnding(success, 79, palette)).toEqual([
      '✓ full-review · success in 2m14s · 6 steps · $0.118 · 41,020 tokens',
    ]);
  });

  // Of a step that runs what was planned its kind alone is looked at.
  const step = { ...commandStep(0, ['true'], { id: 'build' }), kind: 'plan' } as unknown as Step;

  it('says where the files of a run in a work tree are, but not of a build that carried out no task', () => {
    const said = (steps: StepView[]) => {
      const view = runView(steps, { run: 'build-7k2m', branch: 'perdure/build-7k2m', status: 'error', endedAt: 1 });
      return renderEnding(view, 79, palette).join('\n').includes('workspace show build-7k2m');
    };
    const gate = stepView(gateStep(0, 'approve'), ended('error'));
    expect(said([gate, stepView(step, ended('skipped'))])).toBe(false);
    expect(said([gate, stepView(step, { ...ended('error'), nested: runView([]) })])).toBe(true);
    expect(said([gate])).toBe(true);
  });

  it('says how a page is opened that a build has made, and nothing of one that was not made', () => {
    const page = (status: 'success' | 'error') => {
      const made = stepView(commandStep(0, ['true'], { id: 'deploy_page' }), ended(status));
      const build = stepView(step, { ...ended('success'), nested: runView([made]) });
      return renderEnding(runView([build], { run: 'page-7k2m', status: 'success', endedAt: 1 }), 79, palette);
    };
    expect(page('success')[1]).toBe('  Its page: `perdure build open page-7k2m` serves it, and prints the address.');
    expect(page('error')).toHaveLength(1);
  });

  it('names what failed by itself before what was cut off for it', () => {
    const cut = ended('error', { error: 'cancelled: item 1 failed', failure: 'cancelled' });
    const failed = ended('error', { error: 'exit 1', failure: 'command-failed' });
    const steps = [
      stepView(commandStep(0, ['a'], { id: 'one' }), cut),
      stepView(commandStep(1, ['b'], { id: 'two' }), failed),
    ];
    const lines = renderEnding(runView(steps, { status: 'error', endedAt: 1 }), 79, palette);
    expect(
      lines.filter((line) => /^✗ (one|two)|perdure logs/.test(line)).map((line) => line.slice(0, 40).trim()),
    ).toEqual(['✗ two', '✗ one', 'perdure logs full-review-7k2m two']);
  });

  it('says first what failed and why, in its own words, then what to do', () => {
    const lines = renderEnding({ ...review, status: 'error', endedAt: 66_000 }, 79, palette);
    expect(lines.slice(0, 3)).toEqual(['✗ lint', '    3 problems:', '    more']);
    expect(lines.slice(-3).map((line) => line.slice(0, 36).trim())).toEqual([
      'perdure logs full-review-7k2m lint',
      'perdure show full-review-7k2m',
      'perdure rerun full-review-7k2m',
    ]);
    const nested = renderEnding(
      { ...review, run: 'full-review-7k2m/lint', status: 'error', endedAt: 66_000 },
      79,
      palette,
    );
    expect(nested.filter((line) => line.includes('rerun'))).toEqual([]);
    // Paths are told below the root run, also in the tree of a nested one.
    expect(nested.find((line) => line.includes('logs'))).toContain('perdure logs full-review-7k2m lint  ');
  });

  it('names of a loop that failed what its condition asks about, in the round that ended it', () => {
    const steps = [commandStep(0, ['fix'], { id: 'fix' }), commandStep(1, ['test'], { id: 'test' })];
    const step = loop(0, reference('step:1.status'), many(steps), { id: 'mend', max: 2 });
    const round = (index: number, statuses: ('success' | 'error')[]): RoundView => ({
      ...{ index, path: `mend[${index}]`, status: 'success', output: null, error: null, duration_ms: 1 },
      ...{ spend: spend(0), single: false },
      steps: steps.map((one, at) =>
        stepView(one, { path: `mend[${index}]/${one.id}`, ...ended(statuses[at] ?? 'success', { error: 'exit 1' }) }),
      ),
    });
    const endingOf = (...rounds: RoundView[]): string[] => {
      const view = stepView(step, { ...ended('error', { error: 'It did not hold.' }), rounds });
      const lines = renderEnding(runView([view], { status: 'error', endedAt: 1 }), 79, palette);
      return lines.filter((line) => /^✗ mend|logs/.test(line)).map((line) => line.trim().split('  ')[0] ?? '');
    };
    const logs = 'perdure logs full-review-7k2m';
    expect(endingOf(round(0, ['error', 'error']), round(1, ['error', 'error']))).toEqual([
      ...['✗ mend[1]/test', '✗ mend[1]/fix', `${logs} 'mend[1]/test'`],
    ]);
    // It asked about something that went well.
    expect(endingOf(round(0, ['error', 'success']), round(1, ['success', 'success']))).toEqual([
      ...['✗ mend', `${logs} 'mend[1]/test'`],
    ]);
  });

  it('offers for a run that left no record what can be done without one', () => {
    const cut = { ...review, status: 'cancelled' as const, endedAt: 66_000, unrecorded: true as const };
    const offered = (view: RunView): string[] =>
      renderEnding(view, 200, palette).flatMap((line) => /^ {2}perdure (\S+ \S+)/.exec(line)?.[1] ?? []);
    expect(offered({ ...cut, definition: 'a review.yml' })).toEqual([
      'logs full-review-7k2m',
      'show full-review-7k2m',
      "run 'a",
    ]);
    expect(offered(cut)).toEqual(['logs full-review-7k2m', 'show full-review-7k2m']);
    const branch = renderEnding({ ...cut, branch: 'perdure/full-review-7k2m' }, 200, palette).join('\n');
    expect(branch).toContain('workspace show full-review-7k2m` tells what has changed there.');
  });

  it('fits the whole live region into the height', () => {
    expect(renderScreen(review, 66_000, { width: 79, height: 8, palette, frame: 0 }).length).toBeLessThanOrEqual(8);
  });
});
