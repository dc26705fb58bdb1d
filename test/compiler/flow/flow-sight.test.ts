import { describe, expect, it } from 'vitest';
import { compileFlowText } from '../helpers/flow-compile.js';

const found = (text: string) =>
  compileFlowText(text).problems.map(({ code, severity, message }) => {
    expect(severity).toBe('warning');
    return `${code} ${/Step \d+|`\w+`/.exec(message)?.[0] ?? message}`;
  });

describe('what the steps of a flow see', () => {
  it.each<[string, string, string[]]>([
    ['a step that refers to nothing', 'Explore:"a" -> Plan:"b"', ['blind-step Step 2']],
    ['one that does', 'Explore:"a":a -> Plan:"b {a}"', []],
    ['one without an instruction', 'Explore:"a" -> Plan', []],
    ['one with a brace that is text', 'Explore:"a" -> Plan:"b \\{a}"', ['blind-step Step 2']],
    ['the first, behind a gate', '@start:"Begin?" -> Explore:"a"', []],
    ['one behind a gate', 'Explore:"a" -> @ok:"Go on?" -> Plan:"b"', ['blind-step Step 3']],
    ['one behind an answer', '@ask-human:"What?":what -> Explore:"a {what}"', []],
    ['branches beside each other', 'Explore:"a" || Plan:"b"', []],
    ['branches behind a step', 'Explore:"a":a -> [Plan:"b {a}" || Explore:"c"]', ['blind-step Step 3']],
    ['a branch of a condition', 'Explore:"a" (if failed)~> Plan:"b"', ['blind-step Step 2']],
    ['a label, which is no step', '@try -> Explore:"a" -> Plan:"b" (if failed)~> @try', ['blind-step Step 2']],
    ['a name that nothing reads', '[Explore:"a":a || Plan:"b":b] -> Plan:"c {b}"', ['unread-capture `a`']],
    ['a name that a condition reads', '[Explore:"a":a || Plan:"b":b] (if a.passed && b)~> Plan', []],
    ['a name that is looked at as issues', 'Explore:"a":issues -> Explore (if no issues)~> Plan', []],
    ['the name of the last step', 'Explore:"a":all', []],
    ['a name that a gate shows', 'Explore:"a":all -> @ok:"Good?"', []],
    ['a name of what a condition reads', 'Explore:"a":all (if contains "x")~> Plan', []],
    ['the name of an answer', '@ask-human:"What?":what -> @ok:"Go on?" -> Explore:"a"', ['blind-step Step 3']],
    ['a name that only a later round reads', '@l -> Plan:"a {b}" -> Explore:"c {b}":b (if failed)~> @l', []],
    ['a name of what is approved', 'Explore:"a" -> @ok:"Good?":good -> Plan:"do {good}"', []],
  ])('is looked at: %s', (_what, text, problems) => {
    expect(found(text)).toEqual(problems);
  });

  it('is mended by what the warning says', () => {
    const [problem] = compileFlowText('Explore:"a":findings -> Plan:"b"').problems;
    expect(problem).toMatchObject({
      message: 'Step 2 sees only its own text, and nothing of the steps before it.',
      suggestion: 'write `{findings}` into its text where it needs that',
    });
  });

  it('is not looked at where the flow has faults', () => {
    expect(compileFlowText('Explore:"a" -> Plan:"b" -> nobody:"c"').problems.map(({ code }) => code)).toEqual([
      'unknown-agent',
    ]);
  });
});
