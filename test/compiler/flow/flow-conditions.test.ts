import { describe, expect, it } from 'vitest';
import { parseTest } from '../../../src/compiler/flow/condition.js';
import { flowGraph } from '../../../src/compiler/flow/graph.js';
import { evaluate } from '../../../src/plan/references/evaluate.js';
import { compileFlowText, flowPlan } from '../helpers/flow-compile.js';
import { parse } from '../helpers/flow-text.js';

const known = (name: string) => name === 'report' || name === 'found';
const mentions = (text: string, name: string | null = null) => ({ kind: 'mentions', name, text });
const either = (left: unknown, right: unknown) => ({ kind: 'either', left, right });

const isBare = ({ code }: { code: string }): boolean => code === 'unknown-variable';

describe('contains with several texts', () => {
  it.each([
    ['contains "a" or "b"', either(mentions('a'), mentions('b'))],
    ['contains error or warning', either(mentions('error'), mentions('warning'))],
    ['contains error or failed', either(mentions('error'), mentions('failed'))],
    ['contains a or b or c d', either(either(mentions('a'), mentions('b')), mentions('c d'))],
    ['contains "a" or b', either(mentions('a'), mentions('b'))],
    ['report contains "a" or "b"', either(mentions('a', 'report'), mentions('b', 'report'))],
    ['contains "a" and "b"', { kind: 'both', left: mentions('a'), right: mentions('b') }],
    ['not contains a or b', { kind: 'not', operand: either(mentions('a'), mentions('b')) }],
    ['contains "a" or failed', either(mentions('a'), { kind: 'outcome', of: 'failed', name: null })],
    ['contains "a" or report', either(mentions('a'), { kind: 'value', name: 'report', path: [] })],
    ['contains "a" or report contains "b"', either(mentions('a'), mentions('b', 'report'))],
    [
      'contains a or not found',
      either(mentions('a'), { kind: 'not', operand: { kind: 'value', name: 'found', path: [] } }),
    ],
  ])('reads %s', (text, test) => {
    expect(parseTest(text, known, known)).toEqual(test);
  });
});

describe('a condition of one word that is no variable', () => {
  const judged = (text: string) =>
    compileFlowText(text).problems.map(({ severity, code, suggestion }) => [severity, code, suggestion]);

  it('is asked of a model, as several words are', () => {
    for (const words of ['validation_passed', 'the validation passed']) {
      const { plan, problems } = compileFlowText(`Explore:"a":seen (if ${words})~> Plan:"b {seen}"`);
      expect(problems).toMatchObject([{ severity: 'warning', code: 'judged-condition' }]);
      expect(plan?.steps.map(({ kind }) => kind)).toEqual(['agent', 'agent', 'agent']);
      expect(plan?.steps[0]).toMatchObject({ on_error: 'skip_dependents' });
      expect(plan?.steps[1]).toMatchObject({ prompt: { value: `Does this condition hold for the result: ${words}` } });
    }
  });

  it('may be one that was nearly captured', () => {
    expect(judged('Explore:"a":issues (if !isues)~> Plan:"b {issues}"')).toEqual([
      ['warning', 'judged-condition', 'did you mean `issues`?'],
    ]);
  });

  it('is a variable where one is captured, though not before it', () => {
    expect(judged('Explore:"a" (if seen)~> Plan:"b":seen')).toEqual([['error', 'unknown-variable', expect.anything()]]);
  });

  it('needs something to be judged', () => {
    expect(judged('(if ready)~> Plan:"b"')).toEqual([['error', 'unknown-variable', expect.anything()]]);
  });
});

describe('what depends on a condition that a model judges', () => {
  const needsOf = (text: string) => compileFlowText(text).plan?.steps.map(({ needs }) => needs);
  const edge = (step: number, skip = false) => ({ step, skip });

  it.each(['(if failed)~>', '(else)~>'])('waits for the judge, as the next branch does: %s', (written) => {
    expect(needsOf(`Explore:"a":r (if it is calm)~> Plan:"b {r}" ${written} Plan:"c {r}"`)?.slice(2)).toEqual([
      [edge(0), edge(1)],
      [edge(0), edge(1)],
    ]);
  });

  it('is skipped with the rest of its branch where the judge fails', () => {
    const text = '[[Explore:"a":r (if it is calm)~> Plan:"b {r}" (else)~> Plan:"c {r}"] || Plan:"d"]';
    const [, judge, calm, other] = compileFlowText(text).plan?.steps ?? [];
    expect(judge?.on_error).toBe('skip_dependents');
    expect(calm?.needs).toContainEqual(edge(1, true));
    expect(other?.needs).toContainEqual(edge(1, true));
  });
});

