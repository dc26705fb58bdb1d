import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { parse, reprint } from '../helpers/flow-text.js';
import { compileFlowText, flowPlan } from '../helpers/flow-compile.js';

const problemsOf = (text: string) =>
  compileFlowText(text).problems.map(({ line, column, code }) => `${line}:${column} ${code}`);
const define = (name: string, prompt: string) => `$${name} := {base: "Explore", prompt: "${prompt}"}\n`;

describe('what the original parser got wrong', () => {
  it.each([',', ':', '}', '{', '$&', '\\"', '#', ' -> ', '||', '[', ':v'])(
    'keeps %j in a prompt and in an instruction',
    (mark) => {
      const plan = flowPlan(`${define('security-scanner', `a${mark}b`)}$security-scanner:"c${mark}d":v -> Plan:"{v}"`);
      const literal = mark.replace('\\"', '"');
      expect(plan.steps).toHaveLength(2);
      const [step] = plan.steps;
      expect(step).toMatchObject({ id: 'v', prompt: { value: `c${literal}d` } });
      expect(step?.kind === 'agent' && JSON.stringify(plan.agents[step.agent]?.prompt)).toContain(
        JSON.stringify(`\n\na${literal}b`).slice(1, -1),
      );
    },
  );

  it('tells two calls apart that differ in their capture only', () => {
    expect(flowPlan('Explore:"x":a -> Explore:"x":b').steps.map(({ id }) => id)).toEqual(['a', 'b']);
  });
});

