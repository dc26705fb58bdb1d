import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Project } from '../faults/project.js';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/**
 * Runs `perdure …` with all its streams on a terminal of 80 columns. When a text comes up that was not there before,
 * its key is typed. Gives every byte that the terminal got. `env` goes beside the usual variables.
 */
export function onTerminal(
  project: Project,
  args: string[],
  answers: [text: string, key: string][] = [],
  env: Record<string, string> = {},
): Promise<{ code: number | null; bytes: string }> {
  const words = [process.execPath, MAIN, ...args].map((word) => `'${word}'`);
  const command = `stty cols 80 rows 24; exec ${words.join(' ')}`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: project.folder,
    stdio: ['pipe', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PERDURE_TEMPORAL_BIN: process.env['PERDURE_TEMPORAL_BIN'],
      PERDURE_TEST_RUN: process.env['PERDURE_TEST_RUN'],
      TERM: 'xterm',
      SHELL: '/bin/sh',
      ...env,
    },
  });
  let bytes = '';
  let from = 0;
  const left = [...answers];
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    bytes += chunk;
    for (let next = left[0]; next !== undefined && bytes.includes(next[0], from); next = left[0]) {
      from = bytes.length;
      child.stdin.write(next[1]);
      left.shift();
    }
  });
  // No `script` fails at once.
  return new Promise((resolve, reject) => child.on('error', reject).on('close', (code) => resolve({ code, bytes })));
}
