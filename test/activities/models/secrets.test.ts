import { describe, expect, it, onTestFinished } from 'vitest';
import { join } from 'node:path';
import { readdir, readFile } from 'node:fs/promises';
import type { ModelChoice } from '../../../src/plan/agents/model-choice.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import { callModel, createBench, failureOf } from '../helpers/harness.js';

const KEY = 'sk-canary-0123';
const OPENAI: ModelChoice = { provider: 'openai', model: 'gpt-4.1' };
const ANTHROPIC: ModelChoice = { provider: 'anthropic', model: 'claude-sonnet-5-5' };
const OLLAMA: ModelChoice = { provider: 'ollama', model: 'qwen3' };

describe('what a failed call of a model tells (I13)', () => {
  it.each([
    [OPENAI, 'OPENAI_BASE_URL', 'http://ana:canary-77@127.0.0.1:1/v1'],
    [OPENAI, 'OPENAI_BASE_URL', 'ana:canary-77@127.0.0.1:1/v1'],
    [OPENAI, 'OPENAI_BASE_URL', 'http://ana:canary-77/x@127.0.0.1:1/v1'],
    [ANTHROPIC, 'ANTHROPIC_BASE_URL', 'http://ana:canary-77@127.0.0.1:1'],
    [OLLAMA, 'OLLAMA_HOST', 'ana:canary-77@127.0.0.1:1'],
  ])('names the address of %j without its user and password (%s=%s)', async (model_choice, variable, address) => {
    const bench = await createBench({ credentials: { ANTHROPIC_API_KEY: KEY, [variable]: address } });
    const { message } = await failureOf(callModel(bench, { model_choice }));
    expect(message).toContain('127.0.0.1:1');
    expect(message).not.toMatch(/canary|ana/);
  });

  it.each([
    [OPENAI, 'OPENAI'],
    [ANTHROPIC, 'ANTHROPIC'],
  ])('has nothing of a key that is no header: %j', async (model_choice, provider) => {
    const credentials = {
      [`${provider}_API_KEY`]: `${KEY}\nand more\n`,
      [`${provider}_BASE_URL`]: 'http://127.0.0.1:1',
    };
    const { message } = await failureOf(callModel(await createBench({ credentials }), { model_choice }));
    expect(message).not.toMatch(/canary|and more/);
  });

  it('has no key that was repeated with a wish to wait, nor has the file of that pause', async () => {
    const endpoint = await startModelEndpoint([
      { status: 429, message: `too many for ${KEY}`, headers: { 'retry-after': '60' } },
    ]);
    onTestFinished(() => endpoint.close());
    const bench = await createBench({
      credentials: { OPENAI_API_KEY: KEY, OPENAI_BASE_URL: `${endpoint.url}/v1` },
    });
    expect((await failureOf(callModel(bench, { model_choice: OPENAI }))).message).toContain('too many for …');
    const folder = join(bench.folder, '.perdure', 'providers');
    const [file = ''] = await readdir(folder);
    expect(await readFile(join(folder, file), 'utf8')).toContain('too many for …');
  });
});
