import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { sequential } from '../definitions.js';
import type { Bench } from '../environment.js';
import { measurePair, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

const CLI = join(process.cwd(), 'dist', 'cli', 'main.js');
const ROUNDS = 9;

/** Whole processes, against Node that does nothing. */
export const processRows: Row[] = [
  processRow('help', ['--help'], 4),
  processRow('validate', ['validate', 'definitions/workflows/bench-sequential-20.yml'], 4),
  processRow('list', ['list'], 6),
];

function processRow(name: string, args: string[], atMost: number): Row {
  return {
    name: `process-${name}`,
    workload: `\`perdure ${args[0] ?? ''}\`, whole process`,
    against: '`node -e 0`',
    unit: 'ms',
    target: { atMost },
    rounds: ROUNDS,
    async measure(bench, rounds) {
      await bench.ours.compile(sequential(20));
      return measurePair(
        () => processTime(bench, [CLI, ...args]),
        () => processTime(bench, ['-e', '0']),
        rounds,
      );
    },
  };
}

async function processTime({ folder, address }: Bench, args: string[]): Promise<number> {
  return milliseconds(async () => {
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { ...process.env, TEMPORAL_ADDRESS: address },
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`\`${args.join(' ')}\` ended with ${code}`);
  });
}
