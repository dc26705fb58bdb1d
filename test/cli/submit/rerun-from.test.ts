import { describe, expect, it } from 'vitest';
import { freshPaths } from '../../../src/cli/submit/rerun/rerun-from.js';
import { runsAnew } from '../../../src/plan/calls/reuse.js';
import { foreach, loop, many, reference, set, single, whole } from '../../plan/helpers/build-blocks.js';
import { needs, plan } from '../../plan/helpers/build-plan.js';

const until = reference('run:never');
const made = plan([
  set(0, {}, { id: 'first' }),
  loop(1, until, many([set(0, {}, { id: 'p' }), set(1, {}, { id: 'q', needs: needs(0) })]), { id: 'rounds' }),
  set(2, {}, { id: 'last', needs: needs(1) }),
  foreach(3, whole('input:list'), single(loop(0, until, single(set(0, {})))), { id: 'each' }),
]);

describe('what runs anew from a step on', () => {
  it.each([
    ['rounds/0', ['rounds/0/p', 'rounds/1', 'rounds/2/q', 'rounds/11/p', 'last'], ['first', 'each/0/1']],
    ['rounds/1', ['rounds/1/p', 'rounds/2/p'], ['rounds/0/p', 'rounds/0/q']],
    ['rounds/1/q', ['rounds/1/q', 'rounds/2/p', 'last'], ['rounds/1/p', 'rounds/0/q']],
    ['each/1/3', ['each/1/3', 'each/1/4', 'each/1/10'], ['each/1/2', 'each/0/4', 'each/2/4']],
    ['each/1', ['each/1/0'], ['each/0/1', 'each/2/0', 'each/11/0']],
    ['first', ['first'], ['rounds/0/p', 'last']],
  ])('%s: also what depends on it, later rounds of a loop too', (from, anew, kept) => {
    const fresh = freshPaths(made, from);
    expect(anew.filter((path) => !runsAnew(path, fresh))).toEqual([]);
    expect(kept.filter((path) => runsAnew(path, fresh))).toEqual([]);
  });

  it('refuses what is no step', () => {
    for (const path of ['rounds/0/x', 'each/1/2/x'])
      expect(() => freshPaths(made, path)).toThrow(`There is no step \`${path}\`.`);
  });
});
