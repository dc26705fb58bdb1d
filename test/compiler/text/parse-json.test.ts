import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../src/compiler/text/parse-json.js';
import type { Node } from '../../../src/compiler/text/node.js';
import { placesIn } from '../../../src/compiler/text/node.js';
import type { Problem } from '../../../src/compiler/problems/problem.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';

function read(text: string): { node: Node | null; problems: Problem[] } {
  const { problems, report } = createReport();
  return { node: parseJson(createSource('/x.json', 'x.json', text), report), problems };
}

const nodesOf = (node: Node): Node[] => [
  node,
  ...(node.items ?? []).flatMap(nodesOf),
  ...[...(node.members?.values() ?? [])].flatMap((member) => nodesOf(member.node)),
];

describe('JSON', () => {
  it('means what JSON.parse says, and every value is where it is written', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
        const text = JSON.stringify(value, null, indent);
        const { node, problems } = read(text);
        const isFit = !/"(?:__proto__|constructor|prototype|<<)":|\d{16}|\de\+?\d/.test(text);
        if (node === null) return !isFit || problems.some(({ code }) => code === 'unsafe-number');
        expect(node.value).toEqual(JSON.parse(text));
        for (const one of nodesOf(node)) expect(JSON.parse(text.slice(one.start, one.end))).toEqual(one.value);
        return true;
      }),
      { seed: 20261122, numRuns: 500 },
    );
  });

  it('is refused exactly where JSON.parse refuses it', () => {
    const alphabet = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"b',
      '1',
      '-',
      '.5',
      'true',
      'nul',
      ' ',
      '\n',
      '\\',
      '0',
      'e3',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...alphabet), { maxLength: 9 }), (pieces) => {
        const text = pieces.join('');
        let parsed = true;
        try {
          JSON.parse(text);
        } catch {
          parsed = false;
        }
        const { node, problems } = read(text);
        expect(node !== null || problems.some(({ code }) => code === 'duplicate-key')).toBe(parsed);
        expect(problems.length > 0).toBe(node === null);
      }),
      { seed: 20261122, numRuns: 5_000 },
    );
  });

  it.each([
    ['a comma at the end', '{\n  "a": 1,\n}', '2:9 invalid-json', 'Expected another value after `,`, got `}`.'],
    ['no comma', '{\n  "a": 1\n  "b": 2\n}', '3:3 invalid-json', 'Expected `,` or `}`, got `"b"`.'],
    ['no colon', '{"a" 1}', '1:6 invalid-json', 'Expected `:` after the key, got `1`.'],
    ['a bare key', '{a: 1}', '1:2 invalid-json', 'Expected a key in double quotes, got `a`.'],
    ['single quotes', "{'a': 1}", '1:2 invalid-json', "Expected a key in double quotes, got `'`."],
    ['a comment', '{\n  // why\n  "a": 1}', '2:3 invalid-json', 'Expected a key in double quotes, got a comment.'],
    ['a word of Python', '{"a": True}', '1:7 invalid-json', 'Expected a value, got `True`.'],
    ['a number with a zero before it', '[01]', '1:2 invalid-json', 'Expected a value, got `01`.'],
    [
      'a text over two lines',
      '{"a": "x\ny"}',
      '1:9 invalid-json',
      'Expected `"` at the end of the text, got the end of the line.',
    ],
    [
      'a text without an end',
      '{"a": "x',
      '1:7 invalid-json',
      'Expected `"` at the end of the text, got the end of the file.',
    ],
    ['an escape that is none', '["\\d"]', '1:3 invalid-json', 'Expected an escape of JSON, got `\\d`.'],
    ['an end that is missing', '{"a": [1, 2', '1:11 invalid-json', 'Expected `,` or `]`, got the end of the file.'],
    ['two values', '{} {}', '1:4 invalid-json', 'Expected the end of the file, got `{`.'],
    ['a key twice', '{"a": 1,\n "a": 2}', '2:2 duplicate-key', 'The key `a` is written twice in one map.'],
    [
      'a key twice, once escaped',
      '{"a": 1, "\\u0061": 2}',
      '1:10 duplicate-key',
      'The key `a` is written twice in one map.',
    ],
    ['a prototype', '{"__proto__": {}}', '1:2 forbidden-key', 'The key `__proto__` may not be used.'],
    ['a long number', '[12345678901234567890]', '1:2 unsafe-number', 'Expected a number that JSON carries exactly.'],
    ['a huge number', '[1e999]', '1:2 unsafe-number', 'Expected a number that JSON carries exactly.'],
    ['nothing', ' \n', '1:1 empty-file', 'Expected a definition, got nothing.'],
    ['lists 5,000 deep', '['.repeat(5000), '1:66 too-deep', 'Expected at most 64 levels, got more.'],
  ])('with %s has its problem at the right place', (_what, text, where, message) => {
    expect(
      read(text).problems.map((problem) => [`${problem.line}:${problem.column} ${problem.code}`, problem.message]),
    ).toEqual([[where, message]]);
  });

  it('tells all keys that are written twice at once', () => {
    expect(read('{"a": 1, "a": 2, "b": {"c": 1, "c": 2}}').problems).toHaveLength(2);
  });

  it('knows where a character of a text is written, also behind escapes', () => {
    const { node } = read('{"a": "x\\n\\u00e9\\"y\\ud83d\\ude00z"}');
    const text = node?.members?.get('a')?.node;
    const at = text && placesIn(text)(String(text.value).indexOf('z'), 1);
    expect(at && text.source.text.slice(at.start, at.end)).toBe('z');
  });

  it('of 256 KiB is read in less than two seconds of process time', () => {
    const before = process.cpuUsage();
    read(`{"a": [${Array.from({ length: 20_000 }, (_, i) => `{"k${i}": 1}`).join(',')}]}`.slice(0, 256 * 1024));
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(2);
  });
});
