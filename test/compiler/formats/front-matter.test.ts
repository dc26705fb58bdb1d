import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { parseMarkdown } from '../../../src/compiler/formats/agent/markdown.js';
import type { Finding } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';
import { parseYaml } from '../../../src/compiler/text/yaml.js';

function read(head: string): { value: unknown; codes: string[]; places: string[] } {
  const findings: Finding[] = [];
  const text = `---\n${head}\n---\nYou act.\n`;
  const node = parseMarkdown(createSource('/p/.claude/agents/a.md', 'a.md', text), (one) => findings.push(one));
  const value = node?.value as Record<string, unknown> | undefined;
  const places = [...(node?.members ?? [])].map(([, { node: at }]) => text.slice(at.start, at.end));
  if (value !== undefined) expect(value['prompt']).toBe('You act.');
  const { prompt: _, ...rest } = value ?? {};
  return {
    value: value && rest,
    codes: findings.map(({ code, severity }) => `${severity ?? 'error'} ${code}`),
    places,
  };
}

const EXAMPLES =
  'Use this agent when code was written. Examples: <example>Context: The user wrote a function. user: "Write me a ' +
  'function" assistant: "Here: f(x)" <commentary>Use the reviewer: it is time.</commentary></example>';

/** What people write that is no YAML, and what they mean. */
const LOOSE: [what: string, head: string, expected: Record<string, unknown>][] = [
  ['a colon in a description', 'name: a\ndescription: Use it so: well', { name: 'a', description: 'Use it so: well' }],
  [
    'a description with examples',
    `name: a\ndescription: ${EXAMPLES}\ncolor: red`,
    { name: 'a', description: EXAMPLES, color: 'red' },
  ],
  ['a comment above', '# reviewed: yes: no\nname: a\ndescription: b: c', { name: 'a', description: 'b: c' }],
  [
    'a comment between',
    'name: a\n# a note: of mine\ndescription: b: c\nmodel: opus',
    { name: 'a', description: 'b: c', model: 'opus' },
  ],
  [
    'a comment behind another value',
    'name: a\ndescription: b: c\nmodel: opus # the best',
    { name: 'a', description: 'b: c', model: 'opus' },
  ],
  [
    'a nested map beside it',
    'name: a\ndescription: b: c\nhooks:\n  PreToolUse:\n    - matcher: Bash',
    { name: 'a', description: 'b: c', hooks: { PreToolUse: [{ matcher: 'Bash' }] } },
  ],
  [
    'a nested map that holds it',
    'name: a\nmetadata:\n  author: Jane: Doe\n\n  # when: then\n  Tags: [b, c]\n  input: <file>: x\n    and more\n' +
      '  deep:\n    er: 1: 2',
    {
      name: 'a',
      metadata: { author: 'Jane: Doe', Tags: ['b', 'c'], input: '<file>: x and more', deep: { er: '1: 2' } },
    },
  ],
  [
    'a list beside it',
    'name: a\ndescription: b: c\ntools:\n  - Read\n  - Grep',
    { name: 'a', description: 'b: c', tools: ['Read', 'Grep'] },
  ],
  [
    'a list in brackets beside it',
    'description: b: c\ntools: [Read, "Bash(git log)"]',
    { description: 'b: c', tools: ['Read', 'Bash(git log)'] },
  ],
  [
    'a list over several lines in brackets',
    'description: b: c\ntools: [\n  Read,\n  Grep\n]',
    { description: 'b: c', tools: ['Read', 'Grep'] },
  ],
  [
    'a list without indentation',
    'description: b: c\ntools:\n- Read\n- Grep',
    { description: 'b: c', tools: ['Read', 'Grep'] },
  ],
  ['a list indented by tabs', 'name: a\ntools:\n\t- Read\n\t- Grep', { name: 'a', tools: ['Read', 'Grep'] }],
  ['a map indented by tabs', 'name: a\nhooks:\n\tStop: x', { name: 'a', hooks: { Stop: 'x' } }],
  [
    'indented lines that go on',
    'name: a\ndescription: Use it so: well,\n  and often: always\nmodel: opus',
    { name: 'a', description: 'Use it so: well, and often: always', model: 'opus' },
  ],
  [
    'lines that go on at the margin',
    'name: a\ndescription: Use it so: well.\nAnd then more.\nmodel: opus',
    { name: 'a', description: 'Use it so: well. And then more.', model: 'opus' },
  ],
  [
    'an empty line in a text',
    'description: One: 1.\n\n  Two: 2.\nname: a',
    { description: 'One: 1.\nTwo: 2.', name: 'a' },
  ],
  [
    'a list of examples at the margin',
    'description: When: now.\n- one: 1\n- two: 2\nname: a',
    { description: 'When: now. - one: 1 - two: 2', name: 'a' },
  ],
  [
    'a dialogue at the margin',
    'description: When: <example>\nuser: "hi"\nassistant: "ho"\n</example>\nname: a',
    { description: 'When: <example> user: "hi" assistant: "ho" </example>', name: 'a' },
  ],
  [
    'a dialogue that no tag holds',
    'description: When: so\nContext: it: is\nuser: "hi"\nassistant: "ho"\nname: a',
    { description: 'When: so Context: it: is user: "hi" assistant: "ho"', name: 'a' },
  ],
  [
    'an example that is never closed',
    'description: When: <example>user: "hi"\nmodel: opus\nname: a',
    { description: 'When: <example>user: "hi"', model: 'opus', name: 'a' },
  ],
  [
    'a word that looks like a key in an example',
    'description: When: <example>\nversion: 2\n</example>\nversion: 3',
    { description: 'When: <example> version: 2 </example>', version: 3 },
  ],
  [
    'another key beside it',
    'description: b: c\nversion: 1.5\nauthor: me: myself',
    { description: 'b: c', version: 1.5, author: 'me: myself' },
  ],
  [
    'quotes in quotes',
    'description: "Say "hello" to them"\nname: a',
    { description: 'Say "hello" to them', name: 'a' },
  ],
  [
    'single quotes in single quotes',
    "description: 'It's time: now'\nname: a",
    { description: "It's time: now", name: 'a' },
  ],
  [
    'a quote that nothing closes',
    'description: "Use it when: asked\nname: a',
    { description: 'Use it when: asked', name: 'a' },
  ],
  ['a single quote that nothing closes', "description: 'Use it\nname: a", { description: 'Use it', name: 'a' }],
  ['two parts in quotes', 'description: "One" and: "two"\nname: a', { description: '"One" and: "two"', name: 'a' }],
  [
    'a text after its quotes',
    'description: "Reviewer" for code\nname: a',
    { description: '"Reviewer" for code', name: 'a' },
  ],
  [
    'escapes in quotes',
    'description: "A \\"b\\"\\n and "c" d"\nname: a',
    { description: 'A "b"\n and "c" d', name: 'a' },
  ],
  ['escapes without quotes', 'description: One: 1\\nTwo: 2\nname: a', { description: 'One: 1\\nTwo: 2', name: 'a' }],
  ['all tools', 'name: a\ntools: *', { name: 'a', tools: '*' }],
  ['all tools in brackets', 'name: a\ntools: [*]', { name: 'a', tools: ['*'] }],
  ['a list with a star', 'name: a\ntools:\n  - Read\n  - *', { name: 'a', tools: ['Read', '*'] }],
  [
    'a text that begins with a mark',
    'name: a\ndescription: @reviewer does it',
    { name: 'a', description: '@reviewer does it' },
  ],
  ['a text in stars', 'name: a\ndescription: *Always* use it', { name: 'a', description: '*Always* use it' }],
  ['a text that begins with a per cent', 'name: a\ndescription: %d of them', { name: 'a', description: '%d of them' }],
  ['a text in backquotes', 'name: a\ndescription: `x` it', { name: 'a', description: '`x` it' }],
  [
    'a text with brackets at its front',
    'name: a\ndescription: [Internal] use it',
    { name: 'a', description: '[Internal] use it' },
  ],
  ['a text with braces at its front', 'name: a\ndescription: {x} is: y', { name: 'a', description: '{x} is: y' }],
  [
    'a folded text that is not indented',
    'description: >\nUse it: now\nand then\nname: a',
    { description: 'Use it: now and then', name: 'a' },
  ],
  ['a literal text with tabs', 'description: |\n\tOne\n\tTwo: 2\nname: a', { description: 'One\nTwo: 2\n', name: 'a' }],
  ['emoji', 'name: a\ndescription: 🚀 Ship it: 🎉 now', { name: 'a', description: '🚀 Ship it: 🎉 now' }],
  ['no blank after the colon', 'name:a\ndescription:b: c', { name: 'a', description: 'b: c' }],
  ['a tab after the colon', 'name:\ta\ndescription:\tb: c', { name: 'a', description: 'b: c' }],
  ['a key without a value', 'name: a\ncolor:\ndescription: b: c', { name: 'a', color: null, description: 'b: c' }],
  [
    'a colour that is a comment',
    'name: a\ndescription: b: c\ncolor: #ff0000',
    { name: 'a', description: 'b: c', color: null },
  ],
];