describe('problems of flows', () => {
  it.each([
    ['a definition that is written twice', `${define('a', 'x')}${define('a', 'y')}$a:"z"`, ['2:2 duplicate-name']],
    ['a definition without a base', '$a := {prompt: "x"}\n$a:"z"', ['1:2 missing-key']],
    ['an unknown temporary agent', `${define('scanner', 'x')}$scaner:"z"`, ['2:2 unknown-agent']],
    ['an unknown variable', 'Explore:"x":issues -> Plan:"{isues}"', ['1:30 unknown-variable']],
    ['a variable of a branch beside', '[Explore:"x":a || Plan:"{a}"]', ['1:25 unknown-variable']],
    ['a second capture', 'Explore:"x":a -> Plan:"{a}":a', ['1:29 duplicate-name']],
    ['a second capture in a branch', 'Explore:"x":a (if failed)~> Plan:"{a}":a', ['1:40 duplicate-name']],
    [
      'a second capture behind branches',
      '[Explore:"x" (if failed)~> Plan:"b":a] -> Plan:"c":a',
      ['1:52 duplicate-name'],
    ],
    ['a second capture at a gate', 'Explore:"x":a -> @ok:"Good {a}?":a', ['1:34 duplicate-name']],
    ['a second capture by a condition', 'Explore:"x":a (if passed):a~> Plan:"b {a}"', ['1:27 duplicate-name']],
    ['a capture of what is defined', '$a := "x"\nExplore:"{a}":a', ['2:15 duplicate-name']],
    ['a second capture before a loop', 'Explore:"x":a -> @l -> Plan:"{a}":a (if failed)~> @l', ['1:35 duplicate-name']],
    [
      'agents that are nowhere, once',
      'scout:"x":a -> scout:"y {a}" -> [judge:"{a}" || $p:"{a}"]\n$p := {base: "lead", prompt: "z"}',
      ['2:14 unknown-agent'],
    ],
    ['a capture in two branches at once', '[Explore:"x":a || Plan:"y":a]', ['1:28 duplicate-name']],
    [
      'dangling operators',
      '-> Explore -> -> Plan ||',
      ['1:1 dangling-operator', '1:12 dangling-operator', '1:23 dangling-operator'],
    ],
    [
      'operators of other languages, once each',
      'Explore | Plan => Explore; Plan \u2192 Plan',
      ['1:9 missing-operator', '1:16 missing-operator', '1:26 missing-operator', '1:33 missing-operator'],
    ],
    ['a bracket that nothing opens', 'Explore] -> Plan', ['1:8 unbalanced-bracket']],
    ['several at once', 'Explore ->\n[Plan || \n$x:"y"', ['2:1 unbalanced-bracket', '3:2 unknown-agent']],
    ['what other versions had', 'route({v}) => [Explore || Plan] -> Plan', ['1:1 unsupported-key']],
  ])('finds %s', (_what, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  it.each([
    ['steps in parentheses', '(Explore || Plan) -> Plan', '1:1 unexpected-text write `[ … ]`'],
    ['a sequence in parentheses', 'Explore -> (Plan -> Explore) || Plan', '1:12 unexpected-text write `[ … ]`'],
    ['a parenthesis inside of brackets', '[Explore || (Plan -> Explore)]', '1:13 unexpected-text write `[ … ]`'],
    [
      'a condition without parentheses',
      'Explore:"a" if passed ~> Plan:"b"',
      '1:13 missing-condition write `(if passed)~>`',
    ],
    [
      'such a condition behind an arrow',
      'Explore:"a" -> if contains "x" ~> Plan:"b" -> Plan',
      '1:16 missing-condition write `(if contains "x")~>`',
    ],
    [
      'an `(else)` without a condition before it',
      'Explore:"a" (else)~> Plan:"b"',
      '1:13 missing-condition write `(if passed)~> … (else)~> …`; a variable of that name is `(if else)`',
    ],
    [
      'a condition behind `(else)`',
      'Explore:"a" (if passed)~> Plan (else)~> Plan (if failed)~> Plan',
      '1:32 missing-condition put it last',
    ],
    ['a call as other languages have it', 'Explore("a") -> Plan', '1:1 unsupported-key write `Explore:"…"`'],
  ])('tells %s once, and how it is written', (_what, text, problem) => {
    const { problems } = compileFlowText(text);
    const told = problems.filter(({ severity }) => severity !== 'warning');
    expect(told.map(({ line, column, code, suggestion }) => `${line}:${column} ${code} ${String(suggestion)}`)).toEqual(
      [problem],
    );
  });

  const QUOTED = [
    '# Fixes.',
    '$fixer := {',
    '  base: "Plan",',
    '  prompt: "You fix."',
    '}',
    '@ask-human:"What?":focus ->',
    '[',
    '  Explore:"Look for {focus}":found ||',
    '  Plan:"Review it',
    'with {focus}":review',
    '] ->',
    '(if review contains "bad")~> $fixer:"Fix {review} {found}":fixes',
    '',
  ].join('\n');
  const quotes = [...QUOTED.matchAll(/"/g)].map(({ index }) => index);

  it.each(quotes)('finds the quote that is missing at %i, and nothing else', (index) => {
    expect(problemsOf(QUOTED)).toEqual([]);
    const line = QUOTED.slice(0, index).split('\n').length;
    const problems = problemsOf(QUOTED.slice(0, index) + QUOTED.slice(index + 1));
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^(?:${line - 1}|${line}|${line + 1}):\\d+ unterminated-text$`)),
    ]);
  });

  it('warns of a captured name in braces that is text for its hyphen', () => {
    const found = (text: string) => compileFlowText(text).problems;
    expect(found('Explore:"x":my-files -> Plan:"{my-files}"')).toMatchObject([
      {
        code: 'unknown-variable',
        severity: 'warning',
        column: 31,
        suggestion: 'capture it as `my_files`, and write `{my_files}`',
      },
    ]);
    expect(found('Explore:"x":my_files -> Plan:"{my-files}"')).toMatchObject([
      { severity: 'warning', suggestion: 'did you mean `{my_files}`?' },
    ]);
    expect(
      found('Explore:"x":files -> Plan:"{my-files} \\\\{files} {{my-files}}"').filter(
        ({ code }) => code === 'unknown-variable',
      ),
    ).toEqual([]);
  });

  it.each([
    'a (if passed)~> b',
    '[a || b] (all success)~> c',
    'a ~> (if passed) b',
    'a -> (if passed)~> b',
    'a\n(passed)~> b',
  ])('takes a condition as in %j', (text) => {
    expect(parse(text).problems).toEqual([]);
    expect(parse(reprint(text)).problems).toEqual([]);
  });
});

describe('definitions/flows', () => {
  const folder = join(packageRoot(), 'definitions', 'flows');
  it.each(readdirSync(folder).filter((name) => name.endsWith('.flow')))('%s compiles without a warning', (file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    expect(compileFlowText(text).problems).toEqual([]);
  });
});

describe('text behind a jump', () => {
  it.each([
    [
      'is told how the loop ends before it',
      '@try -> Plan:"a":r (if failed)~> @try -> Explore:"b {r}"',
      'put the loop into brackets, and behind them what comes after it: `[@try -> …] -> …`',
    ],
    [
      'is told that a gate wants its own name',
      '@ok -> Plan:"a" -> @ok -> Explore:"b"',
      'give a gate a name of its own',
    ],
  ])('%s', (_what, text, suggestion) => {
    expect(compileFlowText(text).problems).toContainEqual(
      expect.objectContaining({ code: 'unexpected-text', suggestion }),
    );
  });

  it('runs after the loop once that stands in brackets', () => {
    expect(compileFlowText('[@try -> Plan:"a":r (if failed)~> @try] -> Explore:"b {r}"').problems).toEqual([]);
  });
});

describe('what other versions of the language had', () => {
  it.each([
    ['tool:npm:test:out -> Plan:"{out}" -> Explore:"x {out}"', 'tool:…', 'command: [npm, test]'],
    ['tool:npm:test -> (if failed)~> Plan:"mend it"', 'tool:…', 'command: [npm, test]'],
    ['mcp:github:issues:"open":list -> Plan:"{list}"', 'mcp:…', 'the tools of that server'],
    ['Explore:"x":a -> @call:other -> Plan:"{a}"', '@call:…', 'workflow: name'],
    ['@schedule("every 24h") -> Plan:"x"', '@schedule(…)', 'schedule:'],
    ['retry-with-backoff(3): Plan:"x"', 'retry-with-backoff(…)', '@try -> '],
  ])('%s is refused by name, once, with what does the same here', (text, word, hint) => {
    const { problems } = compileFlowText(text);
    expect(problems.filter(({ severity }) => severity === 'error')).toEqual([
      expect.objectContaining({
        code: 'unsupported-key',
        message: `This version does not run \`${word}\`.`,
        suggestion: expect.stringContaining(hint),
      }),
    ]);
  });
});
