// @module-tag sandbox
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { gitOf } from '../../../src/store/git/git.js';

it('git runs behind the filter of system calls where it looks at files that others may have written', async () => {
  const place = mkdtempSync(join(tmpdir(), 'perdure-filter-'));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  mkdirSync(join(place, 'own'));
  const git = gitOf(join(place, 'own'));
  await git(['init', '--quiet', '--bare']);
  const status = await git(['-c', 'alias.status-of=!cat /proc/self/status', 'status-of'], { workTree: place });
  expect(status.toString()).toMatch(/^Seccomp:\s+2$/m);
});
