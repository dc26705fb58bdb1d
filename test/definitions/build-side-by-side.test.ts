// @module-tag git
// @module-tag sandbox
// @seconds 30
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BuildReport } from '../../src/cli/build/report/report.js';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, RecordedRequest } from '../fakes/model-endpoint.js';
import { task, write } from './counter-build.js';
import type { ShippedProject, Voices } from './shipped-project.js';
import { nextGate, openShippedProject } from './shipped-project.js';

const SPEC = {
  goal: 'A list of animals.',
  type: 'website',
  requirements: [{ description: 'It has three animals.' }],
  agents: [
    { name: 'Bo', role: 'builder' },
    { name: 'Tess', role: 'tester' },
  ],
  workflow: { approve_plan: false, test_command: ['node', '-e', "console.log('PASS: one')"], page: 'index.html' },
};
const ANIMALS = ['Ants', 'Bees', 'Cats'];
const PLAN = {
  tasks: [
    task(1, 'Set up', 'Bo', []),
    ...ANIMALS.map((animal, index) => task(index + 2, animal, 'Bo', [1])),
    task(5, 'Check', 'Tess', [2, 3, 4]),
  ],
  plan_explanation: 'Side by side.',
};
const PAGE = (animals: string): string => `<ul>\n${animals}</ul>\n`;

/**
 * Three that change the same line of a page at the same time: each waits for the others, so that none begins with what
 * another has committed. `mends` says what who finds both sides writes.
 */
function team(mends: (animal: string, page: string) => Answer, builds = 1): Voices {
  const begin = meeting(builds * ANIMALS.length);
  const page = (request: RecordedRequest): string => request.results.last[0]?.text ?? '';
  return {
    'You plan how a project is built': () => ({ text: JSON.stringify(PLAN) }),
    'of a team that builds': (request) => {
      const asked = request.messages[0]?.text ?? request.prompt;
      const name = /^# (.+)$/m.exec(asked)?.[1] ?? '';
      const { count } = request.results;
      if (name === 'Set up') return count === 0 ? { tools: [write('index.html', PAGE(''))] } : { text: 'Set it up.' };
      if (name === 'Check') return { text: 'All there.' };
      if (!asked.includes('commit-conflict') && !asked.includes('bring them together'))
        return count === 0
          ? { text: '', until: begin(), rest: '', tools: [write('index.html', PAGE(`<li>${name}\n`))] }
          : { text: `Wrote ${name}.` };
      if (count === 0) return { tools: [{ name: 'read_file', input: { path: 'index.html' } }] };
      return count === 1 ? mends(name, page(request)) : { text: `Wrote ${name} beside the others.` };
    },
  };
}

/** Gives what resolves once so many have come. */
function meeting(count: number): () => Promise<void> {
  let come = 0;
  let open = (): void => undefined;
  const all = new Promise<void>((resolve) => (open = resolve));
  return () => {
    if ((come += 1) === count) open();
    return all;
  };
}

const together = (_animal: string, page: string): Answer => ({
  tools: [
    write(
      'index.html',
      PAGE(
        [...page.matchAll(/<li>\w+\n/g)]
          .map(([line]) => line)
          .sort()
          .join(''),
      ),
    ),
  ],
});

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
  mkdirSync(join(project.folder, 'definitions', 'builds'), { recursive: true });
  writeFileSync(join(project.folder, 'definitions', 'builds', 'animals.yml'), JSON.stringify(SPEC));
});
afterAll(async () => {
  await project.close();
});
const build = (voices: Voices, ...args: string[]) => project.run('../builds/animals.yml', args, voices);
const parentsOf = (run: string): number[] => project.tree(run).parents();

describe('tasks of a build that change the same lines side by side', () => {
  it('are brought together by who comes later, on one line without merges', async () => {
    const { code, result, told } = await build(team(together), '--id', 'animals');
    expect({ code, status: result.status, error: result.error }, told).toEqual({
      code: 0,
      status: 'success',
      error: null,
    });
    const { folder, commits } = project.tree('animals');
    expect(readFileSync(join(folder, 'index.html'), 'utf8')).toBe(PAGE('<li>Ants\n<li>Bees\n<li>Cats\n'));
    expect(commits().toSorted()).toEqual(['Bo: Ants', 'Bo: Bees', 'Bo: Cats', 'Bo: Set up']);
    expect(parentsOf('animals').every((parents) => parents <= 1)).toBe(true);
  });

  it('end at a person where nobody brings them together', async () => {
    const { code } = await build(
      team(() => ({ text: 'I do not see it.' })),
      '--id',
      'torn',
      '--no-wait',
    );
    expect(code).toBe(4);
    for (const words of [
      ['report', 'torn'],
      ['fix', 'torn', 'Mend it.'],
      ['report', 'torn', '--html'],
    ])
      expect(await project.perdure('build', ...words)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('`torn` has not ended.') as string,
      });
    for (const answer of ['do without it', 'take it as it is']) {
      const { gate } = await nextGate(project, 'torn');
      expect((await project.perdure('show', 'torn')).stdout).toContain('`index.html`');
      expect((await project.perdure('answer', gate, answer)).code).toBe(0);
      await project.perdure('watch', 'torn', '--no-wait');
    }
    const result = JSON.parse((await project.perdure('show', 'torn', '--json')).stdout) as RunResult;
    expect(result).toMatchObject({ status: 'partial' });
    expect(project.tree('torn').commits()).toHaveLength(3);
    const report = JSON.parse((await project.perdure('build', 'report', 'torn', '--json')).stdout) as BuildReport;
    expect(report.tasks.map(({ status }) => status).sort()).toEqual([
      'partial',
      'partial',
      ...Array(3).fill('success'),
    ]);
    expect(report.requirements).toMatchObject([{ done: false }]);
    const lines = readFileSync(join(project.tree('torn').folder, 'index.html'), 'utf8').split('\n');
    expect(lines.filter((line) => line.startsWith('<li>'))).toHaveLength(2);
    expect(lines.filter((line) => /^[<>]{7} /.test(line))).toHaveLength(2);
  });

  it('of two builds at once are on the branch of their own build alone', async () => {
    const voices = team(together, 2);
    const both = await Promise.all(['one', 'two'].map((id) => build(voices, '--id', id)));
    expect(both.map(({ code, result }) => [code, result.status, result.branch])).toEqual([
      [0, 'success', 'perdure/one'],
      [0, 'success', 'perdure/two'],
    ]);
    for (const run of ['one', 'two'])
      expect(project.tree(run).commits().toSorted()).toEqual(['Bo: Ants', 'Bo: Bees', 'Bo: Cats', 'Bo: Set up']);
  });
});
