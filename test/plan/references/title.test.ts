import { describe, expect, it } from 'vitest';
import { titleOf, titleTexts } from '../../../src/plan/references/title.js';
import type { AgentStep, Step } from '../../../src/plan/step.js';
import type { Template } from '../../../src/plan/values/expression.js';
import type { Hash } from '../../../src/plan/values/value.js';
import { foreach, many, reference, set, single } from '../helpers/build-blocks.js';
import { stepBase } from '../helpers/build-plan.js';

const REF: Hash = `sha256:${'a'.repeat(64)}`;

function agent(prompt: Template | null, id: string | null = null): AgentStep {
  return {
    ...stepBase(0, { id }),
    kind: 'agent',
    agent: REF,
    prompt,
    inputs: {},
    model: null,
    schema: null,
    rehearsal: null,
  };
}
const told = (value: string): Template => ({ kind: 'literal', value });

describe('the title of a step', () => {
  it('is the first words of the first line that says something, on one line', () => {
    expect(titleOf(agent(told('\n---\n## Find the\tbug\nand mend it')), {})).toBe('Find the bug');
  });

  it('is cut between words, and a long word within, at 48 characters', () => {
    const title = titleOf(agent(told('Write release notes for people who use this every day')), {});
    expect(title).toBe('Write release notes for people who use this…');
    expect(titleOf(agent(told('x'.repeat(5_000_000))), {})).toHaveLength(48);
  });

  it('shows what comes from elsewhere as dots', () => {
    const prompt: Template = { kind: 'text', parts: ['Judge ', { expression: reference('input:text') }, ' now'] };
    expect(titleOf(agent(prompt), {})).toBe('Judge … now');
  });

  it('is not there where an id tells more, unless that is a mere number', () => {
    expect(titleOf(agent(told('Find it'), 'find'), {})).toBeNull();
    expect(titleOf(agent(told('Find it'), 'step-10'), {})).toBe('Find it');
    expect(titleOf(agent(null), {})).toBeNull();
  });

  it('is of the instruction of its agent where that is all that is said', () => {
    expect(titleOf(agent(told('')), { [REF]: { prompt: told('Count the words') } })).toBe('Count the words');
    expect(titleOf(agent(null), { [REF]: { prompt: told('Count the words') } })).toBeNull();
  });

  it('is what a question asks, and nothing of what has none or several steps', () => {
    const ask: Step = { ...stepBase(0), kind: 'ask', question: told('Which?'), schema: null, choices: null };
    expect(titleOf(ask, {})).toBe('Which?');
    expect(titleOf(foreach(0, told('x'), single(ask)), {})).toBe('Which?');
    expect(titleOf(foreach(0, told('x'), many([ask])), {})).toBeNull();
    expect(titleOf(set(0, {}), {})).toBeNull();
    expect(titleOf(agent({ kind: 'literal', value: 5 }), {})).toBeNull();
    expect(titleOf(agent({ kind: 'expression', expression: reference('input:x') }), {})).toBeNull();
    expect(titleOf(agent(told('')), {})).toBeNull();
    expect(titleOf(agent(told('a  b \t c ')), {})).toBe('a b c');
    expect(titleOf(agent(told(`${'x'.repeat(23)} ${'y'.repeat(23)}`)), {})).toBe(`${'x'.repeat(23)} ${'y'.repeat(23)}`);
    expect(titleOf(agent(told(`${'x'.repeat(23)} ${'y'.repeat(24)}`)), {})).toBe(`${'x'.repeat(23)}…`);
    expect(titleTexts([ask, agent(null)], {})).toEqual([]);
  });

  it('is what a gate asks, and of a loop what its one step is told', () => {
    const gate: Step = {
      ...stepBase(0),
      kind: 'approval',
      message: told('Ship it?'),
      content: null,
      fallback: 'abort',
    };
    expect(titleOf(gate, {})).toBe('Ship it?');
    const until = { kind: 'literal' as const, value: true };
    const body = single(agent(told('Polish')));
    expect(titleOf({ ...stepBase(0), kind: 'loop', until, max: 2, at_max: 'error', body }, {})).toBe('Polish');
  });

  it('is read from the store where the text stands there, and left out where it is not known', () => {
    const step = agent({ kind: 'text', parts: [{ text: REF, bytes: 900 }] });
    expect(titleTexts([step, agent(told('short'))], {})).toEqual([REF]);
    expect(titleOf(step, {})).toBeNull();
    expect(titleOf(step, {}, new Map([[REF, 'A long one\nof many lines']]))).toBe('A long one');
  });
});
