import { describe, expect, it } from 'vitest';
import { rehearsalProvider } from '../../../src/activities/models/rehearsal.js';
import type { ModelAnswer } from '../../../src/activities/models/protocol/provider.js';
import type { ModelMessage, ToolSpec } from '../../../src/activities/models/protocol/message.js';
import { cleanTasks } from '../../../src/plan/builds/clean-tasks.js';
import { rehearsedTasks } from '../../../src/plan/builds/rehearsed-build.js';
import { planFaults } from '../../../src/plan/builds/task-rules.js';
import { taskRulesOf } from '../../../src/compiler/builds/build-planner.js';

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

describe('an agent in a rehearsal', () => {
  it('writes the file that its task names, once, and says what came of it', async () => {
    const asked: ModelMessage = { role: 'user', text: '# Count\n\n(rehearsal script: count)' };
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
    ['a part that there is not', '(rehearsal script: constructor) (rehearsal script: ../etc)', 'write_file'],
    ['no tool that writes', '(rehearsal script: count)', 'read_file'],
    ['another task', 'Write src/counter.mjs.', 'write_file'],
  ])('calls nothing with %s', async (_, text, name) => {
    const { stop, text: said } = await answer([{ role: 'user', text }], [tool(name)]);
    expect([stop, said]).toEqual(['end', expect.stringContaining('This is a rehearsal: no model was asked')]);
  });
});