describe('`(else)` behind other conditions', () => {
  const whenOf = (text: string) => {
    const { plan, problems } = compileFlowText(text);
    expect(problems).toEqual([]);
    return plan?.steps.map((step) => step.when);
  };
  const not = (operand: unknown) => ({ kind: 'not', operand });

  it.each(['(else)~>', '(Otherwise) ~>', '~> (ELSE)'])(
    'asks no model and is the branch that is left: %s',
    (written) => {
      const [run, ship, fix] = whenOf(`Explore:"run":r (if passed)~> Plan:"ship {r}" ${written} Plan:"fix {r}"`) ?? [];
      expect(run).toBeNull();
      expect(fix).toEqual(not(ship));
    },
  );

  it('is not taken when any condition before it was', () => {
    const [, , second, third] =
      whenOf('Explore:"a":r (if r == "x")~> Plan:"b {r}" (if r == "y")~> Plan:"c {r}" (else)~> Plan:"d {r}"') ?? [];
    expect(second).toMatchObject({ operator: '&&' });
    expect(third).toMatchObject({
      operator: '&&',
      left: not(expect.objectContaining({ operator: '==' })),
      right: not(expect.objectContaining({ operator: '==' })),
    });
  });

  it('keeps as its value whether it was taken', () => {
    const steps =
      compileFlowText('[Explore:"a" (if passed)~> Plan:"b" (else):left~> Plan:"c"] -> Plan:"d {left}"').plan?.steps ??
      [];
    expect(steps[3]).toMatchObject({ prompt: { parts: ['d ', { expression: not(steps[1]?.when) }] } });
  });

  it('lets a failure of the step before it stop the flow where no condition looks at that step', () => {
    const { plan } = compileFlowText('Explore:"a":r -> Plan:"b {r}" (if r)~> Plan:"c {r}" (else)~> Plan:"d {r}"');
    expect(plan?.steps[1]).toMatchObject({ on_error: 'stop' });
  });

  it('leaves no way around its branch in the graph', () => {
    const text = '[Explore:"a" (if passed)~> Plan:"b" (else)~> Plan:"c"] -> Plan:"d"';
    const { body } = parse(text).tree;
    const edges = body === null ? [] : flowGraph(body, new Map()).graph.edges;
    expect(edges.map(({ from, to, condition }) => `${from} ${to} ${condition ?? ''}`)).toEqual([
      'node-0 node-1 passed',
      'node-0 node-2 else',
      'node-1 node-3 ',
      'node-2 node-3 ',
    ]);
  });

  it.each(['(else if failed)~>', '~>(ELSE  IF failed)'])('may be one more condition: %s', (written) => {
    const text = (one: string) => `Explore:"run":r (if passed)~> Plan:"ship {r}" ${one} Plan:"fix {r}"`;
    expect(whenOf(text(written))).toEqual(whenOf(text('(if failed)~>')));
  });

  it('is a variable, or a question for a model, with `if` before it', () => {
    expect(whenOf('Explore:"a":else (if else)~> Plan:"b {else}"')?.[1]).toMatchObject({ operator: '&&' });
  });
});

describe('what an agent says of itself', () => {
  it.each([
    ['RESULT: passed', false],
    ['two fail\nRESULT: failed', true],
    ['RESULT: failed\n', true],
    ['Before, the suite said RESULT: failed.\nRESULT: passed', false],
    ['It answers 401 with {"success": false}, as it should.\n**RESULT: passed**', false],
    ['First RESULT: passed, then one broke.\nRESULT: failed', true],
    ['{"success": false}', true],
    ['all is well', false],
  ])('is its last line: %j', (output, fails) => {
    const { plan } = compileFlowText('Explore:"a" (if failed)~> Plan:"b"');
    const { when } = plan?.steps[1] ?? {};
    if (when == null) throw new Error('no condition');
    const environment = { 'step:0.output': { value: output }, 'step:0.status': { value: 'success' } };
    const none = (): never => {
      throw new Error('nothing is stored');
    };
    expect(evaluate(when, { environment, load: none, text: none })).toBe(fails);
  });
});

