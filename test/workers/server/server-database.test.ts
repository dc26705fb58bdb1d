import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  beginDatabase,
  checkDatabase,
  databaseIsMade,
  removeUnmade,
} from '../../../src/workers/server/server-database.js';

const CONTENT = 'SQLite format 3\0 with runs';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'perdure-database-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content = CONTENT): void => writeFileSync(join(folder, name), content);
const files = (): string[] => readdirSync(folder).sort();

describe('a database that a server has begun', () => {
  it('is known by a mark, which goes once it is made, and is there for no other', async () => {
    expect(await beginDatabase(folder)).toBe(true);
    expect(files()).toEqual(['temporal.db.making']);
    await databaseIsMade(folder);
    put('temporal.db');
    expect(await beginDatabase(folder)).toBe(false);
    expect(files()).toEqual(['temporal.db']);
  });

  it('is set aside where that server was killed, and never removed: who brought it back finds it', async () => {
    await beginDatabase(folder);
    for (const name of ['temporal.db', 'temporal.db-wal']) put(name);
    const aside = await checkDatabase(folder);
    expect(aside).toMatch(/\/temporal\.db\.unmade-\d{8}T\d{6}/);
    expect(readFileSync(aside ?? '', 'utf8')).toBe(CONTENT);
    expect(existsSync(`${aside}-wal`)).toBe(true);
    expect(files()).toHaveLength(2);
    expect(await checkDatabase(folder)).toBeNull();
  });

  it('is not what was written before: a copy that was brought back stays where it is', async () => {
    await beginDatabase(folder);
    put('temporal.db');
    utimesSync(join(folder, 'temporal.db'), 1000, 1000);
    expect(await checkDatabase(folder)).toBeNull();
    expect(files()).toEqual(['temporal.db']);
  });

  it('takes its log with it where a copy came back without one: that would be written into the copy', async () => {
    await beginDatabase(folder);
    for (const name of ['temporal.db', 'temporal.db-wal', 'temporal.db-shm']) put(name);
    utimesSync(join(folder, 'temporal.db'), 1000, 1000);
    const aside = await checkDatabase(folder);
    expect(files().filter((name) => !name.includes('unmade'))).toEqual(['temporal.db']);
    expect([existsSync(`${aside}-wal`), existsSync(`${aside}-shm`), existsSync(aside ?? '')]).toEqual([
      true,
      true,
      false,
    ]);
  });

  it('goes with its mark where that start failed', async () => {
    await beginDatabase(folder);
    for (const name of ['temporal.db', 'temporal.db-wal', 'temporal.db-shm']) put(name);
    await removeUnmade(folder);
    expect(files()).toEqual([]);
  });
});

it('a check alone, after which minutes may pass, leaves no mark', async () => {
  expect(await checkDatabase(folder)).toBeNull();
  expect(files()).toEqual([]);
});
