import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hiddenIn } from '../../../src/compiler/text/hidden-characters.js';
import { yamlText } from '../../../src/compiler/text/yaml-text.js';

const HIDDEN = ['\u202e', '\u200b', '\ufeff', '\u2028', '\u0085', '\u00ad', '\u{e0041}', '\u001b', '\u0378', '\ud800'];

describe('data as YAML', () => {
  it.each(HIDDEN.map((one) => [one.codePointAt(0)?.toString(16) ?? '', one]))(
    'says U+%s where its readers see it',
    (_, one) => {
      const data = { text: `a${one}b`, [`k${one}`]: [`${one}first`, `lines\n${one}\nmore\n`, `say "${one}"`] };
      const text = yamlText(data);
      expect(hiddenIn(text)).toBe(null);
      expect(parse(text)).toEqual(data);
    },
  );

  it('leaves blanks, emoji and the joiners of scripts as they are', () => {
    expect(yamlText({ a: '12\u00a0%', b: '👩\u200d🔬', c: 'می\u200cخواهم' })).toBe(
      'a: 12\u00a0%\nb: 👩\u200d🔬\nc: می\u200cخواهم\n',
    );
  });

  it('writes out what is there twice', () => {
    const one = { x: 1 };
    expect(yamlText([one, one])).toBe('- x: 1\n- x: 1\n');
  });
});
