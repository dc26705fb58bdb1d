// @seconds 15
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';

const PROJECTS = join(import.meta.dirname, '../../definitions/projects');

let project: Project;
let endpoint: ModelEndpoint;
let answer: (request: RecordedRequest) => Answer;
beforeAll(async () => {
  endpoint = await startModelEndpoint((request) => answer(request));
  project = await openProject(
    {
      ...shipped('pitch-deck-evaluation', ''),
      ...shipped('bootstrapping', 'notes/'),
      'decks/bicycles.txt': 'We sell bicycles.\n',
      'notes/CHANGES.md': '- faster\n',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

/** The files of a shipped project, in a folder. */
function shipped(name: string, folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(join(PROJECTS, name)).map((file) => [
      `${folder}${file}`,
      readFileSync(join(PROJECTS, name, file), 'utf8'),
    ]),
  );
}

const create = (name: string, instructions: string): Answer => ({
  tools: [{ name: 'agent_create', input: { name, instructions, description: 'Does one thing.' } }],
});
/** What was told last, without the containers around it. */
const last = ({ results }: RecordedRequest): string =>
  results.last.map(({ text }) => text.replace(/<\/?glee:context[^>]*>\n?/g, '').trim()).join(' | ');
/** Gives what was shown of it. */
const approve = (id: string): Promise<string> =>
  until(async () => {
    const { code, stderr } = await project.run('approve', id, '--as', 'ana');
    return code === 0 ? stderr : null;
  });
const resultOf = async (...args: string[]): Promise<RunResult> =>
  JSON.parse((await project.run('run', ...args, '--json')).stdout) as RunResult;

describe('pitch-deck-evaluation', () => {
  it(
    'makes its evaluator once it is approved, goes on after a kill -9 before the call, and the next run does not ' +
      'know it',
    async () => {
      const call: Answer = {
        tools: [
          {
            name: 'agent_call',
            input: { agent: 'pitch_evaluator', input: 'Evaluate it.', attachments: ['decks/bicycles.txt'] },
          },
        ],
      };
      let next = false;
      answer = (request) => {
        if (request.system.includes('You judge decks.'))
          return { text: `PASS: ${request.prompt.includes('We sell bicycles.')}` };
        if (next) return request.results.count === 0 ? call : { text: last(request) };
        return [
          { tools: [{ name: 'list_files', input: { pattern: 'decks/*.txt' } }] },
          create('pitch_evaluator', 'You judge decks.'),
          call,
          { tools: [{ name: 'write_file', input: { path: 'evaluations/bicycles.md', content: last(request) } }] },
          { text: 'One deck.' },
        ][request.results.count]!;
      };
      const first = project.start('run', '.', '--id', 'decks', '--json');
      await until(() => endpoint.requests.length === 2);
      expect(existsSync(join(project.folder, 'generated'))).toBe(false);
      // People see lines, not one line with \n in it.
      expect(await approve('decks')).toMatch(/│ content:\n.*│ {3}text: \|\n.*│ {5}name: pitch_evaluator\n/s);
      // The attachment of the call wants its own approval: there the worker dies.
      await until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes('/3.1'));
      expect(await project.read('generated/pitch_evaluator.agent')).toContain('You judge decks.');
      const { host } = await project.pids();
      if (host === null) throw new Error('There is no host to kill.');
      kill(host);
      // Who names the run starts a host again.
      await approve('decks');
      // A project asks before it writes.
      await until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes('/4.1'));
      expect(existsSync(join(project.folder, 'evaluations'))).toBe(false);
      expect(await approve('decks')).toContain('evaluations/bicycles.md');
      const result = await resultOf('.', '--id', 'decks');
      expect(result).toMatchObject({ status: 'success', output: 'One deck.' });
      expect(await project.read('evaluations/bicycles.md')).toBe('PASS: true');
      expect(endpoint.requests).toHaveLength(6);
      expect(readdirSync(join(project.folder, 'generated'))).toEqual(['pitch_evaluator.agent']);
      first.process.kill();
      next = true;
      expect((await resultOf('.', '--id', 'next', '--yes')).output).toContain(
        '`pitch_evaluator` was made in run `decks`, and is known there only.',
      );
    },
  );
});

describe('bootstrapping', () => {
  it('makes a specialist, then a better one, and answers with what that says', async () => {
    answer = (request) => {
      if (request.system.includes('You write'))
        return { text: `${request.system.includes('briefly') ? 'Faster now.' : 'Dear reader, …'}` };
      return [
        create('release_writer', 'You write release notes.'),
        { tools: [{ name: 'release_writer', input: { input: 'Note: faster' } }] },
        create('release_writer_2', 'You write release notes, briefly.'),
        { tools: [{ name: 'release_writer_2', input: { input: 'All of CHANGES.md', attachments: ['CHANGES.md'] } }] },
        { text: last(request) },
      ][request.results.count]!;
    };
    expect(await resultOf('notes', '--yes')).toMatchObject({
      status: 'success',
      output: 'Faster now.',
      spend: { steps: 1 },
    });
    expect(readdirSync(join(project.folder, 'notes/generated')).sort()).toEqual([
      'release_writer.agent',
      'release_writer_2.agent',
    ]);
  });
});
