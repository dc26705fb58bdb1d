import type { JsonObject } from '../values/json.js';
import { buildsThings } from './build-spec.js';
import type { TaskRules } from './task-rules.js';

/** One file that a rehearsal of a build writes. */
export interface RehearsedFile {
  path: string;
  content: string;
}

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Counter (rehearsal)</title>
<p>A rehearsal built this page: no model was asked.</p>
<button id="count" type="button">0</button>
<script type="module">
  import { next } from './counter.mjs';
  const button = document.querySelector('#count');
  button.addEventListener('click', () => {
    button.textContent = String(next(Number(button.textContent)));
  });
</script>
</html>
`;
const COUNT = `/** A rehearsal wrote this: no model was asked. */
export const next = (count) => count + 1;
`;
const TEST = `import assert from 'node:assert';
import { test } from 'node:test';
import { next } from '../src/counter.mjs';

test('a click adds one', () => assert.equal(next(1), 2));
test('the first click gives one', () => assert.equal(next(0), 1));
`;

/** What the agents of a rehearsed build write, by the name of their part of the script. */
const SCRIPT: Record<string, RehearsedFile> = {
  page: { path: 'src/index.html', content: PAGE },
  count: { path: 'src/counter.mjs', content: COUNT },
  test: { path: 'tests/counter.test.mjs', content: TEST },
};

/**
 * The file that an agent of a rehearsed build is to write by its task; null for other prompts. A prompt names a part of
 * the script, and cannot say what is in it.
 */
export function rehearsedFile(prompt: string): RehearsedFile | null {
  const part = /\(rehearsal script: (\w+)\)/.exec(prompt)?.[1] ?? '';
  return Object.hasOwn(SCRIPT, part) ? (SCRIPT[part] ?? null) : null;
}

/**
 * Tasks that satisfy their rules, in the place of a planner's answer: those of a build make a small page that counts
 * clicks, whatever its spec says; others are stand-ins.
 */
export function rehearsedTasks({ team, tested, reviewed, commands }: TaskRules): JsonObject {
  const nameOf = (fits: (role: string) => boolean): string | undefined => team.find(({ role }) => fits(role))?.name;
  const builder = nameOf(buildsThings) ?? team[0]?.name ?? '';
  const tester = nameOf((role) => role === 'tester');
  const reviewer = nameOf((role) => role === 'reviewer');
  const parts = [
    { name: 'set a page up', part: 'page', agent: builder },
    { name: 'count clicks', part: 'count', agent: builder },
    ...(tested || commands !== null ? [{ name: 'test it', part: 'test', agent: tester ?? builder }] : []),
    ...(reviewed ? [{ name: 'look at it', part: null, agent: reviewer ?? builder }] : []),
  ];
  const isBuild = commands !== null;
  const tasks = parts.map(({ name, part, agent }, index) => ({
    id: `task-${index + 1}`,
    name: `Rehearsal: ${isBuild ? name : `part ${index + 1}`}`,
    description:
      isBuild && part !== null
        ? `Write \`${SCRIPT[part]?.path ?? ''}\`. (rehearsal script: ${part})`
        : 'Nothing is done: no model is asked.',
    acceptance_criteria: ['It is there.'],
    dependencies: index === 0 ? [] : [`task-${index}`],
    agent_name: agent,
    complexity: 'simple',
  }));
  return {
    tasks,
    plan_explanation: isBuild
      ? 'This is a rehearsal: a small page that counts clicks is built in place of what the spec says.'
      : 'This is a rehearsal: no model was asked.',
    ...(isBuild
      ? { test_command: ['node', '--test', SCRIPT['test']?.path ?? ''], page: SCRIPT['page']?.path ?? '' }
      : {}),
  };
}
