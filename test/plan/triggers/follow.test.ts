import { expect, it } from 'vitest';
import { followText } from '../../../src/plan/triggers/follow.js';

it('says whom a definition follows, and to which ends', () => {
  expect(followText({ definitions: ['build', 'test'], ends: ['success', 'partial'] })).toBe(
    'after build, test: success, partial',
  );
});
