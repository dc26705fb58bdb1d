import { expect, it } from 'vitest';
import { requirementKeysIn, requirementKey, requirementOf } from '../../../src/plan/placement/requirement.js';

it('a memo names requirements as steps have them, and nothing else of it is one', () => {
  const key = requirementKey(requirementOf({ labels: ['gpu', 'big.1'], programs: ['g++', 'node'], sandbox: true }));
  const strange = [
    '',
    'a\u0000b',
    'gpu,',
    'GPU',
    'program:',
    'program:$(x)',
    'a b',
    'x'.repeat(2_000),
    5,
    null,
    ['gpu'],
  ];
  expect(requirementKeysIn([...strange, key, 'gpu'])).toEqual([key, 'gpu']);
  for (const memo of [undefined, null, 'gpu', { 0: 'gpu' }]) expect(requirementKeysIn(memo)).toEqual([]);
});
