import type { Texts } from './say-texts.js';

const LITERAL = /(f?)("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/g;

/** What a program in Python prints, as far as texts in it tell; what stands where a value would is counted. */
export function pythonTexts(code: string): Texts {
  const texts: Texts = { once: [], counted: [] };
  for (const [, printed = ''] of code.matchAll(/\bprint\((.*)\)/g)) {
    const literals = [...printed.matchAll(LITERAL)];
    const text = literals
      .map(([, f, literal = '']) => (f === 'f' ? literal.replace(/\{[^}]*\}/, '#') : literal).slice(1, -1))
      .join(' ')
      .replace(/%[dui]/, '#');
    const rest = printed.replace(LITERAL, '').replace(/[\s,+]/g, '');
    if (text === '') continue;
    if (text.includes('#')) texts.counted.push(text);
    else if (rest !== '') texts.counted.push(`${text.trimEnd()} #`);
    else texts.once.push(text);
  }
  return texts;
}