describe('a comparison of a flow', () => {
  const lastWhen = (text: string) => flowPlan(text).steps.at(-1)?.when ?? null;
  const holds = (text: string, output: string | number | boolean, input = ''): boolean => {
    const when = lastWhen(text);
    const scope = {
      environment: {
        'step:0.output': { value: output },
        'input:n': { value: input },
      },
      load: () => null,
      text: () => '',
    };
    return when !== null && evaluate(when, scope) === true;
  };

  it.each<[string, string | number | boolean, boolean]>([
    ['explore:"a":ok (if ok == true)~> explore:"b {ok}"', 'true', true],
    ['explore:"a":ok (if ok == true)~> explore:"b {ok}"', 'false', false],
    ['$LIMIT := "80" explore:"a":score (if score >= LIMIT)~> explore:"b {score}"', 81, true],
    ['$LIMIT := "80" explore:"a":score (if score >= {LIMIT})~> explore:"b {score}"', 79, false],
    ['$LIMIT := "80" explore:"a":s (if LIMIT == "80")~> explore:"b {s}"', '', true],
    ['$KIND := "big bug" explore:"a":k (if k == {KIND})~> explore:"b {k}"', 'big bug', true],
    ['$KIND := "big bug" explore:"a":k (if k contains "a {KIND}")~> explore:"b {k}"', 'a big bug', true],
    ['explore:"a":score (if {score} >= 80)~> explore:"b {score}"', 80, true],
  ])('means what is written: %s of %j is %j', (text, output, expected) => {
    expect(holds(text, output)).toBe(expected);
  });

  it('takes a parameter for the text that it is', () => {
    const head = '---\nparams: {n: "n (default: 3)"}\n---\nexplore:"a {{n}}":ok ';
    expect(holds(`${head}(if n == 3)~> explore:"b {ok}"`, '', '3')).toBe(true);
    const { problems } = compileFlowText(`${head}(if n >= 3)~> explore:"b {ok}"`);
    expect(problems.map(({ code, severity }) => `${code} ${severity}`)).toEqual(['invalid-value warning']);
    expect(holds(`${head}(if n >= 3)~> explore:"b {ok}"`, '', '4')).toBe(false);
    expect(holds('$LIMIT := "3" explore:"a":ok (if LIMIT == ok)~> explore:"b {ok}"', 3)).toBe(true);
  });

  it('orders two texts as texts', () => {
    const text = '---\nparams: {n: "n", m: "m"}\n---\nexplore:"a {{n}} {{m}}":ok (if n >= m)~> explore:"b {ok}"';
    expect(compileFlowText(text).problems).toEqual([]);
    expect(flowPlan(text).steps.at(-1)?.when).toMatchObject({ operator: '>=' });
  });

  it.each([
    [
      'of a step that comes later',
      'explore:"a":kind -> [(if kind == review)~> explore:"b"] -> explore:"c":review -> explore:"{review}"',
    ],
    [
      'of a step of another branch',
      'explore:"k":kind -> [explore:"a":review || [explore:"b" (if kind == review)~> explore:"c"]] -> ' +
        'explore:"{review}"',
    ],
    ['of no parameter but the request', 'explore:"a":kind (if kind == request)~> explore:"b"'],
  ])('takes a bare word for a text where it is the name %s, and warns of that', (_, text) => {
    const quoted = text.replace(/== (\w+)/, '== "$1"');
    const { plan, problems } = compileFlowText(text);
    const [told, ...others] = problems.sort((a, b) => Number(isBare(b)) - Number(isBare(a)));
    const word = /== (\w+)/.exec(text)?.[1] ?? '';
    expect(told).toMatchObject({
      severity: 'warning',
      message: expect.stringContaining(`\`${word}\` is a text`) as string,
    });
    expect(told?.suggestion).toContain(`\`"${word}"\``);
    expect(told?.suggestion?.includes('{request}')).toBe(word === 'request');
    const same = compileFlowText(quoted).problems;
    expect(others).toEqual(same.map((one) => ({ ...one, column: expect.anything() })));
    expect(same.filter(isBare)).toEqual([]);
    expect(plan?.steps).toEqual(flowPlan(quoted).steps);
  });

  it.each(['bug', 'true', '"review"'])('warns of no word that nothing in the flow has for a name: %s', (word) => {
    const text = `explore:"a":kind -> [(if kind == ${word})~> explore:"b"] -> explore:"c":review -> explore:"{review}"`;
    expect(compileFlowText(text).problems.filter(isBare)).toEqual([]);
  });

  it('takes a bare word for what a step before it captured, and words in braces for what they were', () => {
    const value = 'explore:"x":review -> explore:"a":kind (if kind == review)~> explore:"b"';
    expect(JSON.stringify(lastWhen(value))).toContain('step:0.output');
    const { plan, problems } = compileFlowText(
      'explore:"a":kind -> [(if kind == {review})~> explore:"b {kind}"] -> explore:"c":review -> explore:"{review}"',
    );
    expect(plan).not.toBe(null);
    expect(problems.map(({ code }) => code)).toContain('judged-condition');
    const asked = 'explore:"a":kind (if kind == {request})~> explore:"b"';
    expect(JSON.stringify(lastWhen(asked))).toContain('input:request');
  });
});
