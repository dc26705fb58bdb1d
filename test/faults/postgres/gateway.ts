import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '1.8.0';
/** Outside the checkout, as Temporal's server is: it takes minutes to build. */
const CACHE = join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'perdure', `versitygw-${VERSION}`);
export const BUCKET_KEYS = { AWS_ACCESS_KEY_ID: 'canaryaccess', AWS_SECRET_ACCESS_KEY: 'canary-5ecret-key' };

/** A real gateway that speaks S3, over a folder. */
export interface Gateway {
  endpoint: string;
  /** Has a folder for each bucket, with a file for each object. */
  folder: string;
  /** Kills it as `kill -9` does. */
  kill(): Promise<void>;
  /** Starts it again at the same address. */
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** Starts a gateway with one bucket. */
export async function startGateway(bucket: string): Promise<Gateway> {
  const program = gatewayProgram();
  const folder = mkdtempSync(join(tmpdir(), 'perdure-s3-'));
  mkdirSync(join(folder, bucket));
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  let child: ChildProcess | null = null;
  const start = async (): Promise<void> => {
    const { AWS_ACCESS_KEY_ID: access, AWS_SECRET_ACCESS_KEY: secret } = BUCKET_KEYS;
    const env = { PATH: process.env['PATH'], ROOT_ACCESS_KEY: access, ROOT_SECRET_KEY: secret };
    child = spawn(program, ['--port', `127.0.0.1:${port}`, 'posix', folder], { stdio: 'ignore', env });
    while (
      !(await fetch(endpoint).then(
        () => true,
        () => false,
      ))
    )
      await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const kill = async (): Promise<void> => {
    const ended = new Promise((resolve) => child?.once('exit', resolve));
    child?.kill('SIGKILL');
    await ended;
  };
  await start();
  return {
    endpoint,
    folder,
    kill,
    start,
    remove: async () => {
      if (child?.exitCode === null && child.signalCode === null) await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Built by Go once. */
function gatewayProgram(): string {
  const path = join(CACHE, 'versitygw');
  mkdirSync(CACHE, { recursive: true });
  if (!existsSync(path))
    execFileSync('go', ['install', '-p', '1', `github.com/versity/versitygw/cmd/versitygw@v${VERSION}`], {
      env: { ...process.env, GOBIN: CACHE },
      stdio: 'ignore',
    });
  return path;
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo; // a server on TCP has such an address
      server.close(() => resolve(port));
    });
  });
}
