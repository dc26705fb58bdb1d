import { readdirSync, readFileSync } from 'node:fs';
import { USUAL_PORTS } from '../src/workers/server/embedded-server.js';
import { claimPort } from '../src/workers/server/ports.js';

/** Every process that a test starts inherits this variable; what still carries it at the end was left behind. */
const TAG = 'PERDURE_TEST_RUN';

/**
 * Tags this test run, and at its end kills what it left alive (where `/proc` tells). Holds the usual ports meanwhile: a
 * host that had them would lose them, while a test has it killed, to the next host of another test.
 */
export default async function setup(): Promise<() => void> {
  const claims = await Promise.all([USUAL_PORTS.grpc, USUAL_PORTS.ui].map((port) => claimPort(Number(port))));
  const run = `${process.pid}-${Date.now()}`;
  process.env[TAG] = run;
  return () => {
    for (const claim of claims) claim?.release();
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
