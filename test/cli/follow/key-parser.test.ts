import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createKeyParser } from '../../../src/cli/follow/input/key-parser.js';

const SEQUENCES = [
  ...['\u001b[A', '\u001bOA', '\u001b[[A', '\u001b[1;5C', '\u001b[15~', '\u001b[?1;2c', '\u001b[>0;95;0c'],
  ...['\u001b[<0;1;1M', '\u001b[I', '\u001b(B', '\u001ba', '\u001b\u001b[A', '\u001b[ q', '\u001b[12;40R'],
  ...['\u001b]11;rgb:aaaa/1111/yyyy\u0007', '\u001b]11;rgb:aaaa/1111/yyyy\u001b\\', '\u001bP>|a1y\u001b\\'],
  ...['\u001b_Ga=1;y\u001b\\', '\u001b^a\u001b\\', '\u001bXa\u001b\\'],
];

it.each(SEQUENCES)('%j is no key, however its parts come', (sequence) => {
  for (let cut = 0; cut <= sequence.length; cut += 1) {
    const keysIn = createKeyParser();
    expect([...keysIn(`x${sequence.slice(0, cut)}`), ...keysIn(sequence.slice(cut))]).toEqual(['x']);
    expect(keysIn('a')).toEqual(['a']);
  }
});

it('takes an Esc that was pressed alone for none, once a second has passed', () => {
  let now = 0;
  const keysIn = createKeyParser(() => now);
  expect(keysIn('\u001b')).toEqual([]);
  now = 900;
  expect(keysIn('[A')).toEqual([]);
  expect(keysIn('\u001b')).toEqual([]);
  now = 2_000;
  expect(keysIn('Please')).toEqual([...'Please']);
});

it('gives Ctrl-C also in the middle of a sequence, and what comes after it', () => {
  for (const start of ['\u001b', '\u001b[1', '\u001bO', '\u001b]11;', '\u001bPq'])
    expect(createKeyParser()(`${start}\u0003a`)).toEqual(['\u0003', 'a']);
});

it('gives the keys around sequences in their order, however they are cut', () => {
  const piece = fc.oneof(
    fc.constantFrom(...SEQUENCES),
    fc.constantFrom('a', '1', 'y', 'é', '\r', '\u0003', '\u007f', '😀'),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), fc.array(fc.nat(60), { maxLength: 6 }), (pieces, at) => {
      const chars = [...pieces.join('')];
      const cuts = [0, ...at.map((one) => Math.min(one, chars.length)).sort((a, b) => a - b), chars.length];
      const keysIn = createKeyParser();
      const keys = cuts.slice(1).flatMap((end, index) => keysIn(chars.slice(cuts[index], end).join('')));
      expect(keys).toEqual(pieces.filter((one) => !SEQUENCES.includes(one)));
    }),
  );
});
