import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** A folder with these files and a `perdure.yml`, gone when the test is. */
export function newFolder(files: Record<string, string> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-cli-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries({ 'perdure.yml': '{}\n', ...files })) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  return folder;
}

/** Runs `perdure …` in a folder, without a terminal and without any provider. */
export function perdure(folder: string, args: string[], { env = {}, stdin = '', node = [] }: { env?: Record<string, string>; stdin?: string; node?: string[] } = {}): Promise<Finished> {
  const child = spawn(process.execPath, [...node, MAIN, ...args], {
    cwd: folder,
    env: { PATH: process.env['PATH'], HOME: folder, PERDURE_TEST_RUN: process.env['PERDURE_TEST_RUN'], OLLAMA_HOST: 'http://127.0.0.1:9', ...env },
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => { stdout += chunk.toString(); });
  child.stderr.on('data', (chunk: Buffer) => { stderr += chunk.toString(); });
  child.stdin.on('error', () => undefined); // a command that reads nothing may end first
  child.stdin.end(stdin);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

export const HELLO = `name: hello
inputs:
  name: {type: string, required: true}
steps:
  - id: greeting
    command: [printf, "Hello, %s!", "\${name}"]
`;
export const ASKS_A_MODEL = 'name: asks\nsteps:\n  - agent: general-purpose\n    prompt: Say hello.\n';
