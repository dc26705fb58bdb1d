import { describe, expect, it } from 'vitest';
import { createLoader } from '../../src/compiler/load.js';
import { checkGenerated, checkToolSteps } from '../../src/mcp/generated.js';
import { createMade } from '../../src/mcp/made.js';
import type { ShownGate } from '../../src/mcp/own-content.js';
import { givenBy, isForPerson, isOwnContent, textsIn } from '../../src/mcp/own-content.js';
import { plan } from '../plan/helpers/build-plan.js';

const COMMAND = { text: '{"kind":"command","argv":["git","push"],"cwd":""}' };
const SHAPED = { text: '{"input":"a report"}' };

describe('a gate shows a client its own words', () => {
  const given = new Set(['its words', ...textsIn({ change: { b: 2, a: [1, 'x'] }, amount: 7500 })]);
  const connection = { made: createMade(), given, runs: new Set(['own-1']) };

  it.each<[title: string, gate: ShownGate, own: boolean]>([
    [
      'where a tool would act in a run of this connection',
      { run: 'own-1', submittedBy: 'mcp:x', kind: 'tool', content: COMMAND },
      true,
    ],
    [
      'where a tool would act in a run of a connection before',
      { run: 'own-0', submittedBy: 'mcp:x', kind: 'tool', content: COMMAND },
      true,
    ],
    [
      'where a tool would act in a run of this connection, whatever it calls itself now',
      { run: 'own-1', submittedBy: 'mcp:y', kind: 'tool', content: COMMAND },
      true,
    ],
    [
      'where it gave them to a run',
      { run: 'other-1', submittedBy: 'ana', kind: 'approval', content: { text: 'its words\n' } },
      true,
    ],
    [
      'where it gave them as a map or a list, whatever the order of its keys',
      { run: 'other-1', submittedBy: 'ana', kind: 'approval', content: { text: '{\n  "a": [1, "x"],\n  "b": 2\n}' } },
      true,
    ],
    [
      'where it gave them as a number',
      { run: 'other-1', submittedBy: 'ana', kind: 'approval', content: { text: '7500' } },
      true,
    ],
    [
      'not where a tool would act in the run of another',
      { run: 'other-1', submittedBy: 'ana', kind: 'tool', content: COMMAND },
      false,
    ],
    [
      'not where a workflow has something approved that has an `input`',
      { run: 'own-1', submittedBy: 'mcp:x', kind: 'approval', content: SHAPED },
      false,
    ],
    [
      'not where there is only a question',
      { run: 'own-1', submittedBy: 'mcp:x', kind: 'approval', content: null },
      false,
    ],
  ])('%s', (_title, gate, own) => {
    expect(isOwnContent(gate, 'mcp:x', connection)).toBe(own);
  });
});

describe('what a client gave to runs', () => {
  const known = { given: new Set(['before']), store: { get: async () => ['stored \n'] } };
  const input = { note: { value: { deep: [' its words '] } }, long: { ref: 'sha256:1' as const, bytes: 9 } };

  it('is what a connection before has given to the run that is looked at', async () => {
    expect([...(await givenBy('mcp:x', { submittedBy: 'mcp:x', input }, known))]).toEqual([
      ...['before', '{"deep":[" its words "]}', '[" its words "]', 'its words', '["stored \\n"]', 'stored'],
    ]);
  });

  it('is not what another has given to it', async () => {
    expect([...(await givenBy('mcp:x', { submittedBy: 'mcp:y', input }, known))]).toEqual(['before']);
  });
});

describe('a gate is for a person', () => {
  const connection = { made: createMade(), given: new Set(['its words']), runs: new Set(['own-1']) };
  const own = {
    run: 'own-1',
    submittedBy: 'mcp:x',
    kind: 'approval',
    content: { text: 'a report' },
    decision: 'approve',
  } as const;

  it.each<[title: string, gate: Parameters<typeof isForPerson>[0], persons: boolean]>([
    ['in a run that the client started', own, true],
    ['in a run that it started when it was connected before', { ...own, run: 'own-0' }, true],
    ['also where it would reject, or answer a question', { ...own, kind: 'ask', decision: 'reject' }, true],
    ['where its device is in doubt', { ...own, kind: 'recovery', content: null }, true],
    ['where the gate names others', { ...own, approvers: ['ana', 'mcp:y'] }, true],
    ['not where the gate names the client', { ...own, approvers: ['mcp:x'] }, false],
    [
      'though it names the client, where that would approve its own words',
      { ...own, approvers: ['mcp:x'], content: { text: 'its words' } },
      true,
    ],
    ['not where the client takes back what its agents want to do', { ...own, kind: 'tool', decision: 'reject' }, false],
    ['not in the run of another', { ...own, run: 'other-1', submittedBy: 'ana' }, false],
    [
      'in the run of another, where the autonomy wants a person',
      { ...own, run: 'other-1', submittedBy: 'ana', kind: 'checkpoint', people: true },
      true,
    ],
    [
      'not where it keeps such a step from acting',
      { ...own, run: 'other-1', submittedBy: 'ana', kind: 'checkpoint', people: true, decision: 'reject' },
      false,
    ],
  ])('%s', (_title, gate, persons) => {
    expect(isForPerson(gate, 'mcp:x', connection)).toBe(persons);
  });
});

describe('a made workflow', () => {
  it('says nothing of when people are asked', () => {
    expect(() => {
      checkGenerated({ ...plan([]), autonomy: { level: 'yolo' } }, {});
    }).toThrow(/Expected no `autonomy`/);
  });
});

describe('tool steps of a made workflow', () => {
  const check = (keys: string): void => {
    const text = `steps:\n  - {id: push, tool: shell, inputs: {argv: [git, push]}${keys}}\n`;
    checkToolSteps(
      createLoader('/project', () => undefined, new Map([['/project/made.yml', text]])).load('/project/made.yml'),
    );
  };

  it.each([
    ['permissions', '{allow: ["command:git push"]}'],
    ['effect', 'none'],
  ])('set no `%s`', (key, value) => {
    expect(() => check(`, ${key}: ${value}`)).toThrow(`sets no \`${key}\`; step \`push\` does.`);
    expect(() => check('')).not.toThrow();
  });

  it.each(['foreach: [1]', 'loop: {until: "${index > 1}", max: 2}'])('set none in a body of `%s` either', (repeat) => {
    const text =
      `steps:\n  - {id: each, ${repeat}, steps: [{id: push, tool: shell, inputs: {argv: [git, push]}, ` +
      `permissions: {allow: ["command:git push"]}}]}\n`;
    const definition = createLoader('/project', () => undefined, new Map([['/project/made.yml', text]])).load(
      '/project/made.yml',
    );
    expect(() => checkToolSteps(definition)).toThrow('sets no `permissions`; step `each/push` does.');
  });
});
