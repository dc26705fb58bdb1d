import { describe, expect, it } from 'vitest';
import { createPalette } from '../../../../src/cli/text/colors.js';
import { renderPlan } from '../../../../src/cli/render/plan/plan-text.js';
import { displayWidth } from '../../../../src/cli/text/width.js';
import { settleLimits } from '../../../../src/cli/submit/limits.js';
import { priceRange } from '../../../../src/workers/forecast/price-range.js';
import { forecastOf } from '../../../../src/compiler/forecast/forecast.js';
import { levelsOf } from '../../../../src/compiler/workflow/cycles.js';
import type { Plan } from '../../../../src/plan/plan.js';
import type { AgentStep } from '../../../../src/plan/step.js';
import { planOf } from '../../../compiler/helpers/temporary-project.js';
import { commandStep, plan, stepBase } from '../../../plan/helpers/build-plan.js';
import { everything } from '../../helpers/every-kind.js';

function linesOf(made: Plan, width = 80, inputPaths: Record<string, string[]> = {}): string[] {
  const forecast = forecastOf(made);
  return renderPlan(
    {
      plan: made,
      texts: new Map(),
      inputPaths,
      forecast,
      fromPast: [],
      price: priceRange(forecast.calls, undefined, {}),
      limits: settleLimits(made, made.budgets),
      depth: { levels: levelsOf(made), most: 5 },
    },
    { width, palette: createPalette(false) },
  );
}

describe('plan --format text', () => {
  it('is a tree with groups, conditions, bodies, nesting and gates', () => {
    const lines = linesOf(everything());
    expect(lines.slice(lines.indexOf('Steps') + 1, lines.indexOf('At most') - 1)).toEqual([
      '  ├ 0 files       command   ls -1',
      '  ├ ▾ reviewers             3 in parallel',
      '  │ ├ 1 security  agent     reviewer (haiku)',
      '  │ ├ 2 speed     agent     reviewer (haiku)',
      '  │ └ 3 style     agent     reviewer (haiku)',
      '  │     if contains(steps[0].output, ".css")',
      '  ├ 4 each        foreach   after reviewers',
      '  │ │ for each of ${steps[0].output}, 3 at once',
      '  │ ├ 0 fix       agent     reviewer (haiku)',
      '  │ └ 1 retry     loop',
      '  │   │ until contains(steps[0].output, "pass"), at most 3 times',
      '  │   └ 0 test    command   npm test',
      '  ├ 5 first       workflow  write',
      '  │ ├ 0 draft     agent     reviewer (haiku)',
      '  │ └ 1 count     command   wc -w',
      '  ├ 6 second      workflow  write (steps as above)',
      '  ├ 7 who         ask       Who signs?  after files',
      '  ├ 8 names       set       author = ${steps[7].output}',
      '  ├ 9 wait        wait      1m30s  after second, names',
      '  ├ 10 approve    gate      Publish it?',
      '  └ 11 tidy       command   rm -f draft.md',
      '      always, also when the run was stopped',
    ]);
  });

  it('counts what programs play apart from model calls, and says that nobody knows its cost before', () => {
    const agent = {
      name: 'fixer',
      description: null,
      prompt: { kind: 'literal' as const, value: 'Fix.' },
      model: null,
      program: 'claude',
      tools: [],
      inputs: {},
      max_output_kb: 100,
      max_turns: 20,
    };
    const fix = (index: number): AgentStep => ({
      ...stepBase(index),
      kind: 'agent',
      agent: 'sha256:fixer',
      prompt: null,
      inputs: {},
      model: null,
      schema: null,
      rehearsal: null,
    });
    const lines = linesOf(plan([fix(0), fix(1)], { agents: { 'sha256:fixer': agent } }), 200);
    expect(lines.find((line) => line.includes('Temporal event'))).toMatch(
      /^ *2 steps · 2 tasks for claude · \d+ Temporal events$/,
    );
    expect(lines).toContainEqual(expect.stringContaining('what claude will use is not known before'));
  });

  it('says of agents that have tools that the first turn alone is counted', () => {
    const talking = planOf('steps:\n  - {agent: reader}\n', {
      'definitions/agents/reader.yml': 'name: reader\nprompt: You read.\ntools: [read_file]\n',
    });
    const said = 'of reader the first turn alone is counted: how many follow is not known before';
    expect(linesOf(talking, 200)).toContainEqual(expect.stringContaining(said));
    expect(linesOf(everything(), 200).join('\n')).not.toContain('first turn');
  });

  it.each([20, 40, 80, 200])('fits %i columns', (width) => {
    const hostile = commandStep(12, ['echo', 'a\u001b[31m\n界'.repeat(200)], { id: 'x'.repeat(63) });
    const made = {
      ...everything(),
      description: 'Long words: '.repeat(40),
      inputs: { ['n'.repeat(40)]: { type: 'string' as const, required: true, description: 'why '.repeat(60) } },
    };
    for (const line of linesOf({ ...made, steps: [...made.steps, hostile] }, width, {
      ['n'.repeat(40)]: ['a/b', 'c'],
    })) {
      expect(displayWidth(line), line).toBeLessThanOrEqual(width);
      // eslint-disable-next-line no-control-regex -- these are what may not reach a terminal
      expect(line).not.toMatch(/[\x00-\x1f\x7f-\x9f]/);
    }
  });

  it('tells how deep it nests, of how deep it may, and what limits may add', () => {
    const lines = linesOf(everything(), 200);
    expect(lines.at(-1)).toContain(' · 2 of 5 levels');
    expect(lines.filter((line) => line.includes('hold every nested step back'))).toHaveLength(1);
    expect(linesOf(plan([commandStep(0, ['true'])]), 200).at(-1)).toContain(' · 1 of 5 levels');
  });

  it('tells what a run needs, and which step needs it', () => {
    const made = plan([commandStep(0, ['true'])], {
      inputs: {
        target: { type: 'string', required: true, description: 'What to look at.' },
        depth: { type: 'number', required: false, description: null, default: 3 },
      },
    });
    expect(linesOf(made, 80, { target: ['scan', 'write/draft'] }).slice(2, 6)).toEqual([
      'Needs',
      '  target  string, required  for scan, write/draft',
      '      What to look at.',
      '  depth   number = 3',
    ]);
  });

  it('tells the most that a run may take and cost, and what each item adds', () => {
    const text = linesOf(everything(), 120).join('\n');
    expect(text).toContain('15 steps · 4–6 model calls (claude-haiku-5-5)');
    expect(text).toContain('each: 4 steps and 1 model call for each of ${steps[0].output}; one is counted here');
    expect(text).toMatch(/\$0\.\d+ with the longest/);
  });
});
