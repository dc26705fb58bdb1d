import { readdirSync, readFileSync } from 'node:fs';

/** Every process that a test starts inherits this variable; what still carries it at the end was left behind. */
const TAG = 'PERDURE_TEST_RUN';

/** Tags this test run, and at its end kills what it left alive (where `/proc` tells). */
export default function setup(): () => void {
  const run = `${process.pid}-${Date.now()}`;
  process.env[TAG] = run;
  return () => {
    for (const { pid, command } of processesWith(`${TAG}=${run}`)) {
      console.error(`left behind by a test, killed: ${pid} ${command}`);
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
  };
}

function processesWith(variable: string): { pid: number; command: string }[] {
  return pids().flatMap((pid) => {
    try {
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      if (pid === process.pid || !environment.includes(variable)) return [];
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      // vitest's own workers carry the tag as well, and end by themselves.
      return command.includes('node_modules/vitest/') ? [] : [{ pid, command: command.slice(0, 200) }];
    } catch {
      return [];
    }
  });
}

function pids(): number[] {
  try {
    return readdirSync('/proc').map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}
