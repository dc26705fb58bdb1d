// @module-tag sandbox
// @seconds 90
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, projectAt, until } from '../faults/project.js';

/**
 * Words that stand in nothing else, by the field that they are put into. Instructions of agents and long texts are in
 * the store: the server has their hashes alone.
 */
const CANARIES = {
  input: 'canaryvqinput',
  argument: 'canaryvqargument',
  result: 'canaryvqresult',
  quick: 'canaryvqquick',
  prompt: 'qzkwvxyjq',
  answer: 'canaryvqanswer',
  gate: 'canaryvqgate',
  content: 'canaryvqcontent',
  comment: 'canaryvqcomment',
  decider: 'canaryvqdecider',
  question: 'canaryvqquestion',
  reply: 'canaryvqreply',
  nested: 'canaryvqnested',
  item: 'canaryvqitem',
  failure: 'canaryvqfailure',
  submitter: 'canaryvqsubmitter',
  retried: 'canaryvqretried',
} as const;
const C = CANARIES;

const FILES = {
  'every.yml': `name: every
inputs:
  topic: {type: string, required: true}
steps:
  - id: slow
    command: [sh, -c, "printf %s-%s ${C.argument} canaryvqre; printf sult"]
  - id: quick
    command: [printf, "${C.quick} \${topic}"]
    timeout: 5s
    effect: none
  - id: tells
    agent: teller
    prompt: "${C.prompt} \${topic}"
  - id: gate
    approval: {message: "${C.gate}?", content: "${C.content} \${steps.quick.output}"}
  - id: question
    ask: "${C.question}?"
  - id: inner
    workflow: ./inner.yml
    inputs: {word: "${C.nested}"}
  - id: each
    foreach: ["${C.item}1", "${C.item}2"]
    command: [printf, "%s", "\${item}"]
  - id: retried
    command: [sh, -c, "echo ${C.retried} >&2; exit 4"]
    retry: {attempts: 2, backoff: 1s}
    on_error: continue
  - id: fails
    command: [sh, -c, "echo ${C.failure} >&2; exit 3"]
`,
  'definitions/agents/teller.yml': `name: teller\ndescription: Tells.\nprompt: You tell.\n`,
  'inner.yml':
    'name: inner\ninputs:\n  word: {type: string}\nsteps:\n  - id: says\n    command: [printf, "%s", "${word}"]\n' +
    'output: "${steps.says.output}"\n',
};

let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: `So it is: ${C.answer}.` }));
});
afterAll(() => endpoint.close());

const model = (): Record<string, string> => ({ ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url });
const newKey = (): string => randomBytes(32).toString('base64');
const ENCRYPTED = 'encryption:\n  keys: ["${env.KEY_ONE}"]\n';

/** Runs what has a canary in every field, to its failure, and stops the host. */
async function runAll(project: Project): Promise<void> {
  const said = (finished: { stdout: string; stderr: string }): string => `${finished.stdout}${finished.stderr}`;
  const submitted = await project.run(
    'run',
    'every.yml',
    '-i',
    `topic=${C.input}`,
    '--id',
    'all',
    '--detach',
    '--as',
    C.submitter,
  );
  expect(submitted.code, said(submitted)).toBe(0);
  const waits = (what: string): Promise<unknown> =>
    until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes(what));
  await waits('all/gate');
  const approved = await project.run('approve', 'all/gate', '--comment', C.comment, '--as', C.decider);
  expect(approved.code, said(approved)).toBe(0);
  await waits('all/question');
  await project.run('pause', 'all');
  await project.run('resume', 'all');
  const answered = await project.run('answer', 'all/question', C.reply);
  expect(answered.code, said(answered)).toBe(0);
  const ended = await project.run('watch', 'all');
  expect(ended.code, said(ended)).toBe(1);
  // Viewers read it all, live and from the history.
  const shown = await project.run('show', 'all', '--json');
  for (const word of [C.failure, C.answer, C.nested, C.comment, C.reply]) expect(shown.stdout).toContain(word);
  await project.run('server', 'stop');
}

