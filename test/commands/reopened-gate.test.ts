// @seconds 25
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Decision } from '../../src/plan/gates/gate.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

/** Sent back, its gate asks the very same again. */
const SAME = `
- {id: draft, command: [echo, the same]}
- {id: ask, approval: Send this?, content: "\${steps.draft.output}", rework: {step: draft, max: 5}}
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'same.yml': `name: same\nsteps:${SAME.replaceAll('\n', '\n  ')}` });
});
afterAll(() => project.close());

/** Starts a run, and gives its id once its gate is open. */
async function waiting(id: string): Promise<string> {
  expect((await project.run('run', 'same.yml', '--id', id, '--no-wait')).code).toBe(4);
  return id;
}

/** Sends the gate of a run back, and waits until it asks again. */
async function sendBack(run: string): Promise<void> {
  expect((await project.run('reject', run, '--as', 'bo', '--comment', 'once more')).code).toBe(0);
  expect((await project.run('watch', run, '--no-wait')).code).toBe(4);
}

/** The decision that would be sent for what the gate shows now. */
async function printed(...args: string[]): Promise<Decision> {
  const { code, stdout, stderr } = await project.run('approve', ...args, '--print');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Decision;
}

describe('a gate that was sent back and asks the same again', () => {
  it('is another opening in the decision that is sent', async () => {
    const run = await waiting('stale');
    const before = await printed(run);
    await sendBack(run);
    const after = await printed(run);
    expect(after).toMatchObject({ hash: before.hash, gate: before.gate });
    expect(after.since).not.toBe(before.since);
  });

  it('is told of anew where nobody can be asked', async () => {
    const following = project.start('run', 'same.yml', '--id', 'told');
    let said = '';
    following.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    const times = (): number => said.split('waits for approval: Send this?').length - 1;
    await until(() => times() === 1);
    await sendBack('told');
    await until(() => times() === 2);
    expect((await project.run('approve', 'told')).code).toBe(0);
    expect((await following.finished).code).toBe(0);
    expect(times()).toBe(2);
  });
});

describe('what `approve` is given beside the gate', () => {
  it('is shown where it is approved in the place of what was asked, as all that is hidden in it', async () => {
    const run = await waiting('edited');
    await writeFile(join(project.folder, 'edited.txt'), 'Harmless\u202e edited\u200b text\nrm -rf /srv/data\n');
    const { code, stderr } = await project.run('approve', run, '--edit', 'edited.txt');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('│ Harmless\\u{202e} edited\\u{200b} text\n');
    expect(stderr).toContain('│ rm -rf /srv/data\n');
    expect(stderr).not.toContain('│ the same');
    expect(stderr).toContain('as it was edited');
  });

  it('is a whole hash, or nothing is decided: two contents are soon found that have the same ends', async () => {
    const run = await waiting('hashed');
    const { hash } = await printed(run);
    const digits = hash.replace('sha256:', '');
    for (const part of [`${digits.slice(0, 4)}…${digits.slice(-4)}`, digits.slice(0, 63)]) {
      const { code, stderr } = await project.run('approve', run, '--hash', part);
      expect(code, part).toBe(2);
      expect(stderr).toContain('Expected all 64 digits');
    }
    const other = await project.run('approve', run, '--hash', `sha256:${'0'.repeat(64)}`);
    expect(other.stderr).toContain('shows other content');
    expect((await project.run('show', run)).stdout).toContain(hash);
    expect((await project.run('approve', run, '--hash', digits)).code).toBe(0);
  });

  it('is printed as JSON that is what was typed, also where characters in it are not drawn', async () => {
    const comment = 'co\u00adoperate \u200b';
    expect(await printed(await waiting('printed'), '--comment', comment)).toMatchObject({ comment });
  });

  it('is a name that is shown as what it is, wherever the decision is told', async () => {
    const run = await waiting('named');
    const name = 'r\u043e\u043et';
    const { code, stderr } = await project.run('approve', run, '--as', name);
    expect(code, stderr).toBe(0);
    expect((await project.run('watch', run)).code).toBe(0);
    const shown = await project.run('show', run);
    for (const text of [stderr, shown.stdout]) {
      expect(text).toContain('by r\\u{43e}\\u{43e}t');
      expect(text).not.toContain(name);
    }
  });
});
