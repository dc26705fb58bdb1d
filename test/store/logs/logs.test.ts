import { appendFileSync, existsSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, rmdir, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../src/store/store.js';
import type { LogLine } from '../../../src/store/logs/line.js';
import { openStore } from '../../../src/store/local-store.js';
import { createPruning } from '../../../src/store/records/prune-files.js';
import { temporaryFolder } from '../helpers/harness.js';

async function texts(store: Store, path: string, run = 'run'): Promise<string> {
  let text = '';
  for (let offset = 0; ;) {
    const { lines, next } = await store.readLog(run, path, offset);
    if (next === offset) return text;
    text += lines.map((line) => line.text).join('');
    offset = next;
  }
}

/** Says something last and closes the log. */
async function lastWords(store: Store, path: string, text: string, at?: string): Promise<void> {
  const log = store.openLog('run', path);
  log.writeLast('text', text, at);
  await log.close();
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

  it('in which nothing was said leaves no file', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await store.openLog('run', 'step').close();
    await store.logsWritten();
    expect(existsSync(join(folder, 'logs'))).toBe(false);
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
    await Promise.all(
      paths.map((path) => {
        const log = store.openLog('run', path);
        log.writeLast('text', path);
        return log.close();
      }),
    );
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
    const third = store.openLog('run', 'step');
    third.write('stdout', 'last\n');
    await third.close();
    // An empty line would be one more to read for ever.
    expect((await readFile(join(folder, 'logs', 'run', 'step.ndjson'), 'utf8')).split('\n')).toHaveLength(5);
  });

  it('that could not be written for a while says how much is missing, and closing it says why', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const file = join(folder, 'logs', 'run', 'step.ndjson');
    await mkdir(file, { recursive: true });
    const log = store.openLog('run', 'step');
    for (const text of ['one\n', 'two\n']) log.write('stdout', text);
    await rmdir(file);
    for (const text of ['three\n', 'four\n']) log.write('stdout', text);
    await expect(log.close()).rejects.toThrow(/Cannot write `.*step\.ndjson`: expected a file, got a folder/);
    const { lines } = await store.readLog('run', 'step', 0);
    expect(lines.map(({ stream, text }) => [stream, text])).toEqual([
      ['note', expect.stringMatching(/^2 lines are missing here: Cannot write `.*step\.ndjson`: expected a file/)],
      ['stdout', 'three\n'],
      ['stdout', 'four\n'],
    ]);
  });

  it('that no disk takes is a failure to who closes it, however little it said', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await mkdir(join(folder, 'logs', 'run'), { recursive: true });
    await symlink('/dev/full', join(folder, 'logs', 'run', 'step.ndjson'));
    const log = store.openLog('run', 'step');
    log.write('stdout', 'one');
    await expect(log.close()).rejects.toMatchObject({ type: 'store-full' });
    expect(await store.listLogs('run')).toEqual([]);
  });

  it('leaves no file open, whether it was written, read, listed or lost', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const open = async (): Promise<number> => (await readdir('/proc/self/fd')).length;
    const before = await open();
    for (let step = 0; step < 30; step++) {
      const log = store.openLog('run', `step-${String(step)}`);
      if (step % 3 > 0) log.write('stdout', 'x');
      if (step % 3 < 2) log.writeLast('text', 'last');
      await log.close();
      await store.logsWritten();
      await new Promise(setImmediate);
      expect(await texts(store, `step-${String(step)}`)).toMatch(/^x?(last)?$/);
    }
    expect(await store.listLogs('run')).toHaveLength(30);
    await expect.poll(open).toBeLessThan(before + 10);
  });

  it('is listed once it says something, those of one moment by their paths', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    for (const path of ['q', 'b/2', 'z', 'a', 'b/1', 'b']) {
      const log = store.openLog('run', path);
      log.write('stdout', 'x', '2026-01-01T00:00:00.000Z');
      await log.close();
    }
    await writeFile(join(folder, 'logs', 'run', 'empty.ndjson'), '');
    expect(await store.listLogs('run')).toEqual(['a', 'b', 'b/1', 'b/2', 'q', 'z']);
  });

  it.each([
    ['the log', 'run/step.ndjson/x', 'run/step.ndjson', (store: Store) => store.readLog('run', 'step', 0)],
    ['the last words', 'run/gathered.log/x', 'run/gathered.log', (store: Store) => store.readLog('run', 'step', 0)],
    ['the folder of a run', 'run', 'run', (store: Store) => store.listLogs('run')],
  ])('that cannot be read is a failure, not empty: %s', async (_, path, named, read) => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await mkdir(dirname(join(folder, 'logs', path)), { recursive: true });
    await writeFile(join(folder, 'logs', path), '');
    await expect(read(store)).rejects.toThrow(`Cannot read \`${join(folder, 'logs', named)}\``);
  });

  it('of many megabytes is read in parts that end in whole lines', async () => {
    const store = await openStore(await temporaryFolder());
    const log = store.openLog('run', 'step');
    const piece = '\u0007☃x'.repeat(100_000);
    for (let i = 0; i < 5; i++) log.write('stdout', piece);
    await log.close();
    expect(await texts(store, 'step')).toBe(piece.repeat(5));
  });

  it('is private, and so is the file of those that had last words alone', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const log = store.openLog('run', 'step');
    log.write('stdout', 'x');
    await log.close();
    await lastWords(store, 'call', 'x');
    await store.logsWritten();
    const modes = ['step.ndjson', 'gathered.log'].map(
      async (name) => (await stat(join(folder, 'logs', 'run', name))).mode & 0o777,
    );
    expect(await Promise.all(modes)).toEqual([0o600, 0o600]);
  });
});

