import { describe, expect, it } from 'vitest';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const FILES = 200;
const STEPS = 2_000;
/** For what else the process does meanwhile, garbage collection say; a square would be ten. */
const SLACK = 3;
const MEGABYTES = 300;

/** A tree three levels deep: 200 files, 2,000 steps in all, each agent step with its own text. */
function manyFiles(total: number): Record<string, string> {
  const steps = (file: number, count: number): string =>
    Array.from(
      { length: count },
      (_, step) => `  - agent: general-purpose\n    prompt: "Part ${file}.${step}: \${subject}"\n`,
    ).join('');
  const files: Record<string, string> = {};
  const leaves = Array.from({ length: total - 10 }, (_, index) => index);
  for (const leaf of leaves) files[`parts/leaf-${leaf}.yml`] = `name: leaf-${leaf}\nsteps:\n${steps(leaf, 9)}`;
  const branches = Array.from({ length: 9 }, (_, branch) => branch);
  for (const branch of branches) {
    const own = leaves.filter((leaf) => leaf % 9 === branch).map((leaf) => `  - workflow: ./leaf-${leaf}.yml\n`);
    files[`parts/branch-${branch}.yml`] = `name: branch-${branch}\nsteps:\n${own.join('')}${steps(1_000 + branch, 12)}`;
  }
  const below = branches.map((branch) => `  - workflow: ./parts/branch-${branch}.yml\n`);
  files['top.yml'] = `name: top\nsteps:\n${below.join('')}`;
  return files;
}

/** Of the processor. */
function secondsSince(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
}

describe('a workflow of 2,000 steps in 200 files', () => {
  it('costs no more a file than a tenth of it, and less than 300 MB', () => {
    const small = createProject(manyFiles(FILES / 10));
    compileIn(small, 'top.yml');
    const warm = process.cpuUsage();
    compileIn(small, 'top.yml');
    const least = secondsSince(warm);
    const root = createProject(manyFiles(FILES));
    const [cpu, memory] = [process.cpuUsage(), process.memoryUsage.rss()];
    const { plan, problems } = compileIn(root, 'top.yml');
    // The processor's time: the machine may have other work meanwhile.
    const most = secondsSince(cpu);
    expect(problems).toEqual([]);
    expect(Object.keys(plan?.nested ?? {})).toHaveLength(FILES - 1);
    const counted = [plan, ...Object.values(plan?.nested ?? {})].reduce(
      (sum, body) => sum + (body?.steps.length ?? 0),
      0,
    );
    expect(counted).toBeGreaterThanOrEqual(STEPS);
    expect(most / least).toBeLessThan(10 * SLACK);
    expect((process.memoryUsage.rss() - memory) / 1024 / 1024).toBeLessThan(MEGABYTES);
  });
});
