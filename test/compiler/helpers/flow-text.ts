import fc from 'fast-check';
import { parseFlow } from '../../../src/compiler/formats/flow/parse.js';
import type { FlowTree } from '../../../src/compiler/formats/flow/ast.js';
import { printFlow } from '../../../src/compiler/formats/flow/print.js';
import { createReport } from '../../../src/compiler/problems/problem.js';
import { createSource } from '../../../src/compiler/problems/source.js';

/** Parses a flow's text; problems in one line each: `1:4 dangling-operator`. */
export function parse(text: string): { tree: FlowTree; problems: string[] } {
  const source = createSource('/a.flow', 'a.flow', text);
  const { problems, report } = createReport();
  const tree = parseFlow(text, (start, end) => ({ source, path: '', start, end }), report);
  for (const { line, column } of problems)
    if (line > source.lines.length || column < 1) throw new Error('a position outside of the text');
  return { tree, problems: problems.map(({ line, column, code }) => `${line}:${column} ${code}`) };
}

/** The tree without its places: what it means. */
export function meaning(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(meaning);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'at' && key !== 'placeOf')
      .map(([key, inner]) => [key, meaning(inner)]),
  );
}

export function reprint(text: string): string {
  return printFlow(parse(text).tree);
}

const space = fc.constantFrom('', ' ', '\n', '  ', '\t', ' # said\n', '\n# a line\n', '\r\n');
const word = fc.constantFrom('explore', 'general-purpose', 'a', 'code-reviewer', 'x_1', 'Plan');
const text = fc
  .array(
    fc.constantFrom(
      'do it',
      ' ',
      '\\"',
      '\\\\',
      '{issues}',
      '\\{',
      '{',
      '}',
      '$&',
      ',',
      ':',
      ' -> ',
      '||',
      '~>',
      '[',
      ']',
      '(if x)',
      '#',
      '\n',
      '🙂',
      "'",
      '{{p:1}}',
    ),
    { maxLength: 6 },
  )
  .map((parts) => `"${parts.join('')}"`);
const capture = fc.option(fc.constantFrom('issues', 'fixes', 'v'), { nil: null });

const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom('', '$'), word, text, capture)
      .map(([mark, name, said, as]) => `${mark}${name}:${said}${as === null ? '' : `:${as}`}`),
  },
  { weight: 1, arbitrary: word },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom('@', '@ '), word, fc.constantFrom('', '(fallback=skip)'), fc.option(text, { nil: null }))
      .map(([at, name, fallback, said]) => `${at}${name}${fallback}${said === null ? '' : `:${said}`}`),
  },
  { weight: 1, arbitrary: text.map((said) => `@ask-human:${said}:answer`) },
);
const condition = fc
  .tuple(
    fc.constantFrom('if ', '', 'IF  '),
    fc.constantFrom(
      'passed',
      'failed',
      'all success',
      'v',
      '!v',
      'contains "x y"',
      'v.score >= 3',
      "it's fine, (really)?",
      'a && (b || !c)',
    ),
  )
  .map(([word_, said]) => `(${word_}${said})`);
const arrow = fc
  .tuple(condition, space, fc.constantFrom(':ok', ''), fc.boolean())
  .map(([said, gap, name, first]) => (first ? `~>${gap}${said}` : `${said}${name}${gap}~>`));
const orElse = fc.constantFrom('(else)~>', '~> (Otherwise)', '( else ):rest ~>');

const { expression } = fc.letrec<{ expression: string; sequence: string; parallel: string; primary: string }>(
  (tie) => ({
    expression: fc.oneof(
      { maxDepth: 3 },
      tie('sequence'),
      fc
        .tuple(tie('sequence'), fc.array(fc.tuple(arrow, space, tie('sequence')), { minLength: 1, maxLength: 3 }))
        .chain(([source, branches]) =>
          fc
            .option(fc.tuple(orElse, tie('sequence')), { nil: [] })
            .map((last) => source + [...branches, last].map((branch) => branch.join('')).join('\n')),
        ),
    ),
    sequence: fc
      .array(fc.tuple(tie('parallel'), space, space), { minLength: 1, maxLength: 2 })
      .map((items) => items.map(([item, before, after]) => `${before}${item}${after}`).join('->')),
    parallel: fc.array(tie('primary'), { minLength: 1, maxLength: 2 }).map((branches) => branches.join(' || ')),
    primary: fc.oneof(
      { maxDepth: 3, depthSize: 'small', withCrossShrink: true },
      step,
      fc.tuple(space, tie('expression'), space).map(([before, inner, after]) => `[${before}${inner}${after}]`),
    ),
  }),
);

const entries = fc
  .tuple(text, text, fc.constantFrom('', ', model: sonnet', ', model: "opus",', '\n model: claude-opus-4.6'), space)
  .map(([base, prompt, model, gap]) => `{${gap}base: ${base}, prompt:${gap} ${prompt}${model}${gap}}`);
const definition = fc.oneof(
  fc.tuple(word, entries).map(([name, body]) => `$${name} := ${body}\n`),
  fc
    .tuple(word, entries, space)
    .map(([name, body, gap]) => `@define-agents {${gap}${name}: ${body}${gap}, other: ${body}}\n`),
);

/** Flows that are written right, in every way that the grammar has, with comments and white space anywhere. */
export const flows = fc
  .tuple(fc.array(definition, { maxLength: 2 }), space, expression, space)
  .map(([definitions, before, body, after]) => definitions.join('') + before + body + after);
