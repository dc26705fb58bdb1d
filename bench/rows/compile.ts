import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { compileDefinition } from '../../src/compiler/compile.js';
import { loadConfig } from '../../src/compiler/project/config.js';
import { findProject } from '../../src/compiler/project/project.js';
import { sequential } from '../definitions.js';
import { measurePair, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const LARGE = 2000;
const SMALL = 100;

/** Linear means: a definition of 2,000 steps takes as long as twenty of 100. */
export const compileScaling: Row = {
  name: 'compile',
  workload: `compiling ${LARGE} steps`,
  against: `compiling ${SMALL} steps ${LARGE / SMALL} times`,
  unit: 'ms',
  target: { atMost: 1.3 },
  rounds: 7,
  async measure({ folder }, rounds) {
    const [large, small] = [await write(folder, LARGE), await write(folder, SMALL)];
    const project = findProject(folder);
    const { config } = loadConfig(project);
    const compile = (file: string, times: number): Promise<number> =>
      milliseconds(async () => {
        for (let time = 0; time < times; time++) {
          const { plan, problems } = compileDefinition({ file, cwd: folder, project, config });
          if (plan === null) throw new Error(problems[0]?.message ?? 'The definition does not compile');
        }
      });
    return measurePair(
      () => compile(large, 1),
      () => compile(small, LARGE / SMALL),
      rounds,
    );
  },
};

async function write(folder: string, steps: number): Promise<string> {
  const file = join(folder, 'definitions', 'workflows', `bench-${steps}.yml`);
  await mkdir(join(folder, 'definitions', 'workflows'), { recursive: true });
  await writeFile(file, JSON.stringify(sequential(steps, `bench-${steps}`), null, 2));
  return file;
}
