import { expect, it } from 'vitest';
import type { BlockStep, Step } from '../../../src/plan/step.js';
import { treeName } from '../../../src/plan/worktree.js';
import type { Scope } from '../../../src/workflows/state/context.js';
import { committerOf, workspaceOf } from '../../../src/workflows/state/own-workspace.js';
import { foreach, loop, many, reference, single, whole } from '../../plan/helpers/build-blocks.js';
import { commandStep } from '../../plan/helpers/build-plan.js';

const PROJECT = '/state/worktrees/run/trees/main';
const commits = { commit: 'Add it' };
const work = (more: object = {}): Step => commandStep(0, ['x'], { id: 'work', ...more });

/** The scope of a run's own steps; only what is looked at. */
function top(step: Step, worktree: object | null = { project: '/p', carry: [] }): Scope {
  return {
    context: { settings: { workspace: PROJECT, ...(worktree && { worktree }) } },
    outer: null,
    schedule: { body: { steps: Array(step.index).fill(work()).concat(step) } },
    ...{ path: '', blockPath: [], single: false, index: null },
  } as unknown as Scope;
}

/** Round by round into the bodies of the blocks that begin with a step. */
function inside(outermost: BlockStep, ...rounds: number[]): [Scope, Step] {
  let scope = top(outermost);
  let step: Step = outermost;
  for (const index of rounds) {
    const { body } = step as BlockStep; // there is one for each round
    const path = [scope.single ? scope.path : [scope.path, step.id].filter(Boolean).join('/'), index].join('/');
    scope = {
      ...scope,
      ...{ outer: scope, schedule: { body }, path, single: body.single, index },
      blockPath: [...scope.blockPath, step.index],
    } as unknown as Scope;
    step = body.steps[0]!;
  }
  return [scope, step];
}

const each = (body: BlockStep['body'], more: object = {}): BlockStep => ({
  ...foreach(0, whole('input:a'), body),
  id: 'each',
  ...more,
});
const again = (body: BlockStep['body'], more: object = {}): BlockStep => ({
  ...loop(0, reference('input:a'), body),
  id: 'again',
  ...more,
});

it.each<[string, [Scope, Step], { path: string; of: string } | null]>([
  ['commits nothing', [top(work()), work()], null],
  ['commits', [top(work(commits)), work(commits)], { path: 'work', of: 'work' }],
  ['commits in no work tree', [top(work(commits), null), work(commits)], null],
  ['commits inside of who commits', [top(work(commits), { within: true }), work(commits)], null],
  [
    'commits what another has left',
    at({ ...work(), id: 'keep', commit: 'x', commit_of: 'work' }),
    { path: 'keep', of: 'work' },
  ],
  ['commits for an item', inside(each(many([work(commits)])), 3), { path: 'each/3/work', of: 'each/3/work' }],
  ['is an item that commits', inside(each(single(work(commits))), 3), { path: 'each/3', of: 'each/3' }],
  ['commits in a round', inside(again(many([work(commits)])), 2), { path: 'again/2/work', of: 'again/work' }],
  ['is a round that commits', inside(again(single(work(commits))), 2), { path: 'again/2', of: 'again' }],
  ['is inside of one that commits', inside(each(many([work()]), commits), 3), { path: 'each', of: 'each' }],
  ['commits inside of one that does', inside(each(many([work(commits)]), commits), 3), { path: 'each', of: 'each' }],
  [
    'commits in a round of a loop that is not the first step',
    inside(second(again(many([work(commits)]))), 2),
    { path: 'again/2/work', of: 'again/work' },
  ],
  [
    'is inside of a loop that commits and is not the first step',
    inside(second(again(many([work()]), commits)), 2),
    { path: 'again', of: 'again' },
  ],
  [
    'commits in a round of an item',
    inside(each(many([again(many([work(commits)]))])), 3, 2),
    { path: 'each/3/again/2/work', of: 'each/3/again/work' },
  ],
  [
    'commits for an item of a round',
    inside(again(many([each(many([work(commits)]))])), 2, 3),
    { path: 'again/2/each/3/work', of: 'again/each/3/work' },
  ],
])('a step that %s works in the tree of %3$j', (_, [scope, step], committer) => {
  const tree = committer === null ? null : treeName(committer.of);
  expect(committerOf(scope, step)).toEqual(committer && { path: committer.path, tree });
  expect(workspaceOf(scope, step)).toBe(tree === null ? PROJECT : PROJECT.replace(/main$/, tree));
});

function second(step: BlockStep): BlockStep {
  return { ...step, index: 1 };
}

function at(step: Step): [Scope, Step] {
  return [top(step), step];
}
