// @module-tag git
// @seconds 15
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RecordedRequest } from '../fakes/model-endpoint.js';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

describe('guarded-release', () => {
  it('says before what a person has to allow, waits there, and acts when that is allowed', async () => {
    const { stdout: planned } = await project.perdure('plan', 'guarded-release');
    expect(planned).toContain('Waits for a person\n  tag: Its severity is critical, and the autonomy is supervised.\n');
    const args = ['-i', 'version=1.2.0', '-i', 'since=v1', '--no-wait'];
    const waiting = await project.run('guarded-release', args, {
      'You write release notes': () => ({ text: '## Added\n- Subtraction' }),
    });
    expect(waiting).toMatchObject({ code: 4, result: { status: 'waiting' } });
    const file = join(project.folder, 'RELEASE-1.2.0.md');
    expect(readFileSync(file, 'utf8')).toBe('## Added\n- Subtraction');
    const tags = join(project.folder, '.git', 'refs', 'tags');
    expect(readdirSync(tags)).not.toContain('v1.2.0');
    const { stdout: shown } = await project.perdure('show', waiting.result.run);
    expect(shown).toContain('The step `tag` is about to act (command: `git`).');
    expect((await project.perdure('approve', waiting.result.run)).code).toBe(0);
    expect((await project.perdure('watch', waiting.result.run, '--json')).code).toBe(0);
    expect(readdirSync(tags)).toContain('v1.2.0');
    rmSync(file);
    rmSync(join(tags, 'v1.2.0'));
  });

  it('is not done in a project that says less, by a workflow that says more', async () => {
    writeFileSync(join(project.folder, 'perdure.yml'), 'autonomy: {level: yolo, require_approval_for: [write]}\n');
    const { stdout: planned } = await project.perdure('plan', 'guarded-release');
    expect(planned).toContain('each action of type `write`');
    const alone = await project.run('guarded-release', ['-i', 'version=1.3.0', '-i', 'since=v1', '--no-wait'], {
      'You write release notes': () => ({ text: 'Notes.' }),
    });
    rmSync(join(project.folder, 'perdure.yml'));
    expect(alone).toMatchObject({ code: 4, result: { status: 'waiting' } });
    expect(alone.told).toContain('`write` stands under `require_approval_for` of the autonomy.');
    await project.perdure('cancel', alone.result.run);
  });
});

describe('careful-change', () => {
  const task = (id: string, agent_name: string, dependencies: string[]) => ({
    id,
    name: `Do ${id}`,
    description: 'As wished.',
    acceptance_criteria: ['Nothing is changed that the wish does not need.'],
    dependencies,
    agent_name,
  });
  const planned = { tasks: [task('add', 'general-purpose', []), task('look', 'code-reviewer', ['add'])] };
  const voices = (met: boolean) => ({
    'You plan work': () => ({ text: JSON.stringify({ ...planned, plan_explanation: 'In order.' }) }),
    'You do the task': () => ({ text: 'Added.' }),
    'You review code': ({ prompt }: RecordedRequest) => ({
      text: prompt.includes('`met` says') ? JSON.stringify({ met, unmet: met ? [] : ['A test fails.'] }) : 'Looked.',
    }),
  });

  it('plans for its goal, carries out what was approved, and holds it against its constraints', async () => {
    const { result, told } = await project.run('careful-change', ['-i', 'wish=Add a divider.'], voices(true));
    expect(result, told).toMatchObject({ status: 'success', output: { add: 'Added.', look: 'Looked.' } });
    const [plan] = project.asked('You plan work');
    const checked = project.asked('You review code').at(-1);
    for (const request of [plan, checked]) {
      expect(request?.prompt).toContain('Add a divider.');
      expect(request?.prompt).toContain('The tests of the project pass as before.');
      expect(request?.prompt).toContain('and nothing else.');
    }
  });

  it('has failed where a constraint does not hold', async () => {
    const { result } = await project.run('careful-change', ['-i', 'wish=Add a divider.'], voices(false));
    expect(result).toMatchObject({ status: 'error', error: expect.stringContaining('A test fails.') as string });
  });
});
