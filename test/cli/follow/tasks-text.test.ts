import { assert, constantFrom, array, option, property, record, string, uniqueArray } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gateLines } from '../../../src/cli/follow/plain-lines.js';
import { renderGate, unseenLines } from '../../../src/cli/follow/gate-text.js';
import { shownTasks, tasksText } from '../../../src/cli/follow/tasks-text.js';
import { taskCost } from '../../../src/cli/forecast/task-cost.js';
import type { OpenGate } from '../../../src/cli/observe/view/view.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { displayWidth } from '../../../src/cli/text/width.js';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import type { Json, JsonObject } from '../../../src/plan/values/json.js';
import { shownText } from '../../../src/plan/text/safe-text.js';
import type { Store } from '../../../src/store/store.js';

const palette = createPalette(false);
const task = (more: object = {}) => ({
  id: 'task-1',
  name: 'Set up',
  description: 'Write index.html.',
  acceptance_criteria: ['It is there.'],
  dependencies: [] as string[],
  agent_name: 'Bo',
  complexity: 'simple',
  ...more,
});
const plan = (tasks: object[], more: object = {}): Json =>
  JSON.parse(JSON.stringify({ tasks, plan_explanation: 'In order.', ...more })) as Json;
const open = (): OpenGate => ({
  address: 'counter-1/approve',
  owner: 'counter-1',
  gate: {
    path: 'approve',
    kind: 'approval',
    message: 'Are these the tasks to build it with?',
    content: null,
    hash: 'sha256:9c41aaaae07b',
    fallback: 'abort',
    since: '2026-01-01T00:00:00Z',
  },
});
const facts = [
  { role: 'builder', cost: 'unknown', requirements: new Map([['req-0', 'A click adds one.']]) },
  { role: 'tester', cost: 'about $0.01 to $0.5 a turn' },
];

describe('planned tasks at their gate', () => {
  it('are shown with title, agent and role, what they come after, criteria and expected cost', () => {
    const two = [
      task({ requirement_ids: ['req-0', 'req-1'] }),
      task({
        id: 'task-2',
        name: 'Test it',
        description: 'Write a test.\nRun it.',
        acceptance_criteria: ['The test passes.', 'It fails\nwithout the code.'],
        dependencies: ['task-1'],
        agent_name: 'Tess',
      }),
    ];
    const commands = { page: 'index.html', start_command: null, test_command: ['node', '--test', 'two words'] };
    expect(tasksText(plan(two, commands), facts).split('\n')).toEqual([
      '2 tasks',
      '',
      '1. Set up',
      '   id         task-1',
      '   agent      Bo (builder)',
      '   after      nothing',
      '   does       Write index.html.',
      '   done when  - It is there.',
      '   size       simple',
      '   for        - req-0: A click adds one.',
      '              - req-1',
      '   cost       unknown',
      '',
      '2. Test it',
      '   id         task-2',
      '   agent      Tess (tester)',
      '   after      task-1',
      '   does       Write a test.',
      '              Run it.',
      '   done when  - The test passes.',
      '              - It fails',
      '                without the code.',
      '   size       simple',
      '   cost       about $0.01 to $0.5 a turn',
      '',
      'why so     In order.',
      'tests      node --test "two words"',
      'start      none',
      'page       index.html',
    ]);
  });

  it('show all that is approved, whatever stands in it, and nothing of it passes for something else', () => {
    const text = string({
      unit: constantFrom(
        'a',
        '1',
        '.',
        '-',
        ' ',
        '\n',
        '"',
        ',',
        ':',
        '\\',
        '2. Steal',
        'agent',
        'cost',
        '   ',
        '\u{202e}',
      ),
      maxLength: 8,
    });
    const one = record({
      id: text,
      name: text,
      description: text,
      acceptance_criteria: array(text, { maxLength: 3 }),
      dependencies: array(text, { maxLength: 3 }),
      agent_name: text,
    });
    const more = option(record({ complexity: text, mood: text }), { nil: {} });
    const whole = record({
      tasks: uniqueArray(one, { minLength: 1, maxLength: 3 }),
      plan_explanation: text,
      start: text,
    });
    assert(
      property(whole, more, ({ tasks, ...rest }, extra) => {
        const content = plan(
          tasks.map((each) => ({ ...each, ...extra })),
          rest,
        );
        const shown = tasksText(content, []);
        expect(read(shown)).toEqual(content);
        for (const width of [60, 80, 120]) {
          const lines = renderGate(open(), shown, { width, height: null, palette });
          expect(inFrame(lines)).toBe(shown.replace(/\n+$/, ''));
          expect(inFrame(gateLines(open(), shown, width))).toBe(shown.replace(/\n+$/, ''));
          expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
        }
      }),
      { numRuns: 200 },
    );
  });

  it.each([60, 80, 120])('count every line of a long plan that a screen of %i columns has no room for', (width) => {
    const long = Array.from({ length: 15 }, (_, index) =>
      task({ id: `task-${index + 1}`, description: `${'word '.repeat(80)}\n${'x'.repeat(300)}` }),
    );
    const shown = tasksText(plan(long), []);
    const all = renderGate(open(), shown, { width, height: null, palette });
    const lines = renderGate(open(), shown, { width, height: 24, palette });
    expect(all.filter((line) => displayWidth(line) > width)).toEqual([]);
    expect(lines.length).toBeLessThan(24);
    expect(unseenLines(open(), shown, { width, height: 24, palette })).toBe(
      all.filter(isFramed).length - lines.filter(isFramed).length,
    );
  });
});

