// @module-tag git
// @seconds 40
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, RecordedRequest } from '../fakes/model-endpoint.js';
import { TASKS, task } from './planned-tasks.js';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

describe('release-notes', () => {
  it('shows the writer the commits and files after a revision, and none before it', async () => {
    const { result } = await project.run('release-notes', ['-i', 'from=v1'], {
      'You write release notes': () => ({ text: '## Added\n- Subtraction' }),
    });
    expect(result).toMatchObject({ status: 'success', output: '## Added\n- Subtraction' });
    const [{ prompt } = { prompt: '' }] = project.asked('You write release notes');
    expect(prompt).toMatch(/[0-9a-f]{7,} Mend addition\n/);
    expect(prompt).toContain(' subtractor.js | 2 ++');
    expect(prompt).not.toContain('Begin\n');
  });

  it('takes a revision that looks like an option for a revision', async () => {
    const { result } = await project.run('release-notes', ['-i', 'from=--output=stolen']);
    expect(result.status).toBe('error');
    expect(readdirSync(project.folder)).not.toContain('stolen..HEAD');
    expect(project.asked('')).toEqual([]);
  });
});

describe('hand-over', () => {
  it('tells the second agent what the first said and which files there are, and keeps it in a file', async () => {
    let calls = 0;
    const { result } = await project.run('hand-over', ['-i', 'change=Add a divider.'], {
      '': () => ({ text: (calls += 1) === 1 ? 'One file more.' : 'adder.js stays.' }),
    });
    expect(result).toMatchObject({ status: 'success', output: 'adder.js stays.' });
    const [, { prompt } = { prompt: '' }] = project.asked('');
    expect(prompt).toContain('<task name="think">\nOne file more.\n</task>');
    expect(prompt).toContain('- adder.js: export const add');
    expect(readFileSync(join(project.folder, '.context', 'hand-over.md'), 'utf8')).toContain(
      '## think\n\nThe plan\n\nOne file more.',
    );
  });
});

describe('until-green', () => {
  it('ends when the tests pass, or as soon as a round has changed nothing', async () => {
    const before = readFileSync(join(project.folder, 'adder.js'), 'utf8');
    const source = (sign: string): string => `export const add = (a, b) => a ${sign} b;\n`;
    writeFileSync(join(project.folder, 'adder.js'), source('-'));
    writeFileSync(
      join(project.folder, 'adder.test.mjs'),
      "import { test } from 'node:test';\nimport assert from 'node:assert';\nimport { add } from './adder.js';\n" +
        "test('adds', () => assert.equal(add(1, 2), 3));\n",
    );
    const vain = await project.run('until-green', [], { '': () => ({ text: 'It is fine.' }) });
    expect(vain.result, vain.told).toMatchObject({
      status: 'success',
      output: { ok: false, why: '1 of 1 tests failed. Nothing was changed.' },
    });
    expect(project.asked('')).toHaveLength(1);
    const { result } = await project.run('until-green', [], {
      '': ({ results }) =>
        results.count > 0
          ? { text: 'Mended.' }
          : { tools: [{ name: 'write_file', input: { path: 'adder.js', content: source('+') } }] },
    });
    expect(result.output).toMatchObject({ ok: true, passed: 1 });
    writeFileSync(join(project.folder, 'adder.js'), before);
    rmSync(join(project.folder, 'adder.test.mjs'));
  });
});

describe('explain-file', () => {
  it('shows the file with line numbers, its history and the question', async () => {
    const { result } = await project.run('explain-file', ['-i', 'file=adder.js', '-i', 'question=Why a plus?'], {
      'You explain a source file': () => ({ text: 'It adds.' }),
    });
    expect(result).toMatchObject({ status: 'success', output: 'It adds.' });
    const [{ prompt } = { prompt: '' }] = project.asked('You explain');
    expect(prompt).toMatch(/^Why a plus\?/);
    expect(prompt).toContain('1\texport const add = (a, b) => a + b;');
    expect(prompt).toMatch(/Mend addition\n.*Begin/);
  });

  it('stops before it asks a model when the file is not there', async () => {
    const { result } = await project.run('explain-file', ['-i', 'file=nowhere.js']);
    expect(result.status).toBe('error');
    expect(result.error).toContain('nowhere.js');
    expect(project.asked('')).toEqual([]);
  });
});