describe('a front matter that is no YAML', () => {
  it.each(LOOSE)('is read with %s', (_what, head, expected) => {
    const { value, codes } = read(head);
    expect(value).toEqual(expected);
    expect(codes).toEqual(['warning invalid-yaml']);
  });

  it.each(LOOSE)('is read the same with %s where lines end as on Windows', (_what, head, expected) => {
    expect(read(head.replaceAll('\n', '\r\n')).value).toEqual(expected);
  });

  it('keeps the place of each value', () => {
    expect(read('name: a\ndescription: "b: c" d\nmodel: opus').places).toEqual(['a', '"b: c" d', 'opus', 'You act.']);
  });

  it('keeps the place and the path of each nested value', () => {
    const text = '---\nname: a\nmetadata:\n  author: b: c\n  to:\n    whom: d: e\n---\nYou act.\n';
    const metadata = parseMarkdown(createSource('/p/a.md', 'a.md', text), () => 0)?.members?.get('metadata')?.node;
    const author = metadata?.members?.get('author');
    const whom = metadata?.members?.get('to')?.node.members?.get('whom')?.node;
    expect(author?.key).toMatchObject({ path: 'metadata.author', start: text.indexOf('author') });
    expect(author?.node).toMatchObject({ path: 'metadata.author', start: text.indexOf('b: c') });
    expect(whom).toMatchObject({
      path: 'metadata.to.whom',
      start: text.indexOf('d: e'),
    });
  });

  it.each([
    ['a list that nothing closes', 'name: a\ndescription: b: c\ntools: [Read, Grep', 'error invalid-yaml'],
    ['a key that is there twice', 'name: a\nname: b\ndescription: b: c', 'error invalid-yaml'],
    ['a key that may not be', 'name: a\n__proto__: b\ndescription: b: c', 'error invalid-yaml'],
    ['a line in a nested map that is no key', 'name: a\nhooks:\n  a: b: c\n  - d', 'error invalid-yaml'],
    ['a nested key that is there twice', 'name: a\nhooks:\n  a: b: c\n  a: d', 'error invalid-yaml'],
    ['a nested list that nothing closes', 'name: a\nhooks:\n  a: [b\nskills: c: d', 'error invalid-yaml'],
    ['aliases', 'name: a\nhooks: &x [a]\nskills:\n  y: *x', 'error yaml-alias'],
  ])('is refused with %s', (_what, head, code) => {
    const { value, codes } = read(head);
    expect(value).toBeUndefined();
    expect(codes).toContain(code);
  });
});

describe('a front matter', () => {
  it('that YAML reads means what YAML says', () => {
    const key = fc.stringMatching(/^[a-z][a-z_]{0,8}$/).filter((name) => name !== 'prompt');
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()));
    const map = fc.dictionary(key, fc.oneof(leaf, fc.dictionary(key, leaf)), { minKeys: 1 });
    fc.assert(
      fc.property(map, (fields) => {
        const text = stringify(fields).trimEnd();
        // A line of three dashes ends the front matter, wherever it stands.
        fc.pre(!/^---[ \t]*$/m.test(text));
        const yaml = parseYaml({ source: createSource('/a.yml', 'a.yml', text), start: 0, end: text.length }, () => 0);
        fc.pre(yaml !== null);
        expect(read(text)).toMatchObject({ value: yaml?.value, codes: [] });
      }),
    );
  });

  it('with a key that is there twice says so', () => {
    expect(read('name: a\nname: b').codes).toEqual(['error duplicate-key']);
  });

  it('may stand below empty lines', () => {
    const text = '\n\n---\nname: a\n---\nYou act.\n';
    expect(parseMarkdown(createSource('/p/a.md', 'a.md', text), () => 0)?.value).toEqual({
      name: 'a',
      prompt: 'You act.',
    });
  });
});