it('tasks that name no requirement are shown with those that nobody has named', async () => {
  const spec = JSON.stringify({
    requirements: [
      { id: 'req-0', description: 'It ticks.' },
      { id: 'req-1', description: 'It stops.' },
    ],
  });
  // Of a store no more is asked than what a text is, and which runs there were.
  const store = { getText: () => Promise.resolve(spec), closedRuns: async function* () {} } as unknown as Store;
  const shown = (requirement_ids: string[]): Promise<string> =>
    shownTasks(plan([task({ requirement_ids })]), { team: [], spec }, store);
  expect((await shown(['req-0', 'req-1'])).split('\n').at(-1)).toBe('why so     In order.');
  expect((await shown(['req-0'])).split('\n').slice(-2)).toEqual(['no task is for:', '           - req-1: It stops.']);
  expect((await shown([])).split('\n').slice(-3)).toEqual([
    'no task is for:',
    '           - req-0: It ticks.',
    '           - req-1: It stops.',
  ]);
});

describe('what a task is expected to cost', () => {
  const of = (model: ModelChoice | null, dependencies: string[] = []): string =>
    taskCost(task({ dependencies }), { member: { name: 'Bo', role: 'builder', model }, spec: null, past: new Map() });
  const opus: ModelChoice = { provider: 'anthropic', model: 'claude-opus-4-6', max_tokens: 16_000 };
  const price = { input: 5, output: 25, cache_read: null, cache_write_5m: null, cache_write_1h: null };

  it.each<[string, ModelChoice | null, string]>([
    [
      'is a turn, from a short answer to what is reserved',
      { ...opus, price },
      'about $0.005 to $0.400 a turn, at most 20 turns a try',
    ],
    ['is unknown where a program works', null, 'unknown'],
    ['is unknown where the price is only assumed', { ...opus, price, assumed: true }, 'unknown'],
    [
      'is nothing on a machine of one’s own',
      { ...opus, price: null },
      'nothing: the model runs on a machine of your own',
    ],
    ['is nothing in a rehearsal', { provider: 'rehearsal', model: 'opus' }, 'nothing: the models are rehearsed'],
  ])('%s', (_, model, said) => {
    expect(of(model)).toBe(said);
  });

  it('says what tasks of its role have cost here before', () => {
    const past = new Map([['builder', { usd: 0.9, tasks: 3 }]]);
    const costOf = (role: string): string =>
      taskCost(task(), { member: { name: 'Bo', role, model: { ...opus, price } }, spec: null, past });
    expect(costOf('builder')).toBe(
      `${costOf('tester')};\na builder's task has cost $0.300 here, on average of 3 before`,
    );
  });

  it.each<[string, JsonObject]>([
    ['about $0.005 to $0.800 a turn, at most 20 turns a try', { max_tokens: 32_000 }],
    ['about $0.002 to $0.002 a turn, at most 20 turns a try', { max_tokens: 80, temperature: 1 }],
  ])('is %s by the settings %j of its agent', (said, params) => {
    const member = { name: 'Bo', role: 'builder', model: { ...opus, price }, params };
    expect(taskCost(task(), { member, spec: null, past: new Map() })).toBe(said);
  });

  it('rises with what is told of the tasks before', () => {
    expect(of({ ...opus, price }, ['task-0'])).toBe('about $0.005 to $0.455 a turn, at most 20 turns a try');
  });
});

