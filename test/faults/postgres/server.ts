import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { postgresFolder } from '../../../scripts/needs.mjs';

const run = promisify(execFile);
/** PostgreSQL runs as no root: Debian brings this user. */
const USER = 'postgres';
export const PASSWORD = 'canary-5ecret-pw';

/** A real PostgreSQL of a test's own, on loopback. */
export interface PostgresServer {
  port: number;
  /** Where its files are. */
  folder: string;
  /** The address of a new, empty database; `as` is what SQL says of it. */
  createDatabase(as?: string): Promise<string>;
  /** Runs a statement as the owner of all. */
  query(url: string, text: string, parameters?: unknown[]): Promise<Record<string, unknown>[]>;
  /** Kills it as `kill -9` does, with all its processes. */
  kill(): Promise<void>;
  /** Starts it again on its folder and its port, and waits until it answers. */
  start(): Promise<void>;
  /** Ends it, and removes its folder. */
  remove(): Promise<void>;
}

/** Makes a data folder below another and starts a server on it; resolves when it answers. */
export async function startPostgres(below = tmpdir()): Promise<PostgresServer> {
  const folder = mkdtempSync(join(below, 'perdure-pg-'));
  const isRoot = process.getuid?.() === 0;
  const command = (name: string): [string, ...string[]] =>
    isRoot ? ['runuser', '-u', USER, '--', join(programs(), name)] : [join(programs(), name)];
  if (isRoot) chownSync(folder, ...(await idsOf(USER)));
  const data = join(folder, 'data');
  const [program, ...rest] = command('initdb');
  await run(program, [...rest, '-D', data, '-U', 'owner', '-A', 'trust', '-E', 'UTF8', '--no-sync'], { cwd: folder });
  const port = await freePort();
  let server: ChildProcess | null = null;
  let databases = 0;

  async function start(): Promise<void> {
    const [file, ...before] = command('postgres');
    const settings = ['-p', String(port), '-h', '127.0.0.1', '-k', folder, '-c', 'max_connections=200'];
    for (;;) {
      // What was killed may leave processes that hold its memory for a moment: then this one ends at once.
      if (server?.exitCode !== null || server.signalCode !== null)
        server = spawn(file, [...before, '-D', data, ...settings], { stdio: 'ignore', cwd: folder });
      const answers = await query(addressOf('postgres'), 'select 1').catch(() => null);
      if (answers !== null) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function kill(): Promise<void> {
    const ended = new Promise((resolve) => server?.once('exit', resolve));
    // `runuser` stands before it; the first line of its file is the postmaster, and the others are its children.
    const postmaster = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0] ?? '';
    const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', postmaster]);
    for (const pid of [postmaster, ...stdout.split('\n').filter((line) => line.trim() !== '')]) end(Number(pid));
    await ended;
  }

  function addressOf(database: string): string {
    return `postgres://owner:${PASSWORD}@127.0.0.1:${String(port)}/${database}`;
  }

  async function query(url: string, text: string, parameters: unknown[] = []): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(text, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  await start();
  return {
    port,
    folder,
    start,
    kill,
    query,
    async createDatabase(as = '') {
      databases += 1;
      const name = `store_${String(databases)}`;
      await query(addressOf('postgres'), `create database ${name} ${as}`);
      return addressOf(name);
    },
    async remove() {
      if (server?.exitCode === null && server.signalCode === null) await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * The database refuses answers of more than 2,000 characters from now on, as one does that has no room left for them.
 * Gives what ends that.
 */
export async function refuseLongAnswers(
  server: PostgresServer,
  url: string,
  code = '53100',
  words = 'could not extend file',
): Promise<() => Promise<unknown>> {
  await server.query(
    url,
    `create or replace function perdure.refuse() returns trigger language plpgsql as $$ begin
       if length(new.entry) > 2000 then raise exception '${words}' using errcode = '${code}'; end if;
       return new;
     end $$`,
  );
  await server.query(
    url,
    'create or replace trigger refusing before insert or update on perdure.journal ' +
      'for each row execute function perdure.refuse()',
  );
  return () => server.query(url, 'drop trigger if exists refusing on perdure.journal');
}

/** Debian keeps its programs off the path. */
function programs(): string {
  const found = postgresFolder();
  if (found === null) throw new Error('PostgreSQL is not installed');
  return found;
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

async function idsOf(user: string): Promise<[number, number]> {
  const id = async (flag: string): Promise<number> => Number((await run('id', [flag, user])).stdout);
  return [await id('-u'), await id('-g')];
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('expected a port');
  return address.port;
}
