import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StepEnd } from '../../../src/plan/schedule/schedule-state.js';
import { createSchedule, endStep, startStep } from '../../../src/plan/schedule/schedule.js';
import type { OnError } from '../../../src/plan/step.js';
import { inline } from '../../../src/plan/values/value.js';
import { body, commandStep } from '../helpers/build-plan.js';

const success: StepEnd = { status: 'success', output: inline('done') };
const failed: StepEnd = { status: 'error', failure: { type: 'command-failed', message: 'exit 1' } };

describe('the scheduler', () => {
  it('whatever ends how and in which order, every step ends once, after all it needs', () => {
    const graphs = fc.array(
      fc.record({
        needs: fc.array(fc.nat(1000), { maxLength: 3 }),
        skip: fc.boolean(),
        on_error: fc.constantFrom<OnError>('stop', 'continue', 'skip_dependents'),
        fails: fc.boolean(),
        pick: fc.nat(1000),
      }),
      { minLength: 1, maxLength: 30 },
    );
    fc.assert(
      fc.property(graphs, (nodes) => {
        const steps = nodes.map((node, index) =>
          commandStep(index, ['a'], {
            on_error: node.on_error,
            needs: [...new Set(index === 0 ? [] : node.needs.map((need) => need % index))].map((step) => ({
              step,
              skip: node.skip,
            })),
          }),
        );
        const schedule = createSchedule(body(steps));
        const running: number[] = [];
        for (let turn = 0; schedule.open > 0; turn++) {
          for (const index of [...schedule.ready]) {
            steps[index]?.needs.forEach((need) =>
              expect(schedule.steps[need.step]?.status).not.toMatch(/pending|running/),
            );
            startStep(schedule, index);
            running.push(index);
          }
          expect(running.length).toBeGreaterThan(0);
          const [index = 0] = running.splice((nodes[turn % nodes.length]?.pick ?? 0) % running.length, 1);
          endStep(schedule, index, nodes[index]?.fails ? failed : success);
        }
        // Stopping skips everything at once; without it, whatever ends has all it needs behind it.
        if (schedule.stopped === null) {
          schedule.ended.forEach((index, position) =>
            steps[index]?.needs.forEach((need) => {
              expect(schedule.ended.indexOf(need.step)).toBeLessThan(position);
            }),
          );
        }
        expect([...schedule.ended].sort((a, b) => a - b)).toEqual(steps.map(({ index }) => index));
      }),
    );
  });
});
