// @module-tag git
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';

const ROOT = resolve(import.meta.dirname, '../..');
const shipped = (folder: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(join(ROOT, 'definitions', folder)).map((name) => [
      `definitions/${folder}/${name}`,
      readFileSync(join(ROOT, 'definitions', folder, name), 'utf8'),
    ]),
  );

let project: Project;
let endpoint: ModelEndpoint;
const asked = (words: string) => endpoint.requests.filter(({ system, prompt }) => `${system}${prompt}`.includes(words));

beforeAll(async () => {
  endpoint = await startModelEndpoint(
    (request) => {
      const said = request.system + request.prompt;
      if (said.includes('sentiment of a text')) return { text: 'negative' };
      if (said.includes('message of a git commit'))
        return { text: '```\nAdd a greeting.\n\nPeople asked for one.\n```' };
      if (said.includes('one short sentence')) return { text: 'A long sentence about Ada.' };
      return said.includes('at most twenty words') ? { text: 'Ada.\n' } : { status: 400, message: said };
    },
    { ollamaModels: ['llama3.1:8b'] },
  );
  project = await openProject(
    { ...shipped('chains'), ...shipped('scripts') },
    { OLLAMA_HOST: endpoint.url, ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

describe('the shipped chain', () => {
  it('sentiment-and-word-count has a model judge, Python count and node write', async () => {
    expect(await project.run('run', 'sentiment-and-word-count', 'It was a very bad day')).toMatchObject({
      code: 0,
      stdout: 'negative, 6 words, 1 min to read\n',
    });
    expect(asked('sentiment of a text')[0]?.system).toContain('The text:\nIt was a very bad day');
  });

  it('commit-message shows the model what is staged, and puts its answer in form', async () => {
    const git = (...args: string[]): Buffer =>
      execFileSync('git', ['-C', project.folder, '-c', 'user.name=Ana', '-c', 'user.email=ana@example.org', ...args]);
    git('init', '-q');
    writeFileSync(join(project.folder, 'greeting.txt'), 'Hello!\n');
    git('add', 'greeting.txt');
    expect(await project.run('run', 'commit-message', 'people asked')).toMatchObject({
      code: 0,
      stdout: 'Add a greeting\n\nPeople asked for one.\n',
    });
    expect(asked('message of a git commit')[0]).toMatchObject({
      protocol: 'anthropic',
      system: '',
      prompt: expect.stringContaining('+Hello!') as string,
    });
  });

  it('gist overwrites its first sentence with a shorter one', async () => {
    expect(await project.run('run', 'gist', 'Ada wrote a programme, and so on.')).toMatchObject({
      code: 0,
      stdout: 'Ada.\n',
    });
    expect(asked('at most twenty words')[0]?.system).toContain('A long sentence about Ada.');
  });

  it('is run by a test, each', () => {
    const test = readFileSync(import.meta.filename, 'utf8');
    expect(
      Object.keys(shipped('chains')).filter((file) => !test.includes(`'run', '${file.replace(/.*\/|\.\w+$/g, '')}'`)),
    ).toEqual([]);
  });
});
