import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { tellError } from '../../../src/cli/errors.js';
import { packageVersion } from '../../../src/cli/package-version.js';
import { runProgram } from '../../../src/cli/program.js';
import { createPalette } from '../../../src/cli/text/colors.js';

/** The program as it is installed. */
export const MAIN = fileURLToPath(new URL('../../../dist/cli/main.js', import.meta.url));

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

interface Given {
  env?: Record<string, string>;
  stdin?: string;
}

/** Runs `perdure …` in a folder, without a terminal and without any provider. */
export function perdure(
  folder: string,
  args: string[],
  { env = {}, stdin = '', node = [] }: Given & { node?: string[] } = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [...node, MAIN, ...args], { cwd: folder, env: environmentIn(folder, env) });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString();
  });
  child.stdin.on('error', () => undefined); // a command that reads nothing may end first
  child.stdin.end(stdin);
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, stdout, stderr })));
}

/**
 * The same in this process, in a tenth of the time: all of the command line but the start and the end of a process. For
 * commands that start nothing and ask no server.
 */
export async function perdureHere(
  folder: string,
  args: string[],
  { env = {}, stdin = '' }: Given = {},
): Promise<Finished> {
  const [stdout, stderr] = [createSink(), createSink()];
  const own = environmentIn(folder, env);
  const palette = createPalette(false);
  // Streams that are no terminal are asked for `write` and `isTTY` alone.
  const streams = { stdin: Readable.from([stdin]), stdout: stdout.stream, stderr: stderr.stream } as unknown as Pick<
    NodeJS.Process,
    'stdin' | 'stdout' | 'stderr'
  >;
  const terminal = { ...streams, env: own, cwd: folder, interactive: false, palette, resultPalette: palette };
  const before = { ...process.env };
  replaceEnvironment(own);
  try {
    const code = await runProgram(args, terminal, packageVersion()).catch((error: unknown) =>
      tellError(terminal, error, args.includes('--json')),
    );
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    replaceEnvironment(before);
  }
}

function environmentIn(folder: string, env: Record<string, string>): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: folder,
    PERDURE_TEST_RUN: process.env['PERDURE_TEST_RUN'],
    OLLAMA_HOST: 'http://127.0.0.1:9',
    ...env,
  };
}

/** Key by key: what the system itself looks up, such as the home folder, follows too. */
function replaceEnvironment(env: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  for (const [name, value] of Object.entries(env)) if (value !== undefined) process.env[name] = value;
}

function createSink(): { stream: Writable; text: () => string } {
  const chunks: string[] = [];
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string, _encoding, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => chunks.join('') };
}

export const HELLO = `name: hello
inputs:
  name: {type: string, required: true}
steps:
  - id: greeting
    command: [printf, "Hello, %s!", "\${name}"]
`;
export const ASKS_A_MODEL = 'name: asks\nsteps:\n  - agent: general-purpose\n    prompt: Say hello.\n';