/** All bytes of what a server that others run would have: its database, and its log and the worker's. */
function bytesOfServer({ folder }: Project): Map<string, Buffer> {
  const state = join(folder, '.perdure');
  const files = [
    ...readdirSync(state).filter((name) => name.startsWith('temporal.db')),
    ...readdirSync(join(state, 'logs'))
      .filter((name) => name.endsWith('.log'))
      .map((name) => join('logs', name)),
  ];
  return new Map(files.map((name) => [name, readFileSync(join(state, name))]));
}

/** A word as it may stand in bytes: plain, in two bytes a character, in base64 at each of the three places. */
function formsOf(word: string): Buffer[] {
  const base64 = [0, 1, 2].map((place) =>
    Buffer.from(`${'x'.repeat(place)}${word}`)
      .toString('base64')
      // What is beside the word is in the characters at the ends.
      .slice(place === 0 ? 0 : place + 1, -4),
  );
  return [Buffer.from(word), Buffer.from(word, 'utf16le'), ...base64.map((text) => Buffer.from(text))];
}

/** Fields whose canary is in any of these bytes, and in which file. */
function foundIn(files: Map<string, Buffer>): string[] {
  return Object.entries(CANARIES).flatMap(([field, word]) =>
    [...files].some(([, bytes]) => formsOf(word).some((form) => bytes.includes(form))) ? [field] : [],
  );
}

describe('a server whose database others can read', () => {
  it('has every canary where nothing is encrypted', async () => {
    const project = await openProject(FILES, model());
    try {
      await runAll(project);
      expect(foundIn(bytesOfServer(project))).toEqual(Object.keys(CANARIES));
    } finally {
      await project.close();
    }
  });

  it('has none of them where payloads are encrypted', async () => {
    const project = await openProject({ ...FILES, 'perdure.yml': ENCRYPTED }, { ...model(), KEY_ONE: newKey() });
    try {
      await runAll(project);
      const files = bytesOfServer(project);
      expect([...files.values()].reduce((sum, bytes) => sum + bytes.length, 0)).toBeGreaterThan(100_000);
      expect(foundIn(files)).toEqual([]);
    } finally {
      await project.close();
    }
  });
});

describe('keys that are missing or others', () => {
  const GATE = 'name: waits\nsteps:\n  - id: gate\n    approval: Go on?\n';
  const exits = async (project: Project, ...args: string[]): Promise<[number | null, string]> => {
    const { code, stderr } = await project.run(...args);
    return [code, stderr];
  };

  it('end commands with an exit code of their own, and a run waits unharmed until they are there', async () => {
    const [one, two] = [newKey(), newKey()];
    const files = { 'waits.yml': GATE, 'perdure.yml': ENCRYPTED };
    const first = await openProject(files, { KEY_ONE: one });
    const withKeys = (env: Record<string, string>): Project => projectAt(first.folder, env);
    try {
      expect(await exits(withKeys({}), 'run', 'waits.yml')).toEqual([5, expect.stringContaining('`KEY_ONE`')]);
      expect((await first.run('run', 'waits.yml', '--id', 'open', '--detach')).code).toBe(0);
      await until(async () => (await first.run('list', '--waiting', '--json')).stdout.includes('open/gate'));
      await first.run('server', 'stop');

      const other = withKeys({ KEY_ONE: two });
      expect(await exits(other, 'server', 'start')).toEqual([
        5,
        expect.stringContaining('The open run `open` is encrypted'),
      ]);
      writeFileSync(join(first.folder, 'perdure.yml'), '{}\n');
      expect(await exits(first, 'server', 'start')).toEqual([
        5,
        expect.stringMatching(/`open` is encrypted .* has none/),
      ]);

      writeFileSync(join(first.folder, 'perdure.yml'), 'encryption:\n  keys: ["${env.KEY_TWO}", "${env.KEY_ONE}"]\n');
      const both = withKeys({ KEY_ONE: one, KEY_TWO: two });
      expect((await both.run('approve', 'open/gate')).code).toBe(0);
      expect((await both.run('watch', 'open')).code).toBe(0);
      expect((await both.run('run', 'waits.yml', '--id', 'later', '--yes')).code).toBe(0);
      await both.run('server', 'stop');
      writeFileSync(join(first.folder, 'perdure.yml'), 'encryption:\n  keys: ["${env.KEY_TWO}"]\n');
      const { code, stdout } = await withKeys({ KEY_TWO: two }).run('show', 'later', '--json');
      expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ status: 'success' })]);
    } finally {
      await first.close();
    }
  });
});
