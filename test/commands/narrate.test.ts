// @seconds 35
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { NarrationLine } from '../../src/plan/narration/record.js';
import { SILENCE_MS } from '../../src/plan/narration/pacing.js';
import type { RunResult } from '../../src/plan/result.js';
import { openStore } from '../../src/store/local-store.js';
import type { Store } from '../../src/store/store.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

let project: Project;
let endpoint: ModelEndpoint;
let store: Store;
/** What the narrator answers, and what the agent waits for. */
let narrator: (request: RecordedRequest) => Answer;
let teacher: (request: RecordedRequest) => Answer;
let working: () => Promise<unknown>;
const said = (message: string, mood = 'excited'): Answer => ({ text: JSON.stringify({ mood, message }) });
const NO_LESSON = { text: JSON.stringify({ concept: null, headline: '', explanation: '', tell_me_more: '' }) };

beforeAll(async () => {
  endpoint = await startModelEndpoint((request) => {
    if (request.system.includes('You are the narrator')) return narrator(request);
    if (request.system.includes('You are the teacher')) return teacher(request);
    return { text: 'one\n', until: working().then(() => undefined), rest: 'two three' };
  });
  project = await openProject(
    {
      'count.yml': 'name: count\nsteps:\n  - id: count\n    agent: general-purpose\n    prompt: Count.\n',
      'two.yml': [
        'name: two',
        'steps:',
        ...['one', 'two'].map((id) => `  - {id: ${id}, agent: general-purpose, prompt: Count.}`),
      ].join('\n'),
      'told.yml': 'name: told\nnarrate: true\nsteps:\n  - id: count\n    agent: general-purpose\n    prompt: Count.\n',
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  store = await openStore(join(project.folder, '.perdure'));
});
beforeEach(() => {
  narrator = () => said('The counting begins!');
  teacher = () => NO_LESSON;
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const messages = async (run: string): Promise<(NarrationLine & { kind: 'message' })[]> =>
  (await store.readNarration(run)).filter((line) => line.kind === 'message');
const anyMessage = (run: string) => () => until(async () => (await messages(run)).length > 0);
const askedOf = (who: string): RecordedRequest[] =>
  endpoint.requests.filter(({ system }) => system.includes(`You are the ${who}`));

/** That nothing was asked twice; who takes long is told of more. */
function expectEachOnce(requests: RecordedRequest[]): void {
  const prompts = requests.map(({ prompt }) => prompt);
  expect(prompts.length).toBeGreaterThan(0);
  expect(new Set(prompts).size).toBe(prompts.length);
}

async function narrated(run: string, ...args: string[]): Promise<{ result: RunResult; stderr: string }> {
  const { stdout, stderr } = await project.run('run', ...args, '--id', run, '--json');
  return { result: JSON.parse(stdout) as RunResult, stderr };
}

it('a narrator tells of a run on its own account, in the terminal and in the result', async () => {
  working = anyMessage('told');
  narrator = () => said('Count \u001b[31mwith\nme!');
  const { result, stderr } = await narrated('told', 'told.yml');
  expect(result).toMatchObject({ status: 'success', output: 'one\ntwo three' });
  expect(result.narration?.messages).toEqual([
    expect.objectContaining({ task: 'count', mood: 'excited', text: 'Count \u001b[31mwith\nme!', from: 'model' }),
  ]);
  expect(stderr).toContain('~ narrator, excited: Count \\u{1b}[31mwith me!');
  const { spend } = result.narration!;
  expect([result.spend.steps, spend.narrator.steps]).toEqual([1, askedOf('narrator').length]);
  expect(spend.narrator.usd).toBeGreaterThan(0);
  const [request] = askedOf('narrator');
  expect(request?.model).toBe('claude-haiku-5-5');
  expect(request?.system).toContain('The audience is people of ages 8 to 14.');
  expect(request?.prompt).toContain('"task": "count"');
  const shown = await project.run('show', 'told');
  expect(shown.stdout).toMatch(/~ narrator, excited: Count[^]*Beside the run: narrator \d+ call/);
});

it.each<[string, string, Answer]>([
  ['does not answer in time', 'hangs', { hang: true }],
  ['is told to wait', 'limited', { status: 429, message: 'slowly', headers: { 'retry-after': '3600' } }],
  ['has a mood that there is none of', 'gloomy', said('Oh no.', 'gloomy')],
])('a narrator whose model %s tells a template, and the run is the same', async (_what, run, answer) => {
  working = anyMessage(run);
  narrator = () => answer;
  const { result } = await narrated(run, 'count.yml', '--narrate');
  expect(result).toMatchObject({ status: 'success', output: 'one\ntwo three', spend: { steps: 1 } });
  const told = result.narration?.messages ?? [];
  expect(told[0]).toMatchObject({ task: 'count', mood: 'excited' });
  expect(new Set(told.map(({ from }) => from))).toEqual(new Set(['template']));
});

it('watching ends with the run while a narrator thinks, and no message comes after the end', async () => {
  // On a busy machine the run may end later than the narrator has time to think: then a template was told before.
  for (let round = 1, isCut = false; !isCut; round += 1) {
    const before = askedOf('narrator').length;
    let thinking: RecordedRequest | undefined;
    narrator = (request) => {
      thinking = request;
      return { hang: true };
    };
    working = () => until(() => thinking !== undefined);
    const { result, stderr } = await narrated(`over-${round}`, 'count.yml', '--narrate');
    await thinking?.abandoned;
    const { messages: told, spend } = result.narration!;
    expect(spend.narrator.steps).toBe(askedOf('narrator').length - before);
    expect(told.filter(({ at }) => at > result.ended_at!)).toEqual([]);
    isCut = told.length === 0;
    expect(stderr.includes('narrator,')).toBe(!isCut);
  }
});

it('two who watch are told the same, and it is asked once', async () => {
  let release: () => void = () => undefined;
  working = () => new Promise<void>((resolve) => (release = resolve));
  const before = askedOf('narrator').length;
  const started = await project.run('run', 'count.yml', '--id', 'twice', '--detach', '--narrate');
  expect(started.stderr).toContain('`perdure watch twice --narrate`');
  const watching = [[], ['--json']].map((more) => project.start('watch', 'twice', '--narrate', ...more));
  let texts = ['', ''];
  for (const [index, { process }] of watching.entries())
    process.stderr?.on('data', (chunk: Buffer) => (texts = texts.with(index, texts[index] + chunk.toString())));
  await until(() => texts.every((text) => text.includes('excited: The counting begins!')));
  release();
  const [, { stdout } = { stdout: '' }] = await Promise.all(watching.map(({ finished }) => finished));
  const kinds = (JSON.parse(stdout) as { kind: string }[]).map(({ kind }) => kind);
  expect([kinds.includes('message'), kinds.at(-1)]).toEqual([true, 'run-ended']);
  expectEachOnce(askedOf('narrator').slice(before));
});

it('who watches on tells of the run when the one that told of it is killed, and asks nothing again', async () => {
  const before = askedOf('narrator').length;
  narrator = ({ prompt }) => said(`News of ${/"task": "(.*)"/.exec(prompt)?.[1] ?? ''}.`);
  let isKilled = false;
  working = () => until(() => isKilled);
  await project.run('run', 'two.yml', '--id', 'two', '--detach');
  const first = project.start('watch', 'two', '--narrate');
  await until(async () => (await messages('two')).length === 1);
  const second = project.start('watch', 'two', '--narrate');
  let told = '';
  second.process.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  await until(() => told.includes('▸ one'));
  first.process.kill('SIGKILL');
  await first.finished;
  working = () => until(async () => (await messages('two')).length > 1);
  isKilled = true;
  expect(await second.finished).toMatchObject({ code: 0 });
  expect((await messages('two')).map(({ text }) => text)).toEqual(['News of one.', 'News of two.']);
  expect(told).toContain('News of two.');
  expectEachOnce(askedOf('narrator').slice(before));
});

it('what an agent says is told when it has been silent for a while', async () => {
  working = () => until(async () => (await messages('speaks')).length > 1);
  narrator = ({ prompt }) => said(prompt.includes('"what": "output"') ? 'It says one.' : 'It begins.');
  const { result } = await narrated('speaks', 'count.yml', '--narrate');
  const [first, second] = result.narration!.messages;
  expect([first?.text, second?.text]).toEqual(['It begins.', 'It says one.']);
  expect(Date.parse(second!.at) - Date.parse(first!.at)).toBeGreaterThanOrEqual(15_000);
  expect(SILENCE_MS).toBeLessThan(15_000);
});

it.each([
  ['where a definition does not say so', 'quiet', ['count.yml']],
  ['with --no-narrate', 'silent', ['told.yml', '--no-narrate']],
])('nobody tells of a run %s', async (_what, run, args) => {
  working = async () => undefined;
  expect((await narrated(run, ...args)).result.narration).toBeUndefined();
});

it('a rehearsal is narrated without a model', async () => {
  const before = endpoint.requests.length;
  const { result } = await narrated('rehearsed', 'told.yml', '--rehearse');
  expect(result.narration?.spend.narrator.steps ?? 0).toBe(0);
  expect(endpoint.requests.length).toBe(before);
});
