// @seconds 20
import { mkdir, readFile, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unknownIn } from '../../src/cli/observe/lost-runs.js';
import { openStore } from '../../src/store/local-store.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import { temporaryFolder } from '../store/helpers/harness.js';

const ASKS = 'name: asks\nsteps:\n  - {id: says, command: [echo, said]}\n  - ask: Which?\n';
const LOST = 'was given to the server of this folder, which has nothing of it';

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'asks.yml': ASKS });
});
afterAll(() => project.close());

interface Row {
  run: string;
  status: string;
  lost?: string;
}

async function rows(...args: string[]): Promise<Row[]> {
  const listed = JSON.parse((await project.run('list', ...args, '--json')).stdout) as Row[];
  return listed.map(({ run, status, lost }) => ({ run, status, ...(lost === undefined ? {} : { lost }) }));
}

/** A run is noted a moment before it is started: only later it is told that nobody has it. */
async function letTimePass(run: string): Promise<void> {
  const file = join(project.folder, '.perdure', 'submitted', `${run}.json`);
  const noted = JSON.parse(await readFile(file, 'utf8')) as { submitted_at: string };
  const submitted_at = new Date(Date.parse(noted.submitted_at) - 3_600_000).toISOString();
  await writeFile(file, JSON.stringify({ ...noted, submitted_at }));
}

/** Takes the own server's database away. */
async function loseDatabase(): Promise<void> {
  const state = join(project.folder, '.perdure');
  const away = join(project.folder, 'away');
  await mkdir(away);
  for (const name of (await readdir(state)).filter((file) => file.startsWith('temporal.db')))
    await rename(join(state, name), join(away, name));
}

describe('a run that the server has nothing of', () => {
  it('is in the list and told with where it was given to, with another database and without one', async () => {
    expect((await project.run('run', 'asks.yml', '--id', 'first', '--no-wait')).code).toBe(4);
    expect((await project.run('server', 'stop')).code).toBe(0);
    await loseDatabase();
    expect(await project.run('show', 'first')).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('was submitted a moment ago, and the server has nothing of it yet') as string,
    });
    await letTimePass('first');
    expect(await rows()).toEqual([{ run: 'first', status: 'open', lost: LOST }]);
    expect((await project.run('run', 'asks.yml', '--id', 'second', '--no-wait')).code).toBe(4);
    expect(await rows()).toEqual([
      { run: 'second', status: 'waiting' },
      { run: 'first', status: 'open', lost: LOST },
    ]);
    expect((await project.run('list')).stdout).toContain(`    ${LOST}\n`);
    expect(await rows('--status', 'success')).toEqual([]);
    for (const command of ['show', 'watch', 'cancel', 'rerun'])
      expect(await project.run(command, 'first')).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(
          /^Error: The run `first` of `asks`, submitted by .+ UTC, was given to the server of this folder, which has/,
        ) as string,
      });
    expect(await project.run('show', 'none')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('There is no run `none`.') as string,
    });
  });

  it('is told with the server elsewhere that it was given to', async () => {
    const store = await openStore(await temporaryFolder());
    const noted = {
      ...{ definition: 'asks', rehearsal: false, submitted_by: 'ana', submitted_at: '2026-01-02T03:04:05.000Z' },
      server: 'its-id',
    };
    await store.noteSubmitted({ run: 'far', ...noted, at: { address: '10.0.0.1:7233', namespace: 'team' } });
    await store.noteSubmitted({ run: 'begun', ...noted });
    expect(await unknownIn('far/inner', store, null)).toMatchObject({
      exit: 3,
      message:
        'The run `far` of `asks`, submitted by ana at 2026-01-02 03:04 UTC, was given to the server at ' +
        '`10.0.0.1:7233` (namespace `team`), which is not the one that is asked.',
      hint:
        'Ask that one: TEMPORAL_ADDRESS names it; without, it is the one of this folder. ' +
        '`perdure logs far` shows what it wrote.',
    });
    expect((await unknownIn('begun', store, null)).message).toContain('a server whose namespace has the id `its-id`');
  });
});
