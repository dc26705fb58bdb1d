import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { flows, meaning, parse, reprint } from '../helpers/flow-text.js';

describe('a printed flow', () => {
  it('means what the flow meant, comments included', () => {
    fc.assert(
      fc.property(flows, (text) => {
        const { tree, problems } = parse(text);
        expect(problems).toEqual([]);
        const again = parse(reprint(text));
        expect(again.problems).toEqual([]);
        expect(meaning(again.tree)).toEqual(meaning(tree));
      }),
      { numRuns: 400 },
    );
  });

  it('prints as itself', () => {
    fc.assert(
      fc.property(flows, (text) => {
        expect(reprint(reprint(text))).toBe(reprint(text));
      }),
      { numRuns: 100 },
    );
  });

  it('has one step a line, short groups on one, and branches behind their conditions', () => {
    const text =
      '# find\n$s:={base:"Explore",prompt:"Look, at: {all}"} $s:"Scan":v->[a||b:"x"] # both\n(all success)~>c ' +
      '~>(if failed) d:"fix"->e';
    expect(reprint(text)).toBe(
      [
        '# find',
        '$s := {',
        '  base: "Explore",',
        '  prompt: "Look, at: {all}"',
        '}',
        '',
        '$s:"Scan":v ->',
        '[a || b:"x"] # both',
        '(if all success)~> c',
        '(if failed)~> d:"fix" -> e',
        '',
      ].join('\n'),
    );
  });
});
