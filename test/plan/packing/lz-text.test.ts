import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lengthenText, shortenText } from '../../../src/plan/packing/lz-text.js';

/** Texts in which pieces come again, cut anywhere, also between the halves of a character. */
const repetitive = fc
  .array(
    fc.oneof(
      fc.constantFrom('{"kind":"command","needs":[{"step":', '~', '~~', 'Zürich 😀🗼', '\u0000', 'aaaaaaaaaaaa'),
      fc.string({ unit: 'grapheme' }),
    ),
    { maxLength: 60 },
  )
  .map((pieces) => pieces.join(''));

describe('a shortened text', () => {
  it('is the same text again, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.oneof(repetitive, fc.string({ unit: 'binary' })),
        (text) => lengthenText(shortenText(text)) === text,
      ),
    );
  });

  it('survives UTF-8: no pair of surrogates is cut', () => {
    fc.assert(
      fc.property(repetitive, (text) => lengthenText(Buffer.from(shortenText(text), 'utf8').toString('utf8')) === text),
    );
  });

  it.each([
    ['abcdefgh-abcdefgh', 'abcdefgh-~AAJC'],
    ['a~b', 'a~~b'],
    // The nearest of those that are equally long,
    ['abcdef-abcdef+abcdef', 'abcdef-~AAHA+~AAHA'],
    // the longest where it is nearer,
    ['abcdef-abcdefghij+abcdefghij', 'abcdef-~AAHAghij+~AALE'],
    // and where it is further away.
    ['..abcdefghij-abcdef+abcdefghij', '..abcdefghij-~AALA+~AASE'],
    // No half of a character.
    ['abcdef😀-abcdef🗼', 'abcdef😀-~AAJA🗼'],
  ])('has the form that its format says: %j', (text, short) => {
    expect(shortenText(text)).toBe(short);
    expect(lengthenText(short)).toBe(text);
  });

  it('is made longer by far than it is', () => {
    const text = 'abcdefghij'.repeat(20);
    expect(lengthenText(shortenText(text))).toBe(text);
  });

  it('repeats also what lies far back, and what is longer than one repetition', () => {
    const between = Array.from({ length: 60_000 }, (_, index) => index).join('');
    const text = `${'x'.repeat(30)}needle${between}${'needle'.repeat(50)}`;
    expect(lengthenText(shortenText(text))).toBe(text);
  });

  it.each([
    ['~', 'digit'],
    ['~AAAA', 'repetition'],
    ['a~AAGA', 'repetition'],
    ['abcdef~AAGB', 'repetition'],
    ['abcdef~A!GA', '!'],
    ['abcdefg~AAG', 'digit'],
  ])('is refused when nobody has made it so: %j', (short, told) => {
    expect(() => lengthenText(short)).toThrow(told);
  });
});
