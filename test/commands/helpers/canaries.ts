import { expect } from 'vitest';
import type { Project } from '../../faults/project.js';
import { until } from '../../faults/project.js';

/**
 * Words that stand in nothing else, by the field that they are put into. Instructions of agents and long texts are in
 * the store: the server has their hashes alone.
 */
export const CANARIES = {
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

export const FILES = {
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

/** Runs what has a canary in every field, to its failure, and stops the host. */
export async function runAll(project: Project): Promise<void> {
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
export function foundIn(files: Map<string, Buffer>): string[] {
  return Object.entries(CANARIES).flatMap(([field, word]) =>
    [...files].some(([, bytes]) => formsOf(word).some((form) => bytes.includes(form))) ? [field] : [],
  );
}
