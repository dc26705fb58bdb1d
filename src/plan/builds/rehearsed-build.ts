import type { Json, JsonObject } from '../values/json.js';
import { isEverything, pathOf } from './agent-paths.js';
import type { Member } from './build-spec.js';
import { buildsThings, teamOf } from './build-spec.js';
import { targetDevices } from './deployment.js';
import { SITE_FOLDERS } from './site.js';
import type { TaskRules } from './task-rules.js';
import { ownOf } from '../values/own.js';

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
const SKETCH = `// A rehearsal wrote this: no model was asked.
void setup() {
  Serial.begin(9600);
}

void loop() {
  Serial.println(F("rehearsal"));
  delay(1000);
}
`;
const testOf = (counter: string): string => `import assert from 'node:assert';
import { test } from 'node:test';
import { next } from '${counter}';

test('a click adds one', () => assert.equal(next(1), 2));
test('the first click gives one', () => assert.equal(next(0), 1));
`;

/** Where the parts of a script are written, where a spec says nothing of it. */
const USUAL = { builder: 'src/', tester: 'tests/' };
/** Where an agent writes that may write everywhere but there. */
const OTHER = 'rehearsal/';
const COUNTER = 'counter.mjs';

/** What the agents of a rehearsed build write, by the name of their part of the script; a test knows what it tests. */
const SCRIPT: Record<string, (path: string, tested: string) => string> = {
  page: () => PAGE,
  count: () => COUNT,
  sketch: () => SKETCH,
  test: (path, tested) => testOf(relativeTo(path, tested)),
};

/** Paths that a prompt may name, and that stand in what is written: from the project's folder, of plain signs. */
const PLAIN = /^(?!.*\.\.)[A-Za-z0-9_][\w./-]*$/;
const PART = /Write `([^`\n]+)`(?:, a test of `([^`\n]+)`)?\. \(rehearsal script: (\w+)\)/;

/**
 * The file that an agent of a rehearsed build is to write by its task; null for other prompts. A prompt names a part of
 * the script and where it is written, and cannot say what is in it.
 */
export function rehearsedFile(prompt: string): RehearsedFile | null {
  const [, path = '', tested = USUAL.builder + COUNTER, part = ''] = PART.exec(prompt) ?? [];
  const content = ownOf(SCRIPT, part);
  if (content === undefined || !PLAIN.test(path) || !PLAIN.test(tested)) return null;
  return { path, content: content(path, tested) };
}

/** A file as a module names it that lies elsewhere in the project. */
function relativeTo(path: string, other: string): string {
  return `${'../'.repeat(path.split('/').length - 1) || './'}${other}`;
}

/** A task of the script. */
interface Part {
  name: string;
  does: string | null;
  agent: string;
}

/**
 * Tasks that satisfy their rules, in the place of a planner's answer: those of a build make a small page that counts
 * clicks, whatever its spec says, and a sketch for its boards that are compiled from one; others are stand-ins. Each
 * writes where the spec lets its agent write.
 */
export function rehearsedTasks({ team, tested, reviewed, commands }: TaskRules, spec: Json = null): JsonObject {
  const nameOf = (fits: (role: string) => boolean): string | undefined => team.find(({ role }) => fits(role))?.name;
  const builder = nameOf(buildsThings) ?? team[0]?.name ?? '';
  const tester = nameOf((role) => role === 'tester') ?? builder;
  const reviewer = nameOf((role) => role === 'reviewer') ?? builder;
  const isBuild = commands !== null;
  const places = placesIn(spec, { builder, tester });
  const parts: Part[] = [
    { name: 'set a page up', does: writes('page', places.page), agent: builder },
    { name: 'count clicks', does: writes('count', places.counter), agent: builder },
    ...(isBuild ? places.sketches : []).map((path) => ({
      name: `write ${path}`,
      does: writes('sketch', path),
      agent: builder,
    })),
    ...(tested || isBuild
      ? [{ name: 'test it', does: writes('test', places.test, places.counter), agent: tester }]
      : []),
    ...(reviewed ? [{ name: 'look at it', does: null, agent: reviewer }] : []),
  ];
  const tasks = parts.map(({ name, does, agent }, index) => ({
    id: `task-${index + 1}`,
    name: `Rehearsal: ${isBuild ? name : `part ${index + 1}`}`,
    description: (isBuild ? does : null) ?? 'Nothing is done: no model is asked.',
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
    ...(isBuild ? { test_command: ['node', '--test', places.test], page: places.page } : {}),
  };
}

/** What `rehearsedFile` reads. */
function writes(part: string, path: string, tested?: string): string {
  return `Write \`${path}\`${tested === undefined ? '' : `, a test of \`${tested}\``}. (rehearsal script: ${part})`;
}

/** Boards that a rehearsal writes a sketch for at most, so that its tasks stay few. */
const MOST_SKETCHES = 5;

interface Places {
  page: string;
  counter: string;
  test: string;
  sketches: string[];
}

function placesIn(spec: Json, who: { builder: string; tester: string }): Places {
  const team = teamOf(spec);
  const folderOf = (name: string, usual: string): string =>
    folderFor(
      team.find((member) => member.name === name),
      usual,
    );
  const built = folderOf(who.builder, USUAL.builder);
  const sources = targetDevices(spec).flatMap(({ sources, compile, fault }) =>
    compile === null && fault === null ? sources : [],
  );
  const sketches = sources.filter((path) => path.endsWith('.ino') && PLAIN.test(path));
  return {
    page: `${built}index.html`,
    counter: built + COUNTER,
    test: `${folderOf(who.tester, USUAL.tester)}counter.test.mjs`,
    sketches: [...new Set(sketches)].slice(0, MOST_SKETCHES),
  };
}

/**
 * A folder in which an agent may write: the usual one, else one that is served as a page, else the first; the usual one
 * too where there is none, and then nothing is written.
 */
function folderFor(member: Member | undefined, usual: string): string {
  const { allowed_paths: allowed, restricted_paths: restricted = [] } = member ?? {};
  const closed = restricted.map(pathOf);
  const folders = allowed === undefined || allowed.some(isEverything) ? [usual, OTHER] : allowed.map(pathOf);
  const open = folders.filter(
    (path) => path.endsWith('/') && PLAIN.test(path) && !closed.some((one) => path.startsWith(one)),
  );
  const isServed = (path: string): boolean => SITE_FOLDERS.some((served) => path === `${served}/`);
  return open.find((path) => path === usual) ?? open.find(isServed) ?? open[0] ?? usual;
}
