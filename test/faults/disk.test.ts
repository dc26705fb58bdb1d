// @seconds 20
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { FullDisk } from './full-disk.js';
import { openFullDisk } from './full-disk.js';
import type { Project } from './project.js';
import { openProject, until } from './project.js';
import { FULL, random } from './seed.js';
import { WRITES } from './writes.js';

const DONE = 'done.txt';

/** Has results of every kind that is written: of models, of commands long and quick, of nested runs and rounds. */
const INNER = `name: inner
inputs: {n: {type: number}}
steps:
  - id: say
    command: [sh, -c, 'head -c 2000 /dev/zero | tr "\\\\0" "$0"; echo "inner $0" >> ${DONE}', "\${n}"]
    timeout: 10s
`;
const WORKFLOW = `name: disk
steps:
  - id: one
    command: [sh, -c, 'head -c 3000 /dev/zero | tr "\\\\0" a; echo one >> ${DONE}']
  - id: quick
    command: [sh, -c, 'head -c 3000 /dev/zero | tr "\\\\0" b; echo quick >> ${DONE}']
    timeout: 10s
  - id: asked
    agent: general-purpose
    prompt: "\${steps.one.output}\${steps.quick.output}"
  - id: once
    command: [sh, -c, 'head -c 3000 /dev/zero | tr "\\\\0" c; echo once >> ${DONE}']
    effect: external
  - id: both
    set: {value: "\${steps.asked.output}\${steps.once.output}"}
  - id: each
    foreach: [1, 2, 3]
    steps:
      - id: nest
        workflow: inner
        inputs: {n: "\${item}"}
`;
const EFFECTS = ['one', 'quick', 'once', 'inner 1', 'inner 2', 'inner 3'];

/** Each write of a run: which file, and how many writes of that kind succeed before the disk is full. */
const MOMENTS = [
  ...[0, 1, 2, 3, 5, 8].map((skip) => ({ what: 'values', match: '/\\.perdure/values/', skip })),
  ...[0, 1, 2, 4, 6, 9].map((skip) => ({ what: 'journal', match: '/\\.perdure/journal/', skip })),
  ...[0, 1].map((skip) => ({ what: 'records', match: '/\\.perdure/runs/', skip })),
  ...[0, 2].map((skip) => ({ what: 'logs', match: '/\\.perdure/logs/(?!host|server)', skip })),
  { what: 'alive log', match: '/\\.perdure/alive/', skip: 0 },
  { what: 'snapshots', match: '/\\.perdure/snapshots', skip: 0 },
  { what: 'everything', match: '/\\.perdure/', skip: 0 },
  ...[4, 8, 12, 16, 20].map((skip) => ({ what: 'everything', match: '/\\.perdure/', skip })),
];
const draw = random('disk');
const chosen = FULL
  ? MOMENTS
  : MOMENTS.map((moment) => ({ moment, at: draw() }))
      .sort((a, b) => a.at - b.at)
      .slice(0, 3)
      .map(({ moment }) => moment);

describe('a disk that is full at a write, and freed later', () => {
  let project: Project;
  let endpoint: ModelEndpoint;
  let disk: FullDisk;

  beforeAll(async () => {
    disk = await openFullDisk();
    endpoint = await startModelEndpoint(({ prompt }) => ({ text: `answer ${prompt.length} ${'z'.repeat(1500)}` }));
    project = await openProject(
      { 'definitions/workflows/disk.yml': WORKFLOW, 'definitions/workflows/inner.yml': INNER },
      {
        ANTHROPIC_API_KEY: 'test-key',
        ANTHROPIC_BASE_URL: endpoint.url,
        ...disk.env,
      },
    );
    expect((await project.run('list')).code).toBe(0);
  });
  afterAll(async () => {
    disk.free();
    await project.close();
    await endpoint.close();
    await disk.close();
  });

  it.each(chosen.map((moment, index) => ({ ...moment, index })))(
    '$what, after $skip writes: the run ends right, and nothing is done or paid twice',
    async ({ match, skip, index }) => {
      const id = `run-${index}`;
      disk.forget();
      const before = endpoint.requests.length;
      writeFileSync(join(project.folder, DONE), '');
      disk.fill(match, skip);
      const first = project.start('run', 'definitions/workflows/disk.yml', '--id', id, '--json');
      await until(() => disk.hits() >= 3 || first.process.exitCode !== null);
      disk.free();
      const one = await first.finished;
      const result =
        one.code === 0 ? one : await project.run('run', 'definitions/workflows/disk.yml', '--id', id, '--json');
      expect(result.code, `${one.stdout}\n${one.stderr}\n${result.stderr}`).toBe(0);
      expect((JSON.parse(result.stdout) as { status: string }).status).toBe('success');
      expect((await project.read(DONE)).trim().split('\n').sort()).toEqual([...EFFECTS].sort());
      expect(endpoint.requests.length - before).toBe(1);
      const shown = JSON.parse((await project.run('show', id, '--json')).stdout) as { steps: { status: string }[] };
      expect(shown.steps.every(({ status }) => status === 'success')).toBe(true);
      expect(existsSync(join(project.folder, '.perdure', 'runs', `${id}.json`))).toBe(true);
    },
  );

  it('what these runs wrote is in the table of writes', () => {
    const ofState = disk.seen().flatMap((path) => path.split('/.perdure/')[1] ?? []);
    expect(ofState).not.toEqual([]);
    expect([...new Set(ofState)].filter((path) => !WRITES.some(({ match }) => match.test(path)))).toEqual([]);
  });
});
