// @seconds 10
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inline } from '../../../src/plan/values/value.js';
import type { Answers, FlowRun, FlowSetting } from '../helpers/flow-runs.js';
import { openFlowSetting } from '../helpers/flow-runs.js';
import type { People } from '../helpers/gate-setting.js';
import { createPeople } from '../helpers/gate-setting.js';

let setting: FlowSetting;
let people: People;
beforeAll(async () => {
  setting = await openFlowSetting();
  people = createPeople(setting.harness);
});
afterAll(async () => {
  await setting.close();
});

/** The first words of what was asked, in order; those that ran at once in the order of the alphabet. */
const told = ({ asked }: FlowRun): string =>
  asked.map((prompt) => /^[A-Z][a-z]+/.exec(prompt)?.[0] ?? prompt).join(' ');

describe('a chain and its variables', () => {
  it('hands each output on under its name, once, as data', async () => {
    const run = await setting.run(
      `$scanner := {base: "general-purpose", prompt: "You scan, with commas: and {braces}.", model: "opus"}
       $scanner:"Scan the code":issues
         -> general-purpose:"Fix these: {issues}. Keep \\{this} and {that is text}":fixes
         -> general-purpose:"Verify {fixes}"`,
      { answers: { Scan: 'a {fixes} and $& in b.js', Fix: 'done', Verify: 'all good' } },
    );
    expect(run).toMatchObject({ status: 'success', output: 'all good' });
    expect(run.asked[1]).toContain('Fix these: a {fixes} and $& in b.js. Keep {this} and {that is text}');
    expect(run.asked[2]).toContain('Verify done');
  });

  it('asks an agent of which a field is read for JSON, and hands the parts on', async () => {
    const run = await setting.run(
      'general-purpose:"Rate it":r -> general-purpose:"Because {r.reasons[1]} it is {r.score}"',
      {
        answers: { Rate: '{"score": 7, "reasons": ["short", "clear"]}', Because: 'ok' },
      },
    );
    expect(run.asked[1]).toContain('Because clear it is 7');
  });

  it('shows an agent without an instruction what stands before it', async () => {
    const run = await setting.run('[general-purpose:"One":a || general-purpose:"Two":b] -> general-purpose', {
      answers: { Continue: 'joined', One: 'first', Two: 'second' },
    });
    expect(run.output).toBe('joined');
    expect(run.asked[2]).toMatch(/Continue the flow after: a, b\.[^]*first[^]*second/);
  });

  it('takes parameters with their defaults, and a request', async () => {
    const text = 'general-purpose:"Look at {{target:src}} for {request}"';
    expect((await setting.run(text, { input: { request: 'bugs' }, answers: { Look: 'x' } })).asked[0]).toContain(
      'Look at src for bugs',
    );
    expect(
      (await setting.run(text, { input: { request: 'bugs', target: 'lib' }, answers: { Look: 'x' } })).asked[0],
    ).toContain('Look at lib for bugs');
  });
});

describe('a condition', () => {
  const AFTER = 'general-purpose:"Test it"';
  const BRANCH = 'general-purpose:"Branch"';
  it.each([
    ['before the arrow, with `if`', `${AFTER} (if failed)~> ${BRANCH}`],
    ['before the arrow, without `if`', `${AFTER} (failed)~> ${BRANCH}`],
    ['behind the arrow', `${AFTER} ~> (if failed) ${BRANCH}`],
    ['behind a dash arrow, on an earlier variable', `general-purpose:"Test it":t -> (if t.failed)~> ${BRANCH}`],
    ['at the start of a line', `general-purpose:"Test it":t\n(if t.failed)~> ${BRANCH}`],
    ['behind a group', `[${AFTER}] (if any failed)~> ${BRANCH}`],
  ])('%s runs its branch when it holds, and only then', async (_place, text) => {
    expect(told(await setting.run(text, { answers: { Test: 'no.\nRESULT: failed', Branch: 'mended' } }))).toBe(
      'Test Branch',
    );
    const fine = await setting.run(text, { answers: { Test: 'fine.\nRESULT: passed', Branch: 'mended' } });
    expect({ told: told(fine), status: fine.status }).toEqual({ told: 'Test', status: 'success' });
  });

  it('goes to the next of its chain when it is false, and after the last one to what follows the group', async () => {
    const text =
      '[general-purpose:"Sort":kind (if kind contains "bug")~> general-purpose:"Mend" (if kind == "wish")~> ' +
      'general-purpose:"Plan" (if !kind)~> general-purpose:"Ask"] -> general-purpose:"End"';
    const answers: Answers = { Sort: 'a BUG', Mend: 'm', Plan: 'p', Ask: 'q', End: 'e' };
    expect(told(await setting.run(text, { answers }))).toBe('Sort Mend End');
    expect(told(await setting.run(text, { answers: { ...answers, Sort: 'wish' } }))).toBe('Sort Plan End');
    expect(told(await setting.run(text, { answers: { ...answers, Sort: 'other' } }))).toBe('Sort End');
  });

  it.each([
    ['all success', ['yes', 'yes'], 'All'],
    ['all success', ['yes', null], 'End'],
    ['any failed', ['yes', null], 'All'],
    ['any failed', ['yes', 'yes'], 'End'],
    ['any success', ['yes', null], 'All'],
    ['all failed', [null, null], 'All'],
    ['all failed', ['yes', null], 'End'],
  ])('`%s` looks at both branches: %j', async (words, [a, b], next) => {
    const run = await setting.run(
      `[[general-purpose:"Left" || general-purpose:"Right"] (if ${words})~> general-purpose:"All" -> ` +
        `general-purpose:"Rest"] -> general-purpose:"End"`,
      {
        answers: { Left: a ?? null, Right: b ?? null, All: 'x', Rest: 'y', End: 'z' },
      },
    );
    expect(
      told(run)
        .split(' ')
        .filter((word) => word !== 'Left' && word !== 'Right')[0],
    ).toBe(next);
    expect(told(run).endsWith('End')).toBe(true);
  });

  it('of other words is judged by a model, once', async () => {
    const run = await setting.run('general-purpose:"Write":t (if it rhymes)~> general-purpose:"Print {t}"', {
      answers: { Write: 'moon, soon', 'Does this condition': '{"holds": true, "reason": "it does"}', Print: 'printed' },
    });
    expect(run).toMatchObject({ status: 'success', output: 'printed' });
    expect(run.asked[1]).toContain('it rhymes');
    expect(run.asked[1]).toContain('moon, soon');
  });

  it('keeps its value under a name', async () => {
    const run = await setting.run('general-purpose:"Test":t (if passed):fine~> general-purpose:"Say {fine}"', {
      answers: { Test: 'RESULT: passed', Say: 'said' },
    });
    expect(run.asked.at(-1)).toContain('Say true');
  });
});