describe('changelog-check', () => {
  it('gives what is missing as JSON, and asks again when the answer is none', async () => {
    const answers = [
      'All is well!',
      JSON.stringify({ complete: false, missing: [{ commit: 'abc1234', entry: 'Addition adds' }] }),
    ];
    let asked = 0;
    const { result } = await project.run('changelog-check', ['-i', 'since=v1'], {
      'You compare a change log': () => ({ text: answers[asked++] ?? '' }),
    });
    expect(result).toMatchObject({
      status: 'success',
      output: { complete: false, missing: [{ commit: 'abc1234', entry: 'Addition adds' }] },
    });
    const [first, second] = project.asked('You compare a change log');
    expect(first?.prompt).toContain('## next\n- Subtraction');
    expect(first?.prompt).toContain('Mend addition');
    expect(second?.messages.map(({ text }) => text).join('\n')).toContain('All is well!');
  });
});

it('open-work counts the words of what it finds, and none where nothing is found, without any model', async () => {
  const none = await project.run('open-work', ['-i', 'folder=definitions/tools']);
  expect(none.result).toMatchObject({ status: 'success', output: { notes: '[no line matches]', words: '0' } });
  mkdirSync(join(project.folder, 'fence'));
  writeFileSync(join(project.folder, 'fence', 'plan.md'), '# Fence\nTODO: paint it\n');
  const one = await project.run('open-work', ['-i', 'folder=fence']);
  expect(one.result).toMatchObject({
    status: 'success',
    output: { notes: 'fence/plan.md:2: TODO: paint it', words: '4' },
  });
  expect(project.asked('')).toEqual([]);
});

