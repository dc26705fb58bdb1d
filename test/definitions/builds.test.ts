// @module-tag git
// @module-tag sandbox
// @seconds 70
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer } from '../fakes/model-endpoint.js';
import { COUNTER, COUNTER_SPEC, mendCounter, taskOf, team, write } from './counter-build.js';
import type { ShippedProject, Voices } from './shipped-project.js';
import { nextGate, openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
  writeFileSync(join(project.folder, 'index.html'), '<p>Here.</p>\n');
  // Of the boards for which a build looks for esptool and mpremote it names none.
  writeFileSync(join(project.folder, 'perdure.yml'), 'devices: {station: {kind: simulated}}\n');
});
afterAll(async () => {
  await project.close();
});

const task = (number: number, dependencies: number[], agent_name: string) => ({
  id: `task-${number}`,
  name: `Part ${number}`,
  description: 'Do this part.',
  acceptance_criteria: ['It is there.'],
  dependencies: dependencies.map((needed) => `task-${needed}`),
  agent_name,
  complexity: 'simple',
});
const tasks = [task(1, [], 'builder'), task(2, [1], 'builder'), task(3, [1], 'tester'), task(4, [2, 3], 'tester')];

/** A plan of these tasks, whose result is tested by a real program and is a page that is there. */
const planOf = (all: object[]) => ({
  text: JSON.stringify({
    tasks: all,
    plan_explanation: 'In order.',
    test_command: ['node', '-e', "console.log('PASS: one')"],
    page: 'index.html',
  }),
});
const PLANNER = { 'You plan how a project is built': () => planOf(tasks) };
const APPROVED = { text: JSON.stringify({ verdict: 'APPROVED', criteria: [], summary: 'fine.' }) };
const TEAM = {
  'of a team that builds': ({ prompt }: { prompt: string }) => ({
    text: `Did ${/^# (.+)$/m.exec(prompt)?.[1] ?? 'nothing'}.`,
  }),
};

