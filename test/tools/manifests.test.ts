// @seconds 100
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { FULL } from '../faults/seed.js';

const PROGRAM = fileURLToPath(new URL('manifests', import.meta.url));
const FOLDER = join(packageRoot(), 'deploy', 'kubernetes');

describe.each(FULL ? ['the Kubernetes manifests'] : [])('%s', { tags: ['manifests'] }, () => {
  const decode = (...files: string[]): string =>
    execFileSync('go', ['run', '-p', '1', '.', ...files], { cwd: PROGRAM, encoding: 'utf8', timeout: 900_000 });

  it('are what the types of Kubernetes take, with no field that they do not have', { timeout: 1_000_000 }, () => {
    const files = readdirSync(FOLDER).map((file) => join(FOLDER, file));
    expect(
      decode(...files)
        .trim()
        .split('\n')
        .sort(),
    ).toEqual([
      'ConfigMap/perdure-environment',
      'ConfigMap/perdure-project',
      'Deployment/perdure-codec-server',
      'Deployment/perdure-ui',
      'Deployment/perdure-worker',
      'HorizontalPodAutoscaler/perdure-worker',
      'PodDisruptionBudget/perdure-worker',
      'Service/perdure-codec-server',
      'Service/perdure-ui',
      'Service/perdure-worker',
    ]);
  });
});
