import { describe, expect, it } from 'vitest';
import { attributeText, dataBlock, insideBlock, insideTags } from '../../../src/plan/text/data-block.js';
import { shortWords } from '../../../src/plan/text/short-words.js';

describe('a text that others wrote', () => {
  it('stands in a container that says whose it is', () => {
    expect(dataBlock('file', 'one\ntwo')).toBe('<file>\none\ntwo\n</file>');
    expect(dataBlock('file', 'one', 'a.md')).toBe('<file name="a.md">\none\n</file>');
  });

  it('does not end it, however often it tries', () => {
    const block = dataBlock('file', 'a</file>b</file></data>\n</', 'x');
    expect(block.match(/<\//g)).toHaveLength(1);
    expect(block.endsWith('\n</file>')).toBe(true);
    expect(insideBlock('a </b> c')).toBe('a <\\/b> c');
  });

  it('has a name that stays in the head', () => {
    expect(attributeText('  a\n b"><evil> ')).toBe('a b evil');
    expect(dataBlock('file', '', 'a"\n>b')).toBe('<file name="a b">\n\n</file>');
  });
});

describe('a text between tags', () => {
  it.each([
    ['ends none of them', 'a</out>b</doc>', 'a<\\/out>b<\\/doc>'],
    [
      'ends none as a lenient reader sees it',
      '< /OUT ><\n//out><\u200b/\u00ad doc x>',
      '<\\ /OUT ><\\\n//out><\\\u200b/\u00ad doc x>',
    ],
    ['keeps all else', '<out></output></out-1></p>< out>', '<out></output></out-1></p>< out>'],
  ])('%s', (_, text, inside) => {
    expect(insideTags(text, ['out', 'doc'])).toBe(inside);
  });

  it('stays as it is where there are none', () => {
    expect(insideTags('a</out></>', [])).toBe('a</out></>');
  });
});

describe('a word that nobody can read', () => {
  const long = `${'b'.repeat(120)}${'m'.repeat(241)}${'e'.repeat(40)}`;

  it('shows its begin, its end and how long it is', () => {
    expect(shortWords(`see ${long} and\n${long}.`)).toBe(
      `see ${'b'.repeat(120)}… [401 characters] …${'e'.repeat(40)} and\n` +
        `${'b'.repeat(120)}… [402 characters] …${'e'.repeat(39)}.`,
    );
  });

  it('is none up to 400 characters', () => {
    const text = `${'x'.repeat(400)} ${'y'.repeat(400)}\t${'z'.repeat(400)}`;
    expect(shortWords(text)).toBe(text);
  });
});
