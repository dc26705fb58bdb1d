// @module-tag tmpfs
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject, until } from './project.js';
import { FULL, random } from './seed.js';

/** The server wants 32 MB to start. */
const MEGABYTES = 80;
const STEPS = 10;
const DONE = 'done.txt';

/**
 * The project is on another disk: what commands do is seen. Each step has a result that is stored; every third asks a
 * model.
 */
const WORKFLOW = `name: full
steps:
${Array.from({ length: STEPS }, (_, index) =>
  index % 3 === 2
    ? `  - agent: general-purpose\n    id: s${index}\n    prompt: question ${index}\n`
    : `  - id: s${index}
    command: [sh, -c, 'head -c 3000 /dev/zero | tr "\\\\0" a; echo "$0" >> ${DONE}; sleep 0.2', "${index}"]\n`,
).join('')}`;

/** Fills what is left of a disk, to the last byte. */
function fill(file: string): void {
  for (let bytes = 1024 * 1024; bytes >= 1;) {
    try {
      appendFileSync(file, Buffer.alloc(bytes, 1));
    } catch {
      bytes = Math.floor(bytes / 4);
    }
  }
}

const draw = random('full tmpfs');
const moments = Array.from({ length: FULL ? 5 : 1 }, () => 1 + Math.floor(draw() * (STEPS - 3)));

it.each(moments)(
  'a disk that has the whole state on it, the database too, and is full after step %i and freed later: the run ' +
    'ends right',
  async (after) => {
    const endpoint = await startModelEndpoint(({ prompt }) => ({
      text: `answer to ${prompt.slice(-12)} ${'z'.repeat(1500)}`,
    }));
    onTestFinished(() => endpoint.close());
    const project = await openProject(
      { 'definitions/workflows/full.yml': WORKFLOW },
      { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
    );
    const state = join(project.folder, '.perdure');
    mkdirSync(state);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${String(MEGABYTES)}m`, 'tmpfs', state]);
    onTestFinished(async () => {
      await project.run('server', 'stop');
      execFileSync('umount', ['--lazy', state]);
      await project.close();
    });
    const first = project.start('run', 'definitions/workflows/full.yml', '--id', 'full', '--json');
    const last = after - (after % 3 === 2 ? 1 : 0);
    await until(
      async () => first.process.exitCode !== null || (await project.read(DONE)).split('\n').includes(String(last)),
    );
    const ballast = join(state, 'ballast');
    // Whoever writes there may give back a little meanwhile.
    await until(() => {
      fill(ballast);
      return statfsSync(state).bavail === 0;
    });
    await new Promise((resolve) => {
      setTimeout(resolve, 3_000);
    }); // how long it stays full, not a wait for something
    rmSync(ballast);
    const one = await first.finished;
    const result =
      one.code === 0 ? one : await project.run('run', 'definitions/workflows/full.yml', '--id', 'full', '--json');
    expect(result.code, `${one.stderr}\n${result.stderr}`).toBe(0);
    const { status, steps } = JSON.parse(result.stdout) as { status: string; steps: { status: string }[] };
    expect([status, ...steps.map((step) => step.status)]).toEqual(Array(STEPS + 1).fill('success'));
    expect([...new Set((await project.read(DONE)).trim().split('\n'))]).toEqual(
      Array.from({ length: STEPS }, (_, index) => String(index)).filter((index) => Number(index) % 3 !== 2),
    );
    expect(endpoint.requests).toHaveLength(Math.floor(STEPS / 3));
  },
);

it.each([0, 1, 2, 3, 5])(
  'a disk with %i blocks left when the first host starts is told in one sentence, and a bigger one is gone on with',
  async (blocks) => {
    const project = await openProject({ 'one.yml': 'name: one\nsteps:\n  - command: [echo, done]\n' });
    const state = join(project.folder, '.perdure');
    mkdirSync(state);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', state]);
    onTestFinished(async () => {
      await project.run('server', 'stop');
      execFileSync('umount', ['--lazy', state]);
      await project.close();
    });
    appendFileSync(join(state, 'ballast'), Buffer.alloc((16 - blocks) * 4096));
    const { code, stderr } = await project.run('run', 'one.yml', '--json');
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(/no space is left there \(ENOSPC\)|The disk of the state folder `[^`]+` is full\./);
    expect(readdirSync(state).filter((name) => name.startsWith('host.json.'))).toEqual([]);
    execFileSync('mount', ['-o', 'remount,size=80m', state]);
    const later = await project.run('run', 'one.yml', '--json');
    expect(later.code, later.stderr).toBe(0);
  },
);
