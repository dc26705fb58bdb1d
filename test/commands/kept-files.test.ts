// @seconds 12
// @module-tag sandbox
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

/** A step in which an agent's program tries to write a file. */
const writes = (path: string, text: string): string =>
  `  - {id: write, tool: shell, on_error: continue, ` +
  `inputs: {argv: [python3, -c, "open('${path}', 'a').write('${text}')"]}}\n`;
const OWN = `name: own\nsteps:\n${writes('own.yml', '  - command: [touch, canary]')}`;
const TOLD = `name: told\nsteps:\n${writes('tell.sh', 'touch canary')}  - {id: go, ask: Go on?}\n`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'perdure.yml': 'notify: {command: [./tell.sh], on: [waiting]}\n',
    'tell.sh': '#!/bin/sh\ncat > told.json\n',
    'own.yml': OWN,
    'told.yml': TOLD,
  });
  chmodSync(join(project.folder, 'tell.sh'), 0o755);
});
afterAll(() => project.close());

it('a rerun runs nothing that the run has written into its own definition', async () => {
  const { stdout, stderr } = await project.run('run', 'own.yml', '--id', 'own');
  expect(stdout + stderr).toContain('Read-only file system');
  expect(readFileSync(join(project.folder, 'own.yml'), 'utf8')).toBe(OWN);
  await project.run('rerun', 'own');
  expect(existsSync(join(project.folder, 'canary'))).toBe(false);
});

it('a notice runs nothing that the run has written into its program', async () => {
  await project.run('run', 'told.yml', '--id', 'told', '--no-wait');
  await expect.poll(() => existsSync(join(project.folder, 'told.json')), { timeout: 20_000 }).toBe(true);
  expect(existsSync(join(project.folder, 'canary'))).toBe(false);
});
