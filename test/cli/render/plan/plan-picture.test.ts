import { describe, expect, it } from 'vitest';
import { inOrder, leanArrows } from '../../../../src/cli/render/plan/plan-arrows.js';
import type { Box, Picture } from '../../../../src/cli/render/plan/plan-picture.js';
import { pictureOf } from '../../../../src/cli/render/plan/plan-picture.js';
import { plan, stepBase, body, commandStep } from '../../../plan/helpers/build-plan.js';
import { everything } from '../../helpers/every-kind.js';

const names = (picture: Picture): unknown[] =>
  picture.boxes.map((box) =>
    box.inside === null || box.inside === 'shown' ? box.name : [box.name, names(box.inside)],
  );
const boxes = (picture: Picture): Box[] =>
  picture.boxes.flatMap((box) => [box, ...(box.inside === null || box.inside === 'shown' ? [] : boxes(box.inside))]);

describe('a picture of a Plan', () => {
  it('has a box for each step, what steps consist of inside', () => {
    expect(names(pictureOf(everything()))).toEqual([
      'files',
      'security',
      'speed',
      'style',
      ['each', ['fix', ['retry', ['test']]]],
      ['first', ['draft', 'count']],
      'second',
      'who',
      'names',
      'wait',
      'approve',
      'tidy',
    ]);
  });

  it('numbers boxes over the whole tree in source order, and names their paths', () => {
    const all = boxes(pictureOf(everything()));
    expect(all.map(({ id }) => id)).toEqual(all.map((_, index) => `node-${index}`));
    expect(all.map(({ path }) => path)).toContain('each/retry/test');
  });

  it('tells conditions, items, rounds and what always runs', () => {
    const all = boxes(pictureOf(everything()));
    const notes = all.flatMap(({ name, when, repeats, always }) =>
      (when ?? repeats ?? (always ? 'always' : null)) === null ? [] : [[name, when ?? repeats ?? 'always']],
    );
    expect(notes).toEqual([
      ['style', 'contains(steps[0].output, ".css")'],
      ['each', 'for each of ${steps[0].output}, 3 at once'],
      ['retry', 'until contains(steps[0].output, "pass"), at most 3 times'],
      ['tidy', 'always'],
    ]);
  });

  it('draws a workflow once, so that it never has more boxes than the Plan has steps', () => {
    const nest = (inner: `sha256:${string}`) =>
      [0, 1, 2, 3].map((index) => ({
        ...stepBase(index),
        kind: 'workflow' as const,
        workflow: inner,
        plan: inner,
        inputs: {},
      }));
    const nested = Object.fromEntries(
      [...'abcdefgh'].map((letter, at, all) => [
        `sha256:${letter}`,
        body(at === all.length - 1 ? [commandStep(0, ['true'])] : nest(`sha256:${all[at + 1]}`)),
      ]),
    );
    expect(boxes(pictureOf(plan(nest('sha256:a'), { nested })))).toHaveLength(4 * 8 + 1);
  });
});

describe('the arrows of a picture', () => {
  it.each([
    ['a row', [[], [0], [1]], ['0→1', '1→2']],
    ['a way round', [[], [0], [0, 1]], ['0→1', '1→2']],
    ['a diamond', [[], [0], [0], [0, 1, 2]], ['0→1', '0→2', '1→3', '2→3']],
    ['needs written backwards', [[1, 2], [2], []], ['1→0', '2→1']],
    ['nothing', [[], []], []],
  ])('of %s are those that nothing else implies', (_, needs, arrows) => {
    expect(leanArrows(needs).map(({ from, to }) => `${from}→${to}`)).toEqual(arrows);
  });

  it('are as many for thousands of steps as they must be', () => {
    const needs = Array.from({ length: 2_000 }, (_, step) =>
      Array.from({ length: Math.min(step, 20) }, (_unused, back) => step - 1 - back),
    );
    expect(leanArrows(needs)).toHaveLength(1_999);
  });

  it('leave an order in which each step comes after its needs', () => {
    expect(inOrder([[2], [0], []])).toEqual([2, 0, 1]);
  });
});
