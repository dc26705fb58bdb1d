import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { formatYaml } from '../../../src/compiler/fmt/format-yaml.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';

function format(text: string): string {
  const { report, problems } = createReport();
  const formatted = formatYaml(createSource('/p/definitions/workflows/flow.yml', 'flow.yml', text), report);
  if (formatted === null) throw new Error(JSON.stringify({ text, problems }));
  return formatted;
}

const line = fc.constantFrom('one', 'two words', '  deeper', 'blanks  ', '', '   ', '# no comment', 'a: b');
const indicator = fc.constantFrom('>', '>-', '>+', '|', '|-', '|+');
/** A text in a block, its lines at so many columns. */
const block = (columns: number): fc.Arbitrary<string> =>
  fc
    .tuple(indicator, fc.array(line, { maxLength: 5 }))
    .map(([head, lines]) => [head, ...['first', ...lines].map((one) => ' '.repeat(columns) + one)].join('\n'));
const comment = (columns: number): fc.Arbitrary<string> =>
  fc.constantFrom('', '', `${' '.repeat(columns)}# why\n`, '\n', `\n${' '.repeat(columns)}# why\n`);

/** A step with its keys in any order, comments between them and behind the last one. */
const step = fc
  .tuple(
    fc.shuffledSubarray(['id: NAME', 'stdin: TEXT', 'timeout: 5m', 'command: LIST'], { minLength: 4 }),
    fc.array(comment(4), { minLength: 5, maxLength: 5 }),
    fc.tuple(block(6), block(8), comment(6)),
  )
  .map(([keys, comments, [stdin, argument, behind]]) => {
    const written = keys.map((key) =>
      key
        .replace('TEXT', () => stdin)
        .replace('LIST', () => `\n      - echo\n      - ${argument}\n${behind}`.trimEnd()),
    );
    const [first = '', ...others] = written;
    const rest = others.map((key, index) => `${comments[index] ?? ''}    ${key}\n`).join('');
    return `  - ${first}\n${rest}${comments[4] ?? ''}`;
  });
const workflow = fc
  .array(step, { minLength: 1, maxLength: 3 })
  .map((steps) => `steps:\n${steps.map((one, index) => one.replace('NAME', `s${index}`)).join('')}`);

describe('the canonical form of comments and block texts', () => {
  it('says what the text said, and is its own canonical form', () => {
    fc.assert(
      fc.property(workflow, (text) => {
        const once = format(text);
        expect(parse(once)).toEqual(parse(text));
        expect(format(once)).toBe(once);
        expect(once.match(/# why/g)?.length).toBe(text.match(/# why/g)?.length);
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    'steps:\n  # the name of it\n  - id: a\n    command: [echo]\n',
    'steps:\n  - command:\n      - echo\n      - >\n        two   \n         \n        three\n',
    'steps:\n  - command:\n      - echo\n      # behind the last\n    id: a\n',
  ])('is reached in one go: %j', (text) => {
    const once = format(text);
    expect(parse(once)).toEqual(parse(text));
    expect(format(once)).toBe(once);
  });
});
