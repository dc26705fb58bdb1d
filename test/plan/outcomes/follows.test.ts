import { describe, expect, it } from 'vitest';
import { blocksAfter, followsInTree, followsOf as follows } from '../../../src/plan/outcomes/follows.js';
import type { Block, Step, StepBase } from '../../../src/plan/step.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { foreach, loop, many, reference, single, whole } from '../helpers/build-blocks.js';
import { after, body, commandStep, needs, stepBase } from '../helpers/build-plan.js';

const gate = (index: number, more: Partial<StepBase> = {}): Step => ({
  ...stepBase(index, { id: 'ok', ...more }),
  kind: 'approval',
  message: { kind: 'literal', value: 'Go?' },
  content: null,
  fallback: 'abort',
});
const run = (index: number, id: string, more: Partial<StepBase> = {}): Step =>
  commandStep(index, ['x'], { id, ...more });
const external = { effect: 'external' as const };
const followsOf = (block: Block, path: string): ReturnType<typeof follows> => follows({ ...block, nested: {} }, path);
const calls = (index: number, id: string, plan: Hash, more: Partial<StepBase> = {}): Step => ({
  ...stepBase(index, { id, ...more }),
  kind: 'workflow',
  workflow: id,
  plan,
  inputs: {},
});

describe('what can begin once a gate is decided', () => {
  it('is what waits for it, whatever lies between, and nothing else', () => {
    const steps = [
      run(0, 'before', external),
      gate(1, { needs: needs(0) }),
      run(2, 'next', { needs: needs(1) }),
      run(3, 'ship', { needs: after(2), ...external }),
      run(4, 'beside', external),
      run(5, 'both', { needs: needs(4, 3) }),
    ];
    expect(followsOf(body(steps), 'ok')).toEqual({ steps: 3, external: ['ship'] });
    expect(followsOf(body(steps), 'gone')).toEqual({ steps: 0, external: [] });
    expect(followsOf(body(steps), '')).toEqual({ steps: 0, external: [] });
  });

  it('counts a step that stands before what it waits for', () => {
    const steps = [run(0, 'last', { needs: needs(2) }), gate(1), run(2, 'first', { needs: needs(1) })];
    expect(followsOf(body(steps), 'ok').steps).toBe(2);
  });

  it('is the step itself where it asks about what it is to do', () => {
    const steps = [run(0, 'deploy', external), run(1, 'tell', { needs: needs(0) })];
    expect(followsOf(body(steps), 'deploy')).toEqual({ steps: 2, external: ['deploy'] });
    expect(followsOf(body([commandStep(0, ['x'], external)]), '0')).toEqual({ steps: 1, external: ['0'] });
  });

  it('is what is in bodies as well', () => {
    const list = foreach(1, whole('input:a'), many([run(0, 'one'), run(1, 'push', external)]), {
      id: 'each',
      needs: needs(0),
    });
    expect(followsOf(body([gate(0), list]), 'ok')).toEqual({ steps: 3, external: ['push'] });
  });

  it('is of a gate in a round the rest of the round, then what waits for the loop', () => {
    const round = loop(0, reference('input:a'), many([gate(0), run(1, 'mend', { needs: needs(0) }), run(2, 'other')]), {
      id: 'rounds',
    });
    const around = body([round, run(1, 'ship', { needs: needs(0), ...external })]);
    expect(followsOf(around, 'rounds/2/ok')).toEqual({ steps: 2, external: ['ship'] });
    expect(
      blocksAfter(around, 'rounds/2/ok').map(({ gate: { id }, after: ids }) => [id, ids.map((step) => step.id)]),
    ).toEqual([
      ['ok', ['mend']],
      ['rounds', ['ship']],
    ]);
  });

  it('is of a gate that is all of a body what waits for the loop', () => {
    const round = loop(0, reference('input:a'), single(gate(0)), { id: 'rounds' });
    const around = body([round, run(1, 'ship', { needs: needs(0) })]);
    expect(followsOf(around, 'rounds/2')).toEqual({ steps: 1, external: [] });
  });

  it('is what nested runs do as well, a body that many steps call counted for each', () => {
    const publish = body([run(0, 'build'), run(1, 'publish', external)]);
    const twice = body([calls(0, 'one', 'sha256:publish'), calls(1, 'two', 'sha256:publish')]);
    const root = body([gate(0), calls(1, 'all', 'sha256:twice', { needs: needs(0) })]);
    const nested = { 'sha256:publish': publish, 'sha256:twice': twice };
    expect(follows({ ...root, nested }, 'ok')).toEqual({ steps: 7, external: ['publish'] });
    expect(followsInTree({ ...root, nested }, 'ok')).toEqual({ steps: 7, external: ['publish'] });
  });

  it('is of a gate in a nested run what follows there, and in the runs around it', () => {
    const asks = body([gate(0), run(1, 'note', { needs: needs(0) })]);
    const nested = { 'sha256:asks': asks };
    const root = {
      ...body([calls(0, 'review', 'sha256:asks'), run(1, 'ship', { needs: needs(0), ...external })]),
      nested,
    };
    expect(followsInTree(root, 'review/ok')).toEqual({ steps: 2, external: ['ship'] });
    // A step of the nested run that asks about what it is to do.
    expect(followsInTree(root, 'review/note')).toEqual({ steps: 2, external: ['ship'] });
    // One that asks itself whether its run may begin.
    expect(followsInTree(root, 'review')).toEqual({ steps: 4, external: ['ship'] });
    const items = foreach(0, whole('input:a'), single(calls(0, 'review', 'sha256:asks')), { id: 'each' });
    const listed = { ...body([items, run(1, 'ship', { needs: needs(0), ...external })]), nested };
    expect(followsInTree(listed, 'each/3/ok')).toEqual({ steps: 2, external: ['ship'] });
    expect(followsInTree(root, 'made/ok')).toBeNull();
  });
});
