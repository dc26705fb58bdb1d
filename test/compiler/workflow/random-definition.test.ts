import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatYaml } from '../../../src/compiler/fmt/format-yaml.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';
import { OUTER, rootsOf } from '../../../src/plan/values/expression.js';
import { shortPlan, unpackPlan } from '../../../src/plan/packing/packed-plan.js';
import type { Block } from '../../../src/plan/step.js';
import { isBlockStep } from '../../../src/plan/step.js';
import { templatesOf } from '../../../src/plan/references/step-references.js';
import { randomDefinition } from '../helpers/random-definition.js';
import { planOf } from '../helpers/temporary-project.js';

const draws = fc
  .infiniteStream(fc.double({ min: 0, max: 0.999_999, noNaN: true }))
  .map((stream) => () => stream.next().value as number); // it never ends

/**
 * Checks that every reference of a block is to something that is there: `scopes` are the blocks around it, the inner
 * first.
 */
function checkReferences(block: Block, scopes: Block[]): void {
  const inside = [block, ...scopes];
  for (const step of block.steps) {
    for (const root of rootsOf(templatesOf(step))) {
      const outwards = /^\^*/.exec(root)?.[0].length ?? 0;
      const target = inside[outwards];
      expect(target, root).toBeDefined();
      const [, kind, index] = /^(step|last):(\d+)/.exec(root.slice(outwards * OUTER.length)) ?? [];
      if (kind !== undefined) expect(target?.steps[Number(index)], root).toBeDefined();
    }
    for (const { step: needed } of step.needs) expect(block.steps[needed]).toBeDefined();
    if (isBlockStep(step)) checkReferences(step.body, inside);
  }
}

describe('a random definition', () => {
  it('compiles to a Plan whose references are all there, travels packed, and means the same in canonical form', () => {
    fc.assert(
      fc.property(draws, (draw) => {
        const text = JSON.stringify(randomDefinition(draw), null, 1);
        const plan = planOf(text);
        checkReferences(plan, []);
        expect(unpackPlan(shortPlan(plan))).toEqual(plan);
        const { report } = createReport();
        const formatted = formatYaml(createSource('/p/definitions/workflows/flow.yml', 'flow.yml', text), report) ?? '';
        expect(planOf(formatted).hash).toBe(plan.hash);
      }),
      { numRuns: 150 },
    );
  });
});
