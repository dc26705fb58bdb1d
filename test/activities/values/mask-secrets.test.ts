import { describe, expect, it } from 'vitest';
import { maskOf } from '../../../src/activities/values/mask-secrets.js';

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