describe('a loop', () => {
  const TEXT =
    '@try -> general-purpose:"Test; before: {fix}.":result (if failed)~> general-purpose:"Mend {result}":fix -> ' +
    '@try (if passed)~> general-purpose:"Ship {result}"';

  it('goes round until its condition is false, and reads what the round before captured', async () => {
    const run = await setting.run(TEXT, {
      answers: {
        Test: ['one\nRESULT: failed', 'two\nRESULT: failed', 'three\nRESULT: passed'],
        Mend: ['patch 1', 'patch 2'],
        Ship: 'shipped',
      },
    });
    expect(told(run)).toBe('Test Mend Test Mend Test Ship');
    expect(run).toMatchObject({ status: 'success', output: 'shipped' });
    expect(run.asked[0]).toContain('before: .');
    expect(run.asked[2]).toContain('before: patch 1.');
    expect(run.asked[4]).toContain('before: patch 2.');
    expect(run.asked[5]).toContain('Ship three');
  });

  it('fails after ten rounds', async () => {
    const run = await setting.run('@again -> general-purpose:"Test" (if failed)~> @again', {
      answers: { Test: 'RESULT: failed' },
    });
    expect(run.status).toBe('error');
    expect(run.asked).toHaveLength(10);
  });
});

describe('branches and failures', () => {
  it('a failed branch skips the rest of itself, and what follows the branches runs', async () => {
    const run = await setting.run(
      '[[general-purpose:"Left":a -> general-purpose:"Later {a}"] || general-purpose:"Right":b] -> ' +
        'general-purpose:"End: {b}"',
      { answers: { Left: null, Later: 'never', Right: 'right', End: 'end' } },
    );
    expect(run.status).toBe('partial');
    expect(
      [...run.asked]
        .map((one) => one.slice(0, 3))
        .sort()
        .join(' '),
    ).toBe('End Lef Rig');
    expect(run.asked.at(-1)).toContain('End: right');
  });

  it('a failed step stops the flow where no condition looks at it', async () => {
    const run = await setting.run('general-purpose:"Left" -> general-purpose:"Right"', {
      answers: { Left: null, Right: 'x' },
    });
    expect({ status: run.status, told: told(run) }).toEqual({ status: 'error', told: 'Left' });
  });
});

describe('people in a flow', () => {
  it('answer a question, whose text later steps read', async () => {
    const run = await setting.run('@ask-human:"Which branch?":branch -> general-purpose:"Look at {branch}"', {
      gates: 'ask',
      answers: { Look: 'seen' },
      meanwhile: async ({ workflowId }) => {
        await people.say(workflowId, 'ana', { decision: 'answer', value: inline('main') });
      },
    });
    expect(run.asked[0]).toContain('Look at main');
  });

  it('approve what came before, or change it: later steps read what was approved', async () => {
    const run = await setting.run('general-purpose:"Draft":d -> @review:"Is {d} good?" -> general-purpose:"Send {d}"', {
      gates: 'ask',
      answers: { Draft: 'dear all', Send: 'sent' },
      meanwhile: async ({ workflowId }) => {
        const gate = await people.gate(workflowId);
        expect(gate).toMatchObject({ path: 'review', message: 'Is dear all good?', content: { value: 'dear all' } });
        await people.say(workflowId, 'ana', { edit: inline('dear both') });
      },
    });
    expect(run.asked[1]).toContain('Send dear both');
  });

  it('stop it with a rejection', async () => {
    const run = await setting.run('general-purpose:"Draft" -> @review -> general-purpose:"Send"', {
      gates: 'ask',
      answers: { Draft: 'x', Send: 'y' },
      meanwhile: async ({ workflowId }) => {
        await people.say(workflowId, 'ana', { decision: 'reject' });
      },
    });
    expect({ status: run.status, told: told(run) }).toEqual({ status: 'error', told: 'Draft' });
  });

  it.each([
    ['', 'error', 'Draft'],
    ['(fallback=abort)', 'error', 'Draft'],
    ['(fallback=skip)', 'success', 'Draft Send'],
    ['(fallback=approve)', 'success', 'Draft Send'],
  ])('are not waited for when nobody is there: @review%s', async (fallback, status, asked) => {
    const run = await setting.run(`general-purpose:"Draft" -> @review${fallback}:"Send?" -> general-purpose:"Send"`, {
      gates: 'fallback',
      answers: { Draft: 'x', Send: 'y' },
    });
    expect({ status: run.status, told: told(run) }).toEqual({ status, told: asked });
  });
});
