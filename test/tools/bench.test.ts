import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/store/folders/package-root.js';

function bench(...args: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, [join(packageRoot(), 'scripts', 'bench.mjs'), ...args], { encoding: 'utf8' });
}

describe('the benchmark', () => {
  it('names its rows, and ends well', () => {
    const { status, stdout } = bench('--help');
    expect(stdout).toContain('sequential-latency');
    expect(status).toBe(0);
  });

  it('refuses a row that it does not have, and names those that it has', () => {
    const { status, stderr } = bench('--rows', 'no-such-row');
    expect(stderr).toContain('got `no-such-row`');
    expect(status).toBe(1);
  });
});