describe('plan-and-do', () => {
  const answer = (all: object[]) => ({ text: JSON.stringify({ tasks: all, plan_explanation: 'In order.' }) });
  const TEAM = {
    'You implement': ({ prompt }: RecordedRequest) => ({ text: `Did ${/^# Do (.+)$/m.exec(prompt)?.[1] ?? ''}.` }),
    'You do the task': () => ({ text: 'It passes.' }),
    'You review code': () => ({ text: 'Well done.' }),
  };

  it('plans tasks by the rules, says all that is wrong with a plan, and runs what was approved', async () => {
    const answers = [[...TASKS.slice(0, 2), { ...TASKS[3], dependencies: [] }], TASKS];
    const { result } = await project.run('plan-and-do', ['-i', 'wish=Add a divider.'], {
      'You plan work': () => answer(answers.shift() ?? []),
      ...TEAM,
    });
    expect(result).toMatchObject({
      status: 'success',
      output: { begin: 'Did begin.', add: 'Did add.', test: 'It passes.', look: 'Well done.' },
    });
    const [first, second] = project.asked('You plan work');
    expect(first?.prompt).toMatch(/fulfil this wish: Add a divider\.[^]*`code-reviewer` \(reviewer\)/);
    const faults = second?.messages.at(-1)?.text ?? '';
    expect(faults).toContain('no task is for a tester');
    expect(faults).toContain('`begin`, `look` depend on nothing');
    expect(faults).toContain('depends on no task that builds something');
    const [{ prompt } = { prompt: '' }] = project.asked('You review code');
    expect(prompt).toMatch(/^# Do look\n\nAs wished\.\n\nIt is done when:\n- It is there\.[^]*It passes\./);
  });

  it('asks three times in all, and carries nothing out of a plan that is none', async () => {
    const { result } = await project.run('plan-and-do', ['-i', 'wish=Add a divider.'], {
      'You plan work': () => answer([task('begin', 'code-reviewer', ['begin'])]),
      ...TEAM,
    });
    expect(result.status).toBe('error');
    expect(result.error).toContain('task `begin` depends on itself');
    expect(project.asked('')).toHaveLength(3);
  });

  it('shows who does what before it is approved, and carries out nothing that was rejected', async () => {
    const { code, told, result } = await project.run('plan-and-do', ['-i', 'wish=Add a divider.', '--no-wait'], {
      'You plan work': () => answer(TASKS),
    });
    expect(code).toBe(4);
    const shown = told === '' ? '' : (await project.perdure('show', result.run)).stdout;
    expect(shown).toMatch(/3\. Do test\n.* id {9}test\n.* agent {6}general-purpose \(tester\)\n.* after {6}add\n/);
    expect(shown).toMatch(/cost {7}about \$0\.\d+ to \$0\.\d+ a turn/);
    await project.perdure('cancel', result.run);
    expect(project.asked('You implement')).toEqual([]);
  });
});

describe('check-and-tell', () => {
  it('asks when both checks have ended, however they did, and hands on what was said', async () => {
    const { code, result } = await project.run('check-and-tell', ['-i', 'since=nowhere', '--no-wait']);
    expect(code).toBe(4);
    expect(result).toMatchObject({ steps: [{ status: 'error' }, { status: 'error' }, {}, {}] });
    await project.perdure('approve', result.run, '--comment', 'Mind the gap.');
    const shown = await project.perdure('watch', result.run, '--json');
    expect(shown.code).toBe(1);
    const { stdout } = await project.perdure('show', result.run, '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'partial', output: 'Mind the gap.' });
    expect(project.asked('')).toEqual([]);
  });

  it('says that nothing was said', async () => {
    const { result } = await project.run('check-and-tell', []);
    expect(result).toMatchObject({ status: 'success', output: 'Nothing was said.' });
  });
});

describe('the shipped projects', () => {
  it('meeting-notes shows its agent the transcript that is attached, as data', async () => {
    const { result } = await project.run('../projects/meeting-notes/project.json', [], {
      'You write the minutes': () => ({ text: '## Decisions' }),
    });
    expect(result).toMatchObject({ status: 'success', output: '## Decisions' });
    const [{ prompt } = { prompt: '' }] = project.asked('You write the minutes');
    expect(prompt).toContain('Write the minutes of the attached meeting.');
    expect(prompt).toContain('Chris: I can, but I do not know yet');
  });

  it('question-desk has a reader look into the code, once a person allows it, and a writer write', async () => {
    const { result } = await project.run('../projects/question-desk/project.json', ['How is added?'], {
      'You answer questions about a code base': ({ results: { count } }) =>
        count === 0
          ? { tools: [{ name: 'code_reader', input: { input: 'How is added?' } }] }
          : count === 1
            ? { tools: [{ name: 'writer', input: { input: 'It adds (adder.js:1).' } }] }
            : { text: 'It adds, see adder.js:1.' },
      'You read code': ({ results: { count } }) =>
        count === 0 ? { tools: [{ name: 'read_file', input: { path: 'adder.js' } }] } : { text: 'adder.js:1 adds.' },
      'You write answers': () => ({ text: 'It adds.' }),
    });
    expect(result).toMatchObject({ status: 'success', output: 'It adds, see adder.js:1.' });
    expect(project.asked('You read code').at(-1)?.results.last[0]?.text).toContain('a + b');
    expect(project.asked('You write answers').map(({ prompt }) => prompt)).toEqual([
      expect.stringContaining('It adds (adder.js:1).'),
    ]);
  });
});

it('outline has an agent ask itself, as deep as its manifest says', async () => {
  const { result } = await project.run('../projects/outline/project.json', ['A guide'], {
    'You outline one subject': ({ prompt, results: { count, last } }) =>
      count === 0
        ? { tools: [{ name: 'outliner', input: { input: `${prompt.slice(-7)}+` } }] }
        : { text: `(${last.map(({ text }) => text.replace(/<[^>]*>/g, '').trim()).join()})` },
  });
  expect(result.output).toBe('(((`outliner` was not called: agents may call each other 3 levels deep.)))');
  const asked = project.asked('You outline one subject').filter(({ results: { count } }) => count === 0);
  expect(asked).toHaveLength(3);
});

it('a project calls its agents as deep as its manifest says, and no deeper', async () => {
  const folder = join(project.folder, 'definitions', 'projects', 'deep');
  mkdirSync(folder);
  writeFileSync(
    join(folder, 'project.json'),
    JSON.stringify({
      version: 1,
      runtime: { max_depth: 2 },
      entry: { agent: 'first', args: { input: 'Go.' } },
      agent_files: ['first.agent', 'second.agent', 'third.agent'],
    }),
  );
  for (const [name, next] of [
    ['first', 'second'],
    ['second', 'third'],
    ['third', null],
  ] as const)
    writeFileSync(
      join(folder, `${name}.agent`),
      `---\nname: ${name}\n${next === null ? '' : `toolsets: [${next}]\n`}---\nYou are the ${name} one.\n`,
    );
  const passOn =
    (name: string) =>
    ({ results }: RecordedRequest): Answer =>
      results.count === 0 ? { tools: [{ name, input: { input: 'Go.' } }] } : { text: results.last[0]?.text ?? '' };
  const { result } = await project.run('../projects/deep/project.json', [], {
    'You are the first one': passOn('second'),
    'You are the second one': passOn('third'),
  });
  expect(result).toMatchObject({ status: 'success' });
  expect(result.output).toContain('agents may call each other 2 levels deep');
  expect(project.asked('You are the third one')).toEqual([]);
});

it('the built-in agents that only people name play with their own prompts, one after the other', async () => {
  writeFileSync(
    join(project.folder, 'definitions', 'flows', 'design-it.flow'),
    'Explore:"Where is adding?":where -> Plan:"Plan a faster one: {where}":plan -> ' +
      'implementation-architect:"Design it: {plan}"',
  );
  const { result } = await project.run('../flows/design-it.flow', [], {
    'You explore code': () => ({ text: 'adder.js:1' }),
    'You plan work': ({ prompt }) => ({ text: `1. Change ${prompt.includes('adder.js:1')}` }),
    'You design the implementation': ({ prompt }) => ({ text: `Designed: ${prompt.includes('1. Change true')}` }),
  });
  expect(result).toMatchObject({ status: 'success', output: 'Designed: true' });
});

it('json-keys lists keys by Python', async () => {
  writeFileSync(
    join(project.folder, 'definitions', 'workflows', 'keys.yml'),
    'steps:\n  - tool: json-keys\n    inputs: {document: {b: 1, a: {c: 2}}}\n',
  );
  expect((await project.run('keys', [])).result).toMatchObject({ status: 'success', output: ['a', 'b'] });
});

it('leaves no shipped definition without a test', () => {
  const tests = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'))
    .join('\n');
  const shipped = ['workflows', 'flows', 'chains', 'builds', 'projects', 'tools'].flatMap((folder) =>
    readdirSync(join(project.folder, 'definitions', folder)).map((name) => name.replace(/\.\w+$/, '')),
  );
  // Run by `review-repository`, `run-restaurant` and `open-work`; what the tests above wrote; what asks GitHub itself;
  // what is run with a board, by `test/devices`.
  const ELSEWHERE = [
    'write-report',
    'accounting',
    'purchasing',
    'cleaning',
    'word-count',
    'keys',
    'design-it',
    'deep',
    'github-issue',
    'esp-counter',
  ];
  expect(shipped.filter((name) => !ELSEWHERE.includes(name) && !new RegExp(`[/'"]${name}['"/. ]`).test(tests))).toEqual(
    [],
  );
});

describe('topic-notes', () => {
  it('commits each note on a branch of its own, tells what a commit is, and brings them home when asked', async () => {
    const { result } = await project.run('topic-notes', ['-i', 'topics=["bees", "wasps"]', '-i', 'words=50'], {
      'You write a review report': ({ prompt }) => ({ text: prompt.includes('bees') ? '# Bees' : '# Wasps' }),
    });
    expect(result).toMatchObject({ status: 'success', branch: `perdure/${result.run}` });
    expect(project.asked('You write a review report')[0]?.prompt).toContain('at most 50 words');
    expect(result.narration?.lessons.map(({ concept }) => concept)).toEqual(['source-control']);
    expect(readdirSync(project.folder)).not.toContain('notes');
    const shown = await project.perdure('workspace', 'show', result.run);
    expect(shown.stdout).toBe('A  notes/0.md  +1\nA  notes/1.md  +1\n');
    expect(shown.stderr.match(/ {2}writer: a note$/gm)).toHaveLength(2);
    expect((await project.perdure('workspace', 'apply', result.run)).code).toBe(0);
    expect(readFileSync(join(project.folder, 'notes/1.md'), 'utf8')).toBe('# Wasps');
  });
});

describe('unwatched-notes', () => {
  it('sends what an agent lets pass where nobody is asked, and asks no agent where a person is', async () => {
    const critic = (answer: unknown) => ({ '': () => ({ text: JSON.stringify(answer) }) });
    const notes = ['-i', 'notes=All is well.'];
    const sent = await project.run(
      'unwatched-notes',
      [...notes, '--unattended'],
      critic({ holds: true, reason: 'fine' }),
    );
    expect(sent.result).toMatchObject({ status: 'success', output: 'All is well.' });
    const kept = await project.run(
      'unwatched-notes',
      [...notes, '--unattended'],
      critic({ holds: false, reason: 'no' }),
    );
    expect(kept.result).toMatchObject({ status: 'error' });
    const asked = await project.run('unwatched-notes', notes);
    expect(asked.result).toMatchObject({ status: 'success', output: 'All is well.' });
    expect(project.asked('')).toEqual([]);
  });
});