describe('logs of last words alone', () => {
  it('are one file for all steps of a run', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    for (let item = 0; item < 50; item++) await lastWords(store, `items/${String(item)}`, 'x');
    await store.logsWritten();
    expect(await readdir(join(folder, 'logs', 'run'))).toEqual(['gathered.log']);
    expect(await store.listLogs('run')).toHaveLength(50);
  });

  it('of a run whose id is used again, after it was pruned by another process, are those of the new run', async () => {
    const folder = await temporaryFolder();
    const [store, pruner] = [await openStore(folder), await openStore(folder)];
    await lastWords(store, 'long', 'of the first run');
    await lastWords(store, 'step', 'old');
    expect([await texts(store, 'long'), await texts(store, 'step')]).toEqual(['of the first run', 'old']);
    await createPruning(folder).removeRun('run');
    await lastWords(pruner, 'step', 'new, and longer than all that the first run said');
    await pruner.logsWritten();
    expect(await texts(store, 'step')).toBe('new, and longer than all that the first run said');
    expect(await store.listLogs('run')).toEqual(['step']);
  });

  it('are begun when the first of them was said, whichever process was first to write', async () => {
    const folder = await temporaryFolder();
    const [one, other] = [await openStore(folder), await openStore(folder)];
    const say = async (store: Store, path: string, second: number): Promise<void> => {
      const log = store.openLog('run', path);
      log.writeLast('text', path, `2026-01-01T00:00:0${String(second)}.000Z`);
      await log.close();
      await store.logsWritten();
    };
    for (const [store, path, second] of [
      ...([
        [one, 'b', 3],
        [one, 'c', 2],
        [one, 'a', 2],
        [one, 'd', 3],
      ] as const),
      ...([
        [other, 'b', 1],
        [other, 'c', 4],
      ] as const),
    ])
      await say(store, path, second);
    expect(await other.listLogs('run')).toEqual(['b', 'a', 'c', 'd']);
    expect(await one.readLog('run', 'b', 1_000)).toEqual({ lines: [], next: 1_000 });
  });

  it('of many megabytes, written in turns, are read in parts that end in whole lines', async () => {
    const store = await openStore(await temporaryFolder());
    const piece = '\u0007☃x'.repeat(60_000);
    for (let turn = 0; turn < 5; turn++) {
      await lastWords(store, 'one', piece);
      if (turn % 2 === 0) await lastWords(store, 'two', `${String(turn)},`);
      await store.logsWritten();
    }
    expect([await texts(store, 'one'), await texts(store, 'two')]).toEqual([piece.repeat(5), '0,2,4,']);
  });

  it('come about a megabyte at a time, however many pieces they are in', async () => {
    const store = await openStore(await temporaryFolder());
    for (let turn = 0; turn < 60; turn++) {
      await lastWords(store, 'one', 'x'.repeat(40_000));
      await lastWords(store, 'two', 'between');
      await store.logsWritten();
    }
    const { lines, next } = await store.readLog('run', 'one', 0);
    expect(next).toBeLessThan(1024 * 1024);
    expect(lines).toHaveLength(26);
  });

  it('are told by their whole path, however long', async () => {
    const store = await openStore(await temporaryFolder());
    const path = `items/${'ä'.repeat(300)}/ask`;
    await lastWords(store, path, 'x');
    await store.logsWritten();
    expect(await store.listLogs('run')).toEqual([path]);
  });

  it('read like a file of their own, whatever process wrote them when, and where a crash cut them', async () => {
    const PATHS = ['a', 'a/0', 'b'];
    const act = fc.record({
      what: fc.constantFrom('last', 'all', 'cut', 'flush', 'read'),
      path: fc.constantFrom(...PATHS),
      by: fc.constantFrom(0, 1),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 25 }), async (acts) => {
        const folder = await temporaryFolder();
        const file = join(folder, 'logs', 'run', 'gathered.log');
        const stores = [await openStore(folder), await openStore(folder)] as const;
        const reader = await openStore(folder);
        const said = new Map<string, { begun: number; last: string[]; own: string[] }>();
        const readTo = new Map<string, { offset: number; lines: LogLine[] }>();
        const readOn = async (path: string): Promise<string[]> => {
          const { offset, lines } = readTo.get(path) ?? { offset: 0, lines: [] };
          for (let at = offset; ;) {
            const { lines: more, next } = await reader.readLog('run', path, at);
            readTo.set(path, { offset: next, lines });
            lines.push(...more);
            if (next === at) return lines.map(({ text }) => text);
            at = next;
          }
        };
        const flush = (): Promise<unknown> => Promise.all(stores.map((store) => store.logsWritten()));
        for (const [index, { what, path, by }] of acts.entries()) {
          const text = String(index);
          const at = new Date(index).toISOString();
          const log = said.get(path) ?? { begun: index, last: [], own: [] };
          if (what === 'flush') await flush();
          if (what === 'read') await readOn(path);
          if (what === 'cut')
            await flush().then(() => existsSync(file) && appendFileSync(file, `{"path":"${path}","at":"20`));
          if (what === 'last' && log.own.length === 0) {
            await lastWords(stores[by], path, text, at);
            said.set(path, { ...log, last: [...log.last, text] });
          }
          if (what === 'all') {
            await flush(); // What a step wrote in one process is in its file long before another one tries again.
            const writer = stores[by].openLog('run', path);
            writer.write('note', text, at);
            await writer.close();
            said.set(path, { ...log, own: [...log.own, text] });
          }
        }
        await flush();
        for (const path of PATHS) {
          const { last = [], own = [] } = said.get(path) ?? {};
          const lines = await readOn(path);
          expect([lines.slice(0, last.length).sort(), lines.slice(last.length)]).toEqual([[...last].sort(), own]);
        }
        expect(await reader.listLogs('run')).toEqual(
          [...said].sort(([, a], [, b]) => a.begun - b.begun).map(([path]) => path),
        );
      }),
      { numRuns: 60 },
    );
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

  it.each(['../../escape', '..', '/etc/passwd', 'a//b', 'a\0b', 'a\u001b[31m', '.'])(
    'stay in their folder when a path is `%s`',
    async (path) => {
      const folder = await temporaryFolder();
      const store = await openStore(join(folder, '.perdure'));
      const log = store.openLog('../run', path);
      log.write('text', 'mine');
      await log.close();
      const call = store.openLog('../run', `${path}/call`);
      call.writeLast('text', 'too');
      await call.close();
      expect([await texts(store, path, '../run'), await texts(store, `${path}/call`, '../run')]).toEqual([
        'mine',
        'too',
      ]);
      expect(await readdir(folder)).toEqual(['.perdure']);
      expect((await readdir(join(folder, '.perdure'))).sort()).toEqual(['.gitignore', 'logs', 'store.json']);
    },
  );
});
