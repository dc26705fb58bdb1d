import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelOptions } from '../activities/helpers/harness.js';
import { callModel, createBench, failureOf, read } from '../activities/helpers/harness.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { RealOllama } from '../fakes/real-ollama.js';
import { startOllama } from '../fakes/real-ollama.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import { FULL } from '../faults/seed.js';

/** What Ollama 0.17.4 answered with SmolLM2-135M (`startOllama`): status and body, as they came. */
const RECORDED = JSON.parse(readFileSync(new URL('../fakes/ollama-recorded.json', import.meta.url), 'utf8')) as Record<
  'plain' | 'schema' | 'cut' | 'missing' | 'noTools' | 'tags',
  { status: number; body: string }
>;
const WET = {
  type: 'object',
  properties: { wet: { type: 'boolean' } },
  required: ['wet'],
  additionalProperties: false,
};
const SMOL = { provider: 'ollama', model: 'smol' } as const;

/** Asks a model that answers what was recorded. */
async function ask(
  recorded: keyof typeof RECORDED,
  options: ModelOptions = {},
): Promise<{ output: unknown; tokens: number }> {
  const { status, body } = RECORDED[recorded];
  const endpoint = await startModelEndpoint([
    status === 200 ? { raw: body } : { status, message: (JSON.parse(body) as { error: string }).error },
  ]);
  try {
    const bench = await createBench({ credentials: { OLLAMA_HOST: endpoint.url } });
    const { output, spend } = await callModel(bench, { model_choice: SMOL, ...options });
    return { output: await read(bench, output), tokens: spend.tokens };
  } finally {
    await endpoint.close();
  }
}

describe('what a real Ollama has said', () => {
  it('is read piece by piece, with what it took', async () => {
    const { output, tokens } = await ask('plain');
    const [last] = RECORDED.plain.body
      .trim()
      .split('\n')
      .slice(-1)
      .map((line) => JSON.parse(line) as { prompt_eval_count: number; eval_count: number });
    expect(output).toBe(textIn(RECORDED.plain.body));
    expect(tokens).toBe(last!.prompt_eval_count + last!.eval_count);
  });

  it('is no answer where it was cut off', async () => {
    expect(await failureOf(ask('cut'))).toMatchObject({
      message: expect.stringMatching(/cut|limit|num_predict|tokens/) as string,
    });
  });

  it('is JSON where a schema binds it', async () => {
    expect((await ask('schema', { schema: WET })).output).toEqual({ wet: expect.any(Boolean) as boolean });
  });

  it('is told with the command that gets a model which is not there', async () => {
    const failure = await failureOf(ask('missing', { model_choice: { provider: 'ollama', model: 'nope' } }));
    expect(failure).toMatchObject({
      type: 'model-missing',
      nonRetryable: true,
      message: expect.stringContaining(
        'Ollama does not have the model `nope`. Get it with `ollama pull nope`.',
      ) as string,
    });
  });

  it('is told with what to do where a model takes no tools', async () => {
    expect(await failureOf(ask('noTools'))).toMatchObject({
      type: 'model-missing',
      nonRetryable: true,
      message: expect.stringMatching(/^`smol` cannot use tools/) as string,
    });
  });

  it('has the form that the scripted endpoint speaks', async () => {
    const endpoint: ModelEndpoint = await startModelEndpoint([{ text: 'Hello' }]);
    const response = await fetch(`${endpoint.url}/api/chat`, {
      method: 'POST',
      body: JSON.stringify({ model: 'smol', messages: [{ role: 'user', content: 'Say hello.' }] }),
    });
    const spoken = linesOf(await response.text());
    await endpoint.close();
    const real = linesOf(RECORDED.plain.body);
    const keysOf = (line: object | undefined): string[] => Object.keys(line ?? {}).sort();
    expect(keysOf(spoken[0])).toEqual(keysOf(real[0]));
    expect(keysOf(real.at(-1))).toEqual(expect.arrayContaining(keysOf(spoken.at(-1))));
  });
});

interface Line {
  message?: { content: string };
}

function linesOf(body: string): Line[] {
  return body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

function textIn(body: string): string {
  return linesOf(body)
    .map(({ message }) => message?.content ?? '')
    .join('')
    .trim();
}

// Building Ollama takes minutes, once.
describe.each(FULL ? ['with a real Ollama'] : [])('%s', { tags: ['ollama'] }, () => {
  const MODEL = {
    name: 'smol',
    provider: 'ollama',
    model: 'smol',
    params: { temperature: 0, seed: 1, num_ctx: 2048, stop: ['.'] },
  };
  let ollama: RealOllama;
  let project: Project;
  beforeAll(async () => {
    ollama = await startOllama();
    project = await openProject(
      {
        'chain.json': JSON.stringify({
          models: [MODEL],
          steps: [
            {
              step: 1,
              inputs: ['userRequest'],
              outputs: { said: 'string' },
              modelRef: 'smol',
              systemPrompt: 'Say a word about {{ userRequest }}.',
            },
            {
              step: 2,
              inputs: ['said'],
              outputs: { again: 'string' },
              modelRef: 'smol',
              systemPrompt: 'Say it in other words: {{ said }}',
            },
          ],
        }),
        'definitions/agents/judge.yml':
          'name: judge\ndescription: Judges.\nmodel: ollama:smol\ntools: []\nprompt: You answer in JSON.\n',
        'wet.yml': JSON.stringify({
          name: 'wet',
          steps: [{ id: 'ask', agent: 'judge', prompt: 'Is water wet?', schema: WET }],
          output: '${steps.ask.output}',
        }),
        'nope.yml': JSON.stringify({
          name: 'nope',
          steps: [{ agent: 'judge', prompt: 'Is water wet?', model: 'ollama:nope' }],
        }),
      },
      { OLLAMA_HOST: ollama.url },
    );
  }, 1_800_000);
  afterAll(async () => {
    await project.close();
    await ollama.stop();
  });

  it('a chain of two steps says something', { timeout: 600_000 }, async () => {
    const { code, stdout, stderr } = await project.run('run', 'chain.json', 'water', '--json');
    expect(code, stderr).toBe(0);
    const { steps } = JSON.parse(stdout) as { steps: { status: string; output: string }[] };
    expect(steps).toMatchObject([
      { status: 'success', output: expect.stringMatching(/\S/) as string },
      { status: 'success', output: expect.stringMatching(/\S/) as string },
    ]);
  });

  it('an answer that is bound to a schema has its form', { timeout: 600_000 }, async () => {
    const { code, stdout, stderr } = await project.run('run', 'wet.yml');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toEqual({ wet: expect.any(Boolean) as boolean });
  });

  it('a model that is not there is told with how to get it, and doctor with what there is', async () => {
    const { code, stderr } = await project.run('run', 'nope.yml');
    expect({ code, stderr }).toEqual({ code: 3, stderr: expect.stringContaining('ollama pull nope') as string });
    const { findings } = JSON.parse((await project.run('doctor', '--json')).stdout) as { findings: { name: string }[] };
    expect(findings.find(({ name }) => name === 'ollama')).toMatchObject({
      ok: true,
      detail: `answers at ${ollama.url}, with the models smol:latest`,
    });
  });
});
