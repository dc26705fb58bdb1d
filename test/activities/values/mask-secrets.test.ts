import { describe, expect, it } from 'vitest';
import { cutText } from '../../../src/activities/processes/output-capture.js';
import { maskOf, maskPieces } from '../../../src/activities/values/mask-secrets.js';

const SECRET = 'canary key!\n"21d8"+/';
const inBase64 = (text: string, encoding: 'base64' | 'base64url' = 'base64'): string =>
  Buffer.from(text).toString(encoding);

describe('a secret', () => {
  it.each([
    ['as it is written', SECRET, '…'],
    ['in JSON', JSON.stringify({ key: SECRET }), '{"key":"…"}'],
    ['in a path of an address', `/of/${encodeURIComponent(SECRET)}`, '/of/…'],
    ['in a query, whose spaces are plus signs', `?${new URLSearchParams({ q: SECRET }).toString()}`, '?q=…'],
    ['in base 64', inBase64(SECRET), '…'],
    ['in base 64 for addresses', inBase64(SECRET, 'base64url'), '…'],
  ])('is taken out %s', (_how, text, masked) => {
    expect(maskOf([SECRET])(`before ${text} after`)).toBe(`before ${masked} after`);
  });

  it.each(['a:', 'ab:', 'abc:'])('is taken out in base 64 with `%s` before it and a line end after it', (user) => {
    const masked = maskOf([SECRET])(inBase64(`${user}${SECRET}\n`));
    expect(masked).toContain('…');
    expect(masked.length).toBeLessThan(inBase64(user).length + 8);
  });

  it('with which a longer one begins leaves nothing of that', () => {
    expect(maskOf(['canary', 'canary-of-staging'])('canary-of-staging canary')).toBe('… …');
  });

  it('that is empty takes out nothing', () => {
    expect(maskOf([''])('text')).toBe('text');
  });
});

describe('a secret in a text of which a part is shown', () => {
  const mask = maskOf([SECRET]);
  const forms = [SECRET, JSON.stringify(SECRET).slice(1, -1), encodeURIComponent(SECRET), inBase64(SECRET)];
  const LIMIT = 200;
  /** Longer pieces of a form tell something of it. */
  const TOLD = 3;

  /** What a text shows of a secret: the longest piece of the form that stands in it. */
  function shownOf(form: string, text: string): number {
    for (let length = form.length; length > 0; length -= 1)
      for (let at = 0; at + length <= form.length; at += 1)
        if (text.includes(form.slice(at, at + length))) return length;
    return 0;
  }

  it.each(forms)('is taken out wherever the cut goes through it: `%s`', (form) => {
    for (let before = 0; before <= 2 * LIMIT; before += 1) {
      const text = `${'x'.repeat(before)}${form}${'x'.repeat(2 * LIMIT - before)}`;
      expect(shownOf(form, cutText(text, LIMIT, mask))).toBeLessThan(TOLD);
    }
  });

  it('is taken out where others stand before it, which make the text shorter', () => {
    for (let before = 0; before <= LIMIT; before += 1) {
      const text = `${'x'.repeat(before)}${`${SECRET}.`.repeat(30)}`;
      expect(shownOf(SECRET, cutText(text, LIMIT, mask))).toBeLessThan(TOLD);
    }
  });

  it('leaves a text as it is that is shown whole', () => {
    expect(cutText(`to be masked as a value: ${SECRET}`, LIMIT, mask)).toContain(SECRET);
  });

  it('is taken out whatever the pieces are in which it comes', () => {
    for (let length = 1; length <= 2 * SECRET.length; length += 1) {
      const { add, end } = maskPieces(mask);
      const text = `a ${SECRET}${SECRET} and ${inBase64(SECRET)}, ${SECRET.slice(0, -1)}`;
      const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
      expect(`${pieces.map(add).join('')}${end()}`).toBe(`a …… and …, ${SECRET.slice(0, -1)}`);
    }
  });
});