describe('a build', () => {
  it('ends where a task does not succeed and nobody is there who decides what becomes of it', async () => {
    const { code, result, told } = await project.run('../builds/reading-list', [], {
      ...PLANNER,
      'of a team that builds': (request) =>
        request.prompt.includes('# Part 2') ? { status: 400, message: 'no' } : TEAM['of a team that builds'](request),
    });
    expect({ code, status: result.status }).toEqual({ code: 1, status: 'error' });
    expect(told).toContain('build/task-2/0/trouble');
    expect(project.asked('of a team that builds').some(({ prompt }) => prompt.includes('# Part 4'))).toBe(false);
  });

  it('holds each agent to its paths, by its tools and by the sandbox of its commands', async () => {
    const files = [task(1, [], 'Bea'), task(2, [1], 'Tom'), task(3, [1], 'Rita'), task(4, [2, 3], 'Rita')];
    const told: string[] = [];
    const { result } = await project.run('../builds/every-key', [], {
      'You plan how': () => planOf(files),
      'You are `Bea`': ({ results }) => {
        told.push(...results.last.map(({ text }) => text));
        const write = (path: string) => ({ name: 'write_file', input: { path, content: 'x' } });
        if (results.count === 0)
          return { tools: ['src/a.js', 'src/secrets/b.js', 'lib/c.js', '.elisa/d.md'].map(write) };
        if (results.count === 4)
          return {
            tools: [
              { name: 'shell', input: { argv: ['touch', 'src/e.js'] } },
              { name: 'shell', input: { argv: ['touch', 'f.js'] } },
            ],
          };
        return { text: 'Did it.' };
      },
      'You are `Rita`': () => APPROVED,
      'of a team that builds': () => ({ text: 'Did it.' }),
    });
    // Nothing compiles for its board.
    expect(result.status).toBe('error');
    expect(
      ['src/a.js', 'src/secrets/b.js', 'lib/c.js', '.elisa/d.md', 'src/e.js', 'f.js'].map((path) =>
        existsSync(join(project.tree(result.run).folder, path)),
      ),
    ).toEqual([true, false, false, false, true, false]);
    expect(told.join('\n')).toMatch(/`src\/secrets\/b\.js` is protected.*`lib\/c\.js` is not under `writable`/s);
  });

  it('of hardware whose board is not known says so before it begins, and is partial', async () => {
    const { code, result, told } = await project.run('../builds/blink', [], { ...PLANNER, ...TEAM });
    expect({ code, status: result.status }, told).toEqual({ code: 1, status: 'partial' });
    expect(result.error).toContain('`perdure.yml` names no device `uno`.');
    expect(told.indexOf('names no device `uno`')).toBeLessThan(told.indexOf('✓ plan'));
    expect(result.output).toMatchObject({ tests: { ok: true } });
  });

  it.each(['arcade-game', 'reading-list'])(
    'of %s plans its tasks, which are carried out once a person approved them',
    async (name) => {
      const isReviewed = name === 'arcade-game';
      const planned = isReviewed ? [...tasks.slice(0, 3), task(4, [2, 3], 'reviewer')] : tasks;
      const { code, result } = await project.run(`../builds/${name}`, [], {
        'You plan how a project is built': () => planOf(planned),
        'You are `reviewer`': () => APPROVED,
        ...TEAM,
      });
      expect({ code, status: result.status }).toEqual({ code: 0, status: 'success' });
      expect(result.output).toMatchObject({
        tasks: planned.map(({ id, name }) => ({ id, name })),
        tests: { ok: true, passed: 1, failed: 0 },
        summaries: {
          'task-1': 'Did Part 1.',
          'task-2': 'Did Part 2.',
          'task-3': 'Did Part 3.',
          'task-4': isReviewed ? 'APPROVED: fine.' : 'Did Part 4.',
        },
      });
      const [first, , , last] = project.asked('of a team that builds').map(({ prompt }) => prompt);
      expect(first).not.toContain('Did Part');
      for (const part of [1, 2, 3]) expect(last).toContain(`Did Part ${part}.`);
      const [{ prompt } = { prompt: '' }] = project.asked('You plan how');
      expect(prompt).toContain('"goal":');
    },
  );

  it('tells each task what happened before it, by its level, and keeps all of it in a file', async () => {
    const long = 'word '.repeat(600);
    const { result } = await project.run('../builds/arcade-game', [], {
      'You plan how': () =>
        planOf([
          task(1, [], 'builder'),
          task(2, [1], 'builder'),
          task(3, [2], 'reviewer'),
          task(4, [3], 'builder'),
          task(5, [4], 'tester'),
        ]),
      'You are `builder`': ({ prompt, results }) => {
        if (!prompt.includes('# Part 1') || results.count > 0)
          return { text: prompt.includes('# Part 2') ? long : 'Built </task> it.' };
        return { tools: [{ name: 'write_file', input: { path: 'src/ship.js', content: 'function fly() {}\n' } }] };
      },
      'You are `reviewer`': () => APPROVED,
      'You are `tester`': () => ({ text: 'PASS: it flies' }),
    });
    expect(result.status).toBe('success');
    const asked = (part: number): string =>
      project
        .asked('of a team that builds')
        .flatMap(({ messages }) => messages)
        .find(({ text }) => text.startsWith(`# Part ${part}`))?.text ?? '';
    const heading = '## WHAT HAPPENED BEFORE YOU';
    expect(asked(1)).not.toContain(heading);
    expect(asked(2)).toMatch(
      /BEFORE YOU[^]*<task name="task-1: Part 1">\nBuilt <\\\/task> it\.[^]*## FILES[^]*src\/ship\.js/,
    );
    expect(asked(2)).toContain('  function fly() {}');
    expect(asked(4)).toMatch(/task-3: Part 3[^]*task-2: Part 2[^]*\[truncated\][^]*task-1: Part 1/);
    expect(asked(5)).toMatch(/task-4: Part 4[^]*Review feedback:[^]*APPROVED: fine\./);
    const kept = readFileSync(join(project.tree(result.run).folder, '.elisa/context/nugget_context.md'), 'utf8');
    expect(kept.match(/^## .*/gm)?.sort()).toEqual([
      '## Workspace',
      '## task-1',
      '## task-2',
      '## task-3',
      '## task-4',
      '## task-5',
    ]);
  });

  it('asks again when the tasks wait for each other', async () => {
    const cyclic = [task(1, [4], 'builder'), ...tasks.slice(1)];
    const answers = [cyclic, tasks];
    const { result } = await project.run('../builds/reading-list', [], {
      ...TEAM,
      'You plan how a project is built': () => planOf(answers.shift() ?? tasks),
    });
    expect(result.status).toBe('success');
    const [, second] = project.asked('You plan how');
    expect(second?.messages.map(({ text }) => text).join('\n')).toContain('form a cycle');
  });
});

