// @seconds 25
// @module-tag sandbox
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunOutcome } from '../../../src/plan/result.js';
import type { Answer } from '../../fakes/model-endpoint.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { talking } from '../helpers/conversing.js';
import type { Harness } from '../helpers/harness.js';
import { openHarness } from '../helpers/harness.js';

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness({ ANTHROPIC_API_KEY: 'test-key' });
});
afterAll(async () => {
  await harness.close();
});

const read = (id?: unknown, name = 'read_file') => ({
  name,
  input: { path: 'a.txt' },
  ...(id === undefined ? {} : { id }),
});
const write = { name: 'write_file', input: { path: 'b.txt', content: 'made' } };
/** What an agent says, and what its results hold. */
type Odd = { answer: Answer; told: RegExp[] };

const ODD: Record<string, Odd> = {
  'no id': { answer: { tools: [read(null), read(null)] }, told: [/first/, /first/] },
  'an empty id': { answer: { tools: [read('')] }, told: [/first/] },
  'an id that is a number': { answer: { tools: [read(7)] }, told: [/first/] },
  'an id with other characters': { answer: { tools: [read('functions.read_file:0')] }, told: [/first/] },
  'a very long id': { answer: { tools: [read('x'.repeat(300))] }, told: [/first/] },
  'one id for two calls': { answer: { tools: [read('same'), read('same', 'fly')] }, told: [/first/, /no tool `fly`/] },
  'a name that no tool may have': {
    answer: { tools: [read(undefined, 'functions.read file')] },
    told: [/no tool `functions\.read file`/],
  },
  'an empty name': { answer: { tools: [read(undefined, '')] }, told: [/no tool ``/] },
  'a very long name': { answer: { tools: [read(undefined, 'x'.repeat(400))] }, told: [/no tool `x/] },
  'arguments that are a list': { answer: { tools: [{ name: 'read_file', input: ['a.txt'] }] }, told: [/object/] },
  'arguments that are a text': {
    answer: { tools: [{ name: 'read_file', input: 'a.txt' }] },
    told: [/Expected the arguments to be an object, got `\\?"a\.txt\\?"`/],
  },
  'arguments that are null': { answer: { tools: [{ name: 'read_file', input: null }] }, told: [/object|do not fit/] },
  'a number beyond all numbers': {
    answer: { tools: [{ name: 'read_file', input: null, raw: '{"path": "a.txt", "offset": 1e999}' }] },
    told: [/an object without numbers as large/],
  },
  'arguments a hundred thousand lists deep': {
    answer: { tools: [{ name: 'read_file', input: null, raw: `${'['.repeat(100_000)}${']'.repeat(100_000)}` }] },
    told: [/an object without more than 500 levels/],
  },
  'a field a hundred thousand lists deep': {
    answer: {
      tools: [{ name: 'read_file', input: null, raw: `{"path": ${'['.repeat(100_000)}${']'.repeat(100_000)}}` }],
    },
    told: [/an object without more than 500 levels/],
  },
  'a field named __proto__': {
    answer: { tools: [{ name: 'read_file', input: null, raw: '{"path": "a.txt", "__proto__": {"x": 1}}' }] },
    told: [/do not fit|first/],
  },
  'a call that is cut': {
    answer: {
      tools: [read(), { name: 'write_file', input: null, raw: '{"path": "b.txt", "content": "mad' }],
      stop: 'max_tokens',
    },
    told: [/first/, /reached its limit of tokens/],
  },
  'a call that is cut and looks whole': {
    answer: { tools: [{ name: 'list_files', input: {} }], stop: 'max_tokens' },
    told: [/reached its limit of tokens/],
  },
  'nothing but blanks before a call': { answer: { text: '\n\n', tools: [read()] }, told: [/first/] },
  'an end that is none, with a call': {
    answer: { text: 'I look.', tools: [read()], stop: 'end_turn' },
    told: [/first/],
  },
  'an end that nobody knows, with a call': {
    answer: { text: 'I look.', tools: [read()], stop: 'something_new' },
    told: [/first/],
  },
};

async function converse(provider: 'anthropic' | 'openai', answers: Answer[]) {
  const endpoint = await startModelEndpoint(answers);
  const workspace = join(harness.folder, `workspace-${endpoint.url.split(':').at(-1) ?? ''}`);
  await mkdir(workspace);
  await writeFile(join(workspace, 'a.txt'), 'first\n');
  const base_url = provider === 'openai' ? `${endpoint.url}/v1` : endpoint.url;
  const settings = { workspace, models: { '': { provider, model: 'tiny', base_url, price: null } } };
  const handle = await harness.start(talking(), { settings });
  const outcome = await handle.result().catch((error: unknown) => error);
  return { outcome: outcome as RunOutcome, requests: endpoint.requests, workspace, close: () => endpoint.close() };
}

describe.each(['anthropic', 'openai'] as const)('an agent of %s', (provider) => {
  it.each(Object.keys(ODD))('goes on after %s, and hears what came of it', async (name) => {
    const { answer, told } = ODD[name] as Odd; // a key of it
    const { outcome, requests, close } = await converse(provider, [answer, answer, { text: 'done' }]);
    // Of OpenAI's, each result is a message of its own.
    const heard = requests.map(({ results }) => [results.count, results.last.at(-1)?.text]);
    await close();
    const last = expect.stringMatching(told.at(-1) ?? '') as string;
    expect(heard).toEqual([
      [0, undefined],
      [told.length, last],
      [told.length * 2, last],
    ]);
    expect(outcome.status).toBe('success');
  });

  it('does what it was told to, whatever it says of its end', async () => {
    const answer: Answer = { text: 'I write it.', tools: [write], stop: 'end_turn' };
    const { workspace, close } = await converse(provider, [answer, { text: 'done' }]);
    await close();
    expect(await readFile(join(workspace, 'b.txt'), 'utf8')).toBe('made');
  });
});
