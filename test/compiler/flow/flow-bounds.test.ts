import { describe, expect, it } from 'vitest';
import { compileFlowText } from '../helpers/flow-compile.js';

const many = (count: number, one: (index: number) => string, between: string): string =>
  Array.from({ length: count }, (_, index) => one(index)).join(between);

describe('a flow with very many labels', () => {
  it.each([
    [
      'loops in each other',
      (count: number) =>
        `${many(count, (index) => `@l${index} -> `, '')}Plan:"a" ` +
        `${many(count, (index) => `(if x${index})~> @l${index}`, ' ')}`,
    ],
    [
      'loops one after the other',
      (count: number) => many(count, (index) => `[@l${index} -> Plan (if failed)~> @l${index}]`, ' -> '),
    ],
    [
      'labels without a step between them',
      (count: number) =>
        `${many(count, (index) => `@l${index}`, ' -> ')} -> Plan:"a" -> ` +
        `${many(count, (index) => `@l${index}`, ' -> ')}`,
    ],
  ])('is refused at the first that is too many: %s', (_what, text) => {
    const { plan, problems } = compileFlowText(text(3_000));
    expect(plan).toBeNull();
    expect(problems).toMatchObject([{ code: 'too-deep', message: 'Expected at most 200 labels in a flow.' }]);
  });

  it('compiles with as many as it may have', () => {
    expect(
      compileFlowText(many(200, (index) => `[@l${index} -> Plan (if failed)~> @l${index}]`, ' -> ')).problems,
    ).toEqual([]);
  });
});
