import fc from 'fast-check';
import { expect, it } from 'vitest';
import { gatesIn } from '../../../src/plan/builds/human-gates.js';

const SPEC = { workflow: { human_gates: ['after half of the tasks', ' '] } };
const task = (id: string, ...dependencies: string[]) => ({ id, dependencies });

it.each([
  ['no list', {}, []],
  ['an empty list', { workflow: { human_gates: [] } }, []],
  ['a list', SPEC, [['a', 'b']]],
  ['two entries', { workflow: { human_gates: ['one', 'two'] } }, [['a', 'b']]],
])('asks a person once at half of the tasks: %s', (_what, spec, after) => {
  const gates = gatesIn(spec, [task('a'), task('c', 'b'), task('b', 'a'), task('d', 'c'), task('e')]);
  expect(gates.map((gate) => gate.after)).toEqual(after);
});

it('says what the spec says of it', () => {
  expect(gatesIn(SPEC, [task('a'), task('b')])[0]?.message).toBe(
    'Half of the tasks are done. Go on? (after half of the tasks)',
  );
});

it('asks nobody in the middle of one task', () => {
  expect(gatesIn(SPEC, [task('a')])).toEqual([]);
});

it('never stands before something that a task before it waits for', () => {
  const graphs = fc
    .integer({ min: 2, max: 15 })
    .chain((size) =>
      fc.tuple(
        ...Array.from({ length: size }, (_, index) =>
          fc
            .subarray(Array.from({ length: index }, (_each, earlier) => `t${earlier}`))
            .map((dependencies) => ({ id: `t${index}`, dependencies })),
        ),
      ),
    );
  fc.assert(
    fc.property(graphs, fc.integer(), (tasks, seed) => {
      const mixed = [...tasks].sort((one, other) => ((one.id.length + seed) % 3) - ((other.id.length * 7) % 5));
      const [gate] = gatesIn(SPEC, mixed);
      const after = new Set(gate?.after);
      expect(after.size).toBe(Math.floor(tasks.length / 2));
      for (const { id, dependencies } of mixed)
        if (after.has(id)) for (const needed of dependencies) expect(after).toContain(needed);
    }),
  );
});
