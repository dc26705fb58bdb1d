import { appendFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/store/store.js';
import { openStore } from '../../src/store/local-store.js';
import { temporaryFolder } from './harness.js';

async function texts(store: Store, path: string, run = 'run'): Promise<string> {
  let text = '';
  for (let offset = 0; ;) {
    const { lines, next } = await store.readLog(run, path, offset);
    if (next === offset) return text;
    text += lines.map((line) => line.text).join('');
    offset = next;
  }
}

describe('a log', () => {
  it('can be read while it is written, from where one was', async () => {
    const store = await openStore(await temporaryFolder());
    const log = store.openLog('run', 'step');
    log.write('stdout', 'one\n');
    const first = await store.readLog('run', 'step', 0);
    expect(first.lines).toEqual([{ at: expect.stringMatching(/Z$/), stream: 'stdout', text: 'one\n' }]);
    log.write('stderr', 'two\n');
    expect((await store.readLog('run', 'step', first.next)).lines).toMatchObject([{ stream: 'stderr', text: 'two\n' }]);
    await log.close();
  });

  it('that is not there is empty', async () => {
    const store = await openStore(await temporaryFolder());
    expect(await store.readLog('run', 'step', 0)).toEqual({ lines: [], next: 0 });
    expect(await store.listLogs('run')).toEqual([]);
  });

  it('gets its last words once it is closed, and those that were not the last where they belong', async () => {
    const store = await openStore(await temporaryFolder());
    const log = store.openLog('run', 'step');
    log.writeLast('text', 'one ');
    expect(await store.listLogs('run')).toEqual([]);
    log.write('note', 'two ');
    expect(await texts(store, 'step')).toBe('one two ');
    log.writeLast('text', 'three ');
    log.writeLast('text', 'four');
    await log.close();
    await store.logsWritten();
    await new Promise(setImmediate);
    expect(await texts(store, 'step')).toBe('one two three four');
  });

  it('has its last words before what the next try writes, whose log may be opened at once', async () => {
    const store = await openStore(await temporaryFolder());
    for (const path of ['step', 'block/0/step']) {
      const first = store.openLog('run', path);
      first.writeLast('text', 'last ');
      await first.close();
      const next = store.openLog('run', path);
      next.write('note', 'first');
      expect(await texts(store, path)).toBe('last first');
      await next.close();
    }
    await store.logsWritten();
    expect([await texts(store, 'step'), await texts(store, 'block/0/step')]).toEqual(['last first', 'last first']);
  });

  it('of many steps that end at once are all written when `logsWritten` says so', async () => {
    const store = await openStore(await temporaryFolder());
    const paths = Array.from({ length: 200 }, (_, index) => `items/${String(index)}`);
    await Promise.all(paths.map((path) => {
      const log = store.openLog('run', path);
      log.writeLast('text', path);
      return log.close();
    }));
    await store.logsWritten();
    expect(await Promise.all(paths.map((path) => texts(store, path)))).toEqual(paths);
  });

  it('gets its last words though nobody asks for them, for a reader in another process', async () => {
    const folder = await temporaryFolder();
    const log = (await openStore(folder)).openLog('run', 'step');
    log.writeLast('text', 'last');
    await log.close();
    const reader = await openStore(folder);
    await expect.poll(() => texts(reader, 'step')).toBe('last');
  });

  it('goes on in the same place when the step is tried again, also after half a line', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const first = store.openLog('run', 'step');
    first.write('stdout', 'before\n');
    await first.close();
    await appendFile(join(folder, 'logs', 'run', 'step.ndjson'), '{"at":"2026-01-01T00:0');
    expect(await texts(store, 'step')).toBe('before\n');
    const second = store.openLog('run', 'step');
    second.write('stdout', 'after\n');
    await second.close();
    expect(await texts(store, 'step')).toBe('before\nafter\n');
  });

  it('of many megabytes is read in parts that end in whole lines', async () => {
    const store = await openStore(await temporaryFolder());
    const log = store.openLog('run', 'step');
    const piece = '\u0007☃x'.repeat(100_000);
    for (let i = 0; i < 5; i++) log.write('stdout', piece);
    await log.close();
    expect(await texts(store, 'step')).toBe(piece.repeat(5));
  });

  it('is private', async () => {
    const folder = await temporaryFolder();
    const log = (await openStore(folder)).openLog('run', 'step');
    log.write('stdout', 'x');
    await log.close();
    expect((await stat(join(folder, 'logs', 'run', 'step.ndjson'))).mode & 0o777).toBe(0o600);
  });
});

describe('the logs of a run', () => {
  it('are listed in the order in which they were begun', async () => {
    const store = await openStore(await temporaryFolder());
    for (const path of ['zeta', 'nested/alpha', 'nested', 'items/0/check']) {
      const log = store.openLog('run', path);
      log.write('text', 'x');
      await log.close();
      await new Promise((resolve) => setTimeout(resolve, 2)); // their times are in milliseconds
    }
    expect(await store.listLogs('run')).toEqual(['zeta', 'nested/alpha', 'nested', 'items/0/check']);
  });

  it.each(['../../escape', '..', '/etc/passwd', 'a//b', 'a\0b', 'a\u001b[31m', '.'])('stay in their folder when a path is `%s`', async (path) => {
    const folder = await temporaryFolder();
    const store = await openStore(join(folder, '.perdure'));
    const log = store.openLog('../run', path);
    log.write('text', 'mine');
    await log.close();
    expect(await texts(store, path, '../run')).toBe('mine');
    expect(await readdir(folder)).toEqual(['.perdure']);
    expect((await readdir(join(folder, '.perdure'))).sort()).toEqual(['.gitignore', 'logs', 'store.json']);
  });
});
