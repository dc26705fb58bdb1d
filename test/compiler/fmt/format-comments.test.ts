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

const line = fc.constantFrom('one', 'two words', '  deeper', 'blanks  ', '', '   ', '# no comment', '#none', 'a: b');
const indicator = fc.constantFrom('>', '>-', '>+', '|', '|-', '|+');
/** A text in a block, its lines at so many columns, two more than what it stands in: its head says so where it must. */
const block = (columns: number): fc.Arbitrary<string> =>
  fc
    .tuple(
      indicator,
      fc.constantFrom('', '', ' # why'),
      fc.constantFrom('first', '  deeper first', '# first', '#h first'),
      fc.array(line, { maxLength: 5 }),
    )
    .map(([head, why, first, lines]) =>
      [
        `${head}${first.startsWith(' ') ? 2 : ''}${why}`,
        ...[first, ...lines].map((one) => ' '.repeat(columns) + one),
      ].join('\n'),
    );
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
  .map((steps) => `steps:\n${steps.map((one, index) => one.replace('NAME', `s${index}`)).join('')}`)
  .map((text) => {
    let comments = 0;
    return text.replaceAll('# why', () => `# why ${String(++comments)}.`);
  });

describe('the canonical form of comments and block texts', () => {
  it('says what the text said, and is its own canonical form', () => {
    fc.assert(
      fc.property(workflow, (text) => {
        const once = format(text);
        expect(parse(once)).toEqual(parse(text));
        expect(format(once)).toBe(once);
        expect(once.match(/# why \d+\./g)?.sort()).toEqual(text.match(/# why \d+\./g)?.sort());
      }),
      { numRuns: 200 },
    );
  });

  it.each([
    'steps:\n  # the name of it\n  - id: a\n    command: [echo]\n',
    'steps:\n  - command:\n      - echo\n      - >\n        two   \n         \n        three\n',
    'steps:\n  - command: [echo]\n    stdin: |2 # why so\n        deeper\n      three\n',
    'steps:\n  - command:\n      - echo\n      - >+2 # why so\n          deeper\n\n        three\n',
    'steps:\n  - command: [echo]\n    stdin: > # why so\n      blanks   \n',
    'steps:\n  - command:\n      - echo\n      # behind the last\n    id: a\n',
  ])('is reached in one go: %j', (text) => {
    const once = format(text);
    expect(parse(once)).toEqual(parse(text));
    expect(format(once)).toBe(once);
    expect(once.match(/# (?:why so|behind the last|the name of it)/g)?.length).toBe(text.match(/# /g)?.length);
  });

  it('leaves a text whose first line goes deeper a block, with what is said beside its head', () => {
    const text = 'steps:\n  - command: [echo]\n    stdin: |2 # why so\n        deeper\n      three\n';
    expect(format(text)).toBe(text);
  });
});
