// @seconds 10
import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';

const COUNTER = 'import sys\nprint(len(sys.argv[1].split()))\n';
const step = (number: number, inputs: string[], output: Record<string, string>, command: string[]) => ({
  step: number,
  inputs,
  outputs: output,
  command,
});

/** The example of a chain, with its backslashes as they stand there. */
const seedExample = (baseUrl: string): object => ({
  models: [
    { name: 'sentiment-llama', provider: 'ollama', model: 'llama3.1:8b', baseUrl, params: { temperature: 0.0 } },
  ],
  steps: [
    {
      step: 1,
      inputs: ['userRequest'],
      outputs: { sentiment: 'string' },
      modelRef: 'sentiment-llama',
      systemPrompt: 'You are a sentiment analyzer. Answer only with [positive,neutral,negative].\\n\\n{{userRequest}}',
    },
    step(2, ['userRequest'], { wordCount: 'number' }, ['python3', 'wordcounter.py', '{{userRequest}}']),
    step(3, ['sentiment', 'wordCount'], { line: 'string' }, [
      'node',
      '-p',
      'process.argv[1] + "/" + process.argv[2]',
      '{{sentiment}}',
      '{{wordCount}}',
    ]),
  ],
});

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(
    (request) => ({ text: request.system.includes('sentiment') ? ' positive\n' : 'about forty' }),
    { ollamaModels: ['llama3.1:8b'] },
  );
  const chain = (steps: object[]): string =>
    JSON.stringify({ models: [{ name: 'm', provider: 'ollama', model: 'llama3.1:8b', baseUrl: endpoint.url }], steps });
  project = await openProject({
    'wordcounter.py': COUNTER,
    'chain.json': JSON.stringify(seedExample(endpoint.url)),
    'number.json': chain([
      {
        step: 1,
        inputs: ['userRequest'],
        outputs: { n: 'number' },
        modelRef: 'm',
        systemPrompt: 'Count: {{userRequest}}',
      },
    ]),
    'fails.json': chain([
      step(1, ['userRequest'], { a: 'string' }, ['sh', '-c', 'echo no such luck >&2; exit 3']),
      step(2, ['a'], { b: 'string' }, ['echo', '{{a}}']),
    ]),
    'overwrite.yml':
      'steps:\n- {step: 3, inputs: [x], outputs: {x: string}, command: [printf, "%s!", "{{x}}"]}\n- {step: 1, ' +
      'inputs: [userRequest], outputs: {x: number}, command: [printf, " 11.0 "]}\n- {step: 2, inputs: [x], ' +
      'outputs: {x: number}, command: [node, -p, "{{x}} + 1"]}\n',
    'sub/where.json': chain([step(1, ['userRequest'], { at: 'string' }, ['pwd'])]),
    'uses.yml':
      'steps:\n  - id: judged\n    workflow: ./chain.json\n    inputs: {userRequest: "two words"}\noutput: "got ' +
      '${steps.judged.output}"\n',
  });
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

describe('perdure run chain.json', () => {
  it(
    'runs the documented example: a model at its address with its parameters, python3 and node; the last value ' +
      'alone is printed',
    { tags: ['python3'] },
    async () => {
      const { code, stdout, stderr } = await project.run('run', 'chain.json', 'I love "this" $HOME; rm -rf /');
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'positive/7\n' });
      expect(stderr).toContain('typed-escape');
      expect(endpoint.requests.at(-1)?.body).toMatchObject({
        model: 'llama3.1:8b',
        options: { temperature: 0 },
        messages: [
          {
            role: 'system',
            content:
              'You are a sentiment analyzer. Answer only with [positive,neutral,negative].\\n\\nI love "this" ' +
              '$HOME; rm -rf /',
          },
        ],
      });
    },
  );

  it('needs a request', async () => {
    const missing = await project.run('run', 'chain.json');
    expect(missing.code).toBe(2);
    expect(missing.stderr).toContain('`userRequest`');
  });

  it('gives numbers to later steps as numbers are written, and the latest value of a name', async () => {
    expect(await project.run('run', 'overwrite.yml', 'x')).toMatchObject({ code: 0, stdout: '12!\n' });
  });

  it('fails where a model answers with no number, in the documented words', async () => {
    const { code, stdout } = await project.run('run', 'number.json', 'these', '--json');
    const result = JSON.parse(stdout) as RunResult;
    expect(code).toBe(1);
    expect(result).toMatchObject({
      status: 'error',
      steps: [{ status: 'error', agent: 'm', attempts: 1, error: "cannot convert output to number: 'about forty'" }],
    });
  });

  it('fails where a command fails, and starts nothing after it', async () => {
    const { code, stdout } = await project.run('run', 'fails.json', 'x', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      status: 'error',
      steps: [{ status: 'error', error: 'exit 3: no such luck' }, { status: 'skipped' }],
    });
  });

  it('says before anything runs that Ollama does not have the model', async () => {
    const other = await openProject({
      'c.json': JSON.stringify({
        steps: [
          {
            step: 1,
            inputs: ['userRequest'],
            outputs: { a: 'string' },
            model: { provider: 'ollama', model: 'gone', baseUrl: endpoint.url },
            systemPrompt: 'x',
          },
        ],
      }),
    });
    const { code, stderr } = await other.run('run', 'c.json', 'x');
    expect({ code, text: stderr }).toEqual({
      code: 3,
      text: expect.stringContaining(`Ollama at ${endpoint.url} does not have the model \`gone\``) as string,
    });
    await other.close();
  });

  it('is used by a workflow with its `userRequest`', { tags: ['python3'] }, async () => {
    expect(await project.run('run', 'uses.yml')).toMatchObject({ code: 0, stdout: 'got positive/2\n' });
  });

  it("runs its commands in the caller's folder", async () => {
    const { code, stdout } = await project.runIn('sub', 'run', 'where.json', 'x');
    expect({ code, stdout: realpathSync(stdout.trim()) }).toEqual({
      code: 0,
      stdout: realpathSync(join(project.folder, 'sub')),
    });
  });
});