const isFramed = (line: string): boolean => /^ {2}[│┊] /.test(line);

/** The text inside of a frame: what begins a line, and what goes on. */
function inFrame(lines: string[]): string {
  return shownText(
    lines
      .filter(isFramed)
      .map((line, index) => `${index > 0 && line.startsWith('  │') ? '\n' : ''}${line.slice(4)}`)
      .join(''),
  );
}

/** Reads tasks back from what is shown of them. */
function read(shown: string): Json {
  const entries: { head: string; text: string }[] = [];
  for (const line of shown.split('\n').slice(1)) {
    const head = /^(?:\d+\. |(?: {3})?\S)/.test(line) ? line.slice(0, headWidth(line)) : null;
    const last = entries.at(-1);
    if (head !== null) entries.push({ head, text: line.slice(head.length) });
    else if (last !== undefined) last.text += `\n${line.slice(/^\d/.test(last.head) ? 14 : last.head.length)}`;
  }
  // What parts the tasks from each other is an empty line.
  const tasks: Record<string, Json>[] = [];
  const rest: Record<string, Json> = {};
  for (const [index, { head, text: whole }] of entries.entries()) {
    const next = entries[index + 1]?.head ?? '';
    const isLast = /^\d/.test(next) || (/^\S/.test(next) && head.startsWith(' '));
    const text = isLast ? whole.replace(/\n$/, '') : whole;
    if (/^\d/.test(head)) tasks.push({ name: text });
    else if (head.startsWith(' ')) Object.assign(tasks.at(-1)!, valueOf(head.trim(), text));
    else Object.assign(rest, valueOf(head.trim(), text));
  }
  return { tasks, ...rest };
}

const headWidth = (line: string): number => {
  if (/^\d+\. /.test(line)) return line.indexOf('.') + 2;
  const indent = line.startsWith(' ') ? 3 : 0;
  const quoted = /^ *("[^"]*")/.exec(line)?.[1];
  return indent + Math.max(11, (quoted?.length ?? 0) + 1);
};
const unquoted = (text: string): string => (text.startsWith('"') ? (JSON.parse(text) as string) : text);
const WORDS = /"(?:[^"\\]|\\.)*"|[^,\s]+/g;

function valueOf(key: string, text: string): Record<string, Json> {
  switch (key) {
    case 'id':
      return { id: unquoted(text) };
    case 'agent':
      return { agent_name: text.replace(/ \(nobody of the team\)$/, '') };
    case 'after':
      return { dependencies: text === 'nothing' ? [] : (text.match(WORDS) ?? []).map(unquoted) };
    case 'does':
      return { description: text };
    case 'done when':
      return {
        acceptance_criteria:
          text === 'nothing is said'
            ? []
            : `\n${text}`
                .split('\n- ')
                .slice(1)
                .map((item) => item.replaceAll('\n  ', '\n')),
      };
    case 'size':
      return { complexity: text };
    case 'why so':
      return { plan_explanation: text };
    case 'cost':
      return {};
    default:
      return { [JSON.parse(key) as string]: JSON.parse(text) as Json };
  }
}