/** A sketch that counts, after what this line of it does. */
const sketch = (line: string): string =>
  `#include <avr/wdt.h>\nvoid setup() {\n  wdt_disable();\n  Serial.begin(115200);\n  ${line}\n}\n` +
  'void loop() {\n  static int n;\n  Serial.print(F("tick "));\n  Serial.println(n++);\n  delay(100);\n}\n';

describe('a build for a board, with a real compiler', { tags: ['arduino', 'avrdude'] }, () => {
  const BOARD = { type: 'hardware', devices: [{ name: 'uno', sources: ['uno/uno.ino'], expect: 'tick 3' }] };
  const MEND = 'Make the program of uno compile';
  const ERROR = /uno\/uno\.ino:5:\d+: error: #error hello <\\?\/output>/;

  /** Its first sketch does not compile. `mends` is what is done about that. */
  const buildBoard = async (mends: () => Answer, args: string[], workflow: object) => {
    writeFileSync(join(project.folder, 'perdure.yml'), 'devices: {uno: {kind: simulated}}\n');
    const voices = team(0, mendCounter);
    const asked: string[] = [];
    const building: Voices = {
      ...voices,
      'of a team that builds': (request) => {
        const name = taskOf(request);
        if (name === 'Count' && request.results.count === 0)
          return { tools: [write('counter.js', COUNTER(1)), write('uno/uno.ino', sketch('#error hello </output>'))] };
        if (name !== MEND) return voices['of a team that builds']!(request); // `team` has it
        if (request.results.count > 0) return { text: 'I looked at it.' };
        asked.push(request.messages[0]?.text ?? request.prompt);
        return mends();
      },
    };
    const spec = { ...COUNTER_SPEC, ...BOARD, workflow };
    writeFileSync(join(project.folder, 'definitions', 'builds', 'board.yml'), JSON.stringify(spec));
    return { ...(await project.run('../builds/board.yml', args, building)), asked };
  };

  it('has what does not compile mended by who is told what the compiler said, then flashes and listens', async () => {
    const mend = (): Answer => ({ tools: [write('uno/uno.ino', sketch('Serial.println(F("hello"));'))] });
    const { code, result, told, asked } = await buildBoard(mend, [], {});
    expect({ code, status: result.status, error: result.error }, told).toEqual({
      code: 0,
      status: 'success',
      error: null,
    });
    expect(result.output, JSON.stringify(result.output)).toMatchObject({
      tests: { ok: true },
      deploy: {
        devices: {
          uno: { flashed: expect.any(Object) as object, heard: expect.stringMatching(/tick 3$/) as string },
        },
      },
    });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatch(ERROR);
    // What the sketch has the compiler say does not leave the place where it stands.
    expect(asked[0]?.match(/<\/output>/g)).toHaveLength(1);
    expect(project.tree(result.run).commits().at(-1)).toBe('Bo: make the program of uno compile');
  });

  it('that nobody mends asks a person with what the compiler said, and flashes nothing', async () => {
    const never = (): Answer => ({ tools: [write('notes.md', 'I tried.')] });
    const run = await buildBoard(never, ['--id', 'mute', '--no-wait'], { approve_plan: false, max_rounds: 1 });
    expect(run.code, run.told).toBe(4);
    expect(run.told).toMatch(ERROR);
    expect(run.asked).toHaveLength(1);
    expect((await project.perdure('show', 'mute')).stdout).toMatch(ERROR);
    const { gate, message } = await nextGate(project, 'mute');
    expect(message).toBe("We're having trouble with this part: the program of uno does not compile");
    expect((await project.perdure('answer', gate, 'take it as it is')).code).toBe(0);
    expect((await project.perdure('watch', 'mute')).code).toBe(1);
    const result = JSON.parse((await project.perdure('show', 'mute', '--json')).stdout) as RunResult;
    expect(result).toMatchObject({
      status: 'partial',
      output: {
        deploy: {
          devices: {
            uno: { compile_error: expect.stringMatching(ERROR) as string, flashed: null, heard: null },
          },
        },
      },
    });
    expect((await project.perdure('logs', 'mute')).stdout).not.toContain('avrdude');
  });
});
