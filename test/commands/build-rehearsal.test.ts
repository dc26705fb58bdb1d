// @seconds 15
// @module-tag sandbox
// @module-tag git
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

interface Shown {
  path: string;
  output: unknown;
  steps?: Shown[];
}

const spec = (name: string): string =>
  readFileSync(join(import.meta.dirname, '../../definitions/builds', `${name}.yml`), 'utf8');

/** A board whose program a script of the project makes. */
const lamp = (script: string): string =>
  'goal: A lamp.\ntype: hardware\nagents: [{name: Bo, role: builder}, {name: Tess, role: tester}]\n' +
  `devices: [{name: lamp, compile: [node, ${script}], image: lamp.hex, expect: ready}]\n`;
const HEX = ':0400000001020304F2\\n:00000001FF\\n';

let project: Project;
beforeAll(async () => {
  // No model, no key: nobody could be asked.
  project = await openProject({
    'arcade-game.yml': spec('arcade-game'),
    'reading-list.yml': spec('reading-list'),
    'shut.yml':
      'goal: A page.\nagents: [{name: Bo, role: builder, allowed_paths: [notes.md]}, {name: Tess, role: tester}]\n',
    'perdure.yml':
      'devices:\n  lamp: {kind: simulated}\n  uno: {kind: simulated}\n' +
      '  counter: {kind: simulated, simulates: esp32}\n',
    'blink.yml': spec('blink'),
    'esp-counter.yml': spec('esp-counter'),
    'every-key.yml': spec('every-key'),
    'lamp.yml': lamp('make-lamp.mjs'),
    'dark.yml': lamp('not-written.mjs'),
    'make-lamp.mjs': `import { writeFileSync } from 'node:fs';\nwriteFileSync('lamp.hex', '${HEX}');\n`,
    'definitions/agents/doer.yml': 'name: doer\nprompt: You do.\n',
    'definitions/agents/critic.yml': 'name: critic\nprompt: You judge.\n',
    'planned.yml':
      'name: planned\nsteps:\n  - id: think\n    agent: doer\n    prompt: Plan.\n' +
      '    tasks: [doer, {agent: critic, role: reviewer}]\n' +
      '  - plan: "${steps.think.output}"\n',
  });
});
afterAll(() => project.close());
async function rehearse(...args: string[]): Promise<{ code: number | null; result: RunResult; told: string }> {
  const { code, stdout, stderr } = await project.run(...args, '--rehearse', '--yes', '--json');
  return { code, result: JSON.parse(stdout) as RunResult, told: stderr };
}

describe('a rehearsal of a build', () => {
  it.each(['arcade-game.yml', 'reading-list.yml'])(
    'of %s really builds a small page, tests it, and says everywhere that it is one',
    async (file) => {
      const { code, result, told } = await rehearse('build', file);
      expect({ code, error: result.error, status: result.status }, told).toEqual({
        code: 0,
        error: null,
        status: 'success',
      });
      expect(result).toMatchObject({
        rehearsal: true,
        spend: { tokens: 0 },
        output: { tests: { ok: true, passed: 2, failed: 0 } },
      });
      const out = join(project.folder, `out-${file}`);
      expect((await project.run('workspace', 'export', result.run, out)).code).toBe(0);
      const { next } = (await import(pathToFileURL(join(out, 'src/counter.mjs')).href)) as {
        next: (count: number) => number;
      };
      expect(next(41)).toBe(42);
      expect(readFileSync(join(out, 'src/index.html'), 'utf8')).toContain('A rehearsal built this page');
      expect(existsSync(join(project.folder, 'src'))).toBe(false);
      expect(told).toContain('A rehearsal: a small page that counts clicks is built, not what the spec says.');
      const { tasks, summaries } = result.output as { tasks: { name: string }[]; summaries: Record<string, string> };
      for (const { name } of tasks) expect(name).toMatch(/^Rehearsal: /);
      for (const text of Object.values(summaries)) expect(text).toMatch(/rehearsal/);
      const { stdout } = await project.run('show', result.run);
      expect(stdout).toMatch(/rehearsal/i);
    },
  );

  it('holds its agents to their paths, and then ends as a build does whose tests fail', async () => {
    const { code, result, told } = await rehearse('build', 'shut.yml');
    expect([code, result.status], told).toEqual([1, 'error']);
    expect((await project.run('workspace', 'diff', result.run)).stdout).not.toContain('b/src/');
  });
});

describe('a rehearsal of a build for a board', () => {
  it('compiles for it, and neither flashes nor listens', async () => {
    const { code, result, told } = await rehearse('build', 'lamp.yml');
    expect([code, result.status, result.error], told).toEqual([0, 'success', null]);
    expect(result.output).toMatchObject({ deploy: { devices: { lamp: { compile_error: null, heard: 'ready' } } } });
    const { stdout } = await project.run('show', result.run);
    expect(stdout).toContain('rehearsal: 4 bytes not written');
    // What is well has no reason why it is not.
    const shown = JSON.parse((await project.run('show', result.run, '--json')).stdout) as { steps: Shown[] };
    const build = shown.steps.find(({ path }) => path === 'build')?.steps;
    expect(build?.find(({ path }) => path === 'build/start')?.output).toEqual({ ok: true, reason: null });
  });

  it('compiles a sketch, where its builder may write', { tags: ['arduino'] }, async () => {
    const { code, result, told } = await rehearse('run', 'blink.yml');
    expect([code, result.status, result.error], told).toEqual([0, 'success', null]);
    expect(result.output).toMatchObject({ tests: { ok: true }, deploy: { devices: { uno: { compile_error: null } } } });
    const { stdout } = await project.run('workspace', 'diff', result.run);
    const written = [...stdout.matchAll(/^\+\+\+ b\/(\S+)$/gm)].map(([, path]) => path);
    expect(written.filter((path) => path?.startsWith('.elisa/') === false).sort()).toEqual([
      'blink/blink.ino',
      'blink/counter.mjs',
      'blink/index.html',
      'tests/counter.test.mjs',
    ]);
  });

  it.each([
    ['esp-counter', 'deploy_1_compile: compiled: `node make-image.mjs` ended with exit code 1'],
    ['every-key', 'tests/0/trouble'],
  ])('of %s ends where the build needs what nobody wrote, and says what', async (name, reason) => {
    const { code, result, told } = await rehearse('run', `${name}.yml`);
    expect([code, result.status], told).toEqual([1, 'error']);
    expect(`${result.error ?? ''}${told}`).toContain(reason);
  });

  it('that nothing can be compiled for ends as such a build does, and says why', async () => {
    const { code, result, told } = await rehearse('build', 'dark.yml');
    expect([code, result.status], told).toEqual([1, 'error']);
    expect(result.error).toContain('deploy_1_compile: compiled: `node not-written.mjs` ended with exit code 1');
    const { stdout } = await project.run('show', result.run);
    expect(stdout).toContain('deploy_1_compile');
    expect(stdout).not.toMatch(/not written|✓ \d+ deploy_1_flash/);
  });
});

it('a rehearsal of planned tasks has tasks that satisfy their rules', async () => {
  const { code, result } = await rehearse('run', 'planned.yml');
  expect([code, result.status, Object.keys(result.output as object)]).toEqual([
    0,
    'success',
    ['task-1', 'task-2', 'task-3'],
  ]);
});
