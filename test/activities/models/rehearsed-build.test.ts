import { describe, expect, it } from 'vitest';
import { rehearsalProvider } from '../../../src/activities/models/rehearsal.js';
import type { ModelAnswer } from '../../../src/activities/models/protocol/provider.js';
import type { ModelMessage, ToolSpec } from '../../../src/activities/models/protocol/message.js';
import { cleanTasks } from '../../../src/plan/builds/clean-tasks.js';
import { rehearsedFile, rehearsedTasks } from '../../../src/plan/builds/rehearsed-build.js';
import { planFaults } from '../../../src/plan/builds/task-rules.js';
import { completeSpec, taskRulesOf } from '../../../src/compiler/builds/build-planner.js';
import type { AuthoredBuild } from '../../../src/compiler/formats/build/build.js';

const member = (role: 'builder' | 'tester' | 'reviewer' | 'custom') => ({ name: `the ${role}`, role });
const tool = (name: string): ToolSpec => ({ name, description: '', input_schema: {} });

function answer(messages: ModelMessage[], tools: ToolSpec[]): Promise<ModelAnswer> {
  return rehearsalProvider.call(
    { model: 'opus', system: '', messages, schema: null, tools },
    {
      signal: new AbortController().signal,
      credentials: {},
      baseUrl: null,
      onText: () => undefined,
      rehearsal: { path: 'build/task-2', text: null, recorded: null },
    },
  );
}

describe('the stand-in for planned tasks', () => {
  it.each([
    ['a builder alone', [member('builder')]],
    ['somebody of another kind', [member('custom')]],
    ['a builder and a tester', [member('tester'), member('builder')]],
    ['a builder and a reviewer', [member('reviewer'), member('builder')]],
    ['all of them', [member('reviewer'), member('tester'), member('custom'), member('builder')]],
  ])('satisfies the rules of a team of %s, with tests and reviews and without', (_, agents) => {
    for (const [tests, reviews] of [
      [true, true],
      [true, false],
      [false, true],
      [false, false],
    ]) {
      const workflow = { testing_enabled: tests, review_enabled: reviews };
      const rules = taskRulesOf({ goal: 'A clock.', agents, workflow, requirements: [{ description: 'It ticks.' }] });
      expect(planFaults(cleanTasks(rehearsedTasks(rules), rules), rules)).toEqual([]);
      const others = { ...rules, commands: null };
      expect(planFaults(cleanTasks(rehearsedTasks(others), others), others)).toEqual([]);
    }
  });
});

describe('the script of a rehearsal', () => {
  const files = (agents: object[], devices: object[] = []): (string | undefined)[] => {
    const authored = { goal: 'A lamp.', type: 'hardware', agents, devices } as AuthoredBuild; // as a spec says it
    const { tasks } = rehearsedTasks(taskRulesOf(authored), completeSpec(authored));
    return (tasks as { description: string }[]).map(({ description }) => rehearsedFile(description)?.path);
  };
  const builder = { name: 'Bo', role: 'builder' };
  const tester = { name: 'Tess', role: 'tester' };

  it.each<[string, object, object, string[]]>([
    ['the usual folders', {}, {}, ['src/index.html', 'src/counter.mjs', 'tests/counter.test.mjs']],
    [
      'the folders that agents may write',
      { allowed_paths: ['lamp/'] },
      { allowed_paths: ['lamp/tests'] },
      ['lamp/index.html', 'lamp/counter.mjs', 'lamp/tests/counter.test.mjs'],
    ],
    [
      'one that is served, of several',
      { allowed_paths: ['package.json', 'lib/', 'public/'] },
      {},
      ['public/index.html', 'public/counter.mjs', 'tests/counter.test.mjs'],
    ],
    [
      'none that they must not',
      { restricted_paths: ['src/'] },
      { restricted_paths: ['tests'] },
      ['rehearsal/index.html', 'rehearsal/counter.mjs', 'rehearsal/counter.test.mjs'],
    ],
    [
      'the usual ones where nothing else may be written',
      { allowed_paths: [] },
      { allowed_paths: ['my notes/'] },
      ['src/index.html', 'src/counter.mjs', 'tests/counter.test.mjs'],
    ],
  ])('is written to %s', (_, built, tested, expected) => {
    const found = files([
      { ...builder, ...built },
      { ...tester, ...tested },
    ]);
    expect(found).toEqual(expected);
  });

  it('has the sketch of a board that is compiled from one', () => {
    const devices = [
      { name: 'lamp', sources: ['lamp/lamp.ino', 'lamp/more.h'] },
      { name: 'bell', compile: ['make'] },
    ];
    expect(files([builder, tester], devices)).toEqual([
      'src/index.html',
      'src/counter.mjs',
      'lamp/lamp.ino',
      'tests/counter.test.mjs',
    ]);
  });

  it('tests what was written, from wherever the test lies', () => {
    const said = 'Write `a/b/c.test.mjs`, a test of `lamp/counter.mjs`. (rehearsal script: test)';
    expect(rehearsedFile(said)?.content).toContain("import { next } from '../../lamp/counter.mjs';");
  });
});

describe('an agent in a rehearsal', () => {
  it('writes the file that its task names, once, and says what came of it', async () => {
    const asked: ModelMessage = { role: 'user', text: '# Count\n\nWrite `src/counter.mjs`. (rehearsal script: count)' };
    const first = await answer([asked], [tool('write_file')]);
    expect(first).toMatchObject({
      stop: 'tools',
      blocks: [{ kind: 'call', name: 'write_file', input: { path: 'src/counter.mjs' } }],
    });
    const result = {
      kind: 'result',
      id: 'rehearsal',
      name: 'write_file',
      text: 'It is protected.',
      is_error: true,
    } as const;
    const said = await answer(
      [asked, { role: 'assistant', blocks: first.blocks ?? [] }, { role: 'user', blocks: [result] }],
      [tool('write_file')],
    );
    expect(said.text).toBe(
      'This is a rehearsal: no model was asked. `src/counter.mjs` was not written: It is protected.',
    );
  });

  it.each([
    ['a part that there is not', 'Write `src/a.mjs`. (rehearsal script: constructor)', 'write_file'],
    ['a file outside of the project', 'Write `../a.mjs`. (rehearsal script: count)', 'write_file'],
    ['a test of such a file', "Write `a.mjs`, a test of `x'; a`. (rehearsal script: test)", 'write_file'],
    ['no tool that writes', 'Write `src/counter.mjs`. (rehearsal script: count)', 'read_file'],
    ['another task', 'Write src/counter.mjs.', 'write_file'],
  ])('calls nothing with %s', async (_, text, name) => {
    const { stop, text: said } = await answer([{ role: 'user', text }], [tool(name)]);
    expect([stop, said]).toEqual(['end', expect.stringContaining('This is a rehearsal: no model was asked')]);
  });
});
