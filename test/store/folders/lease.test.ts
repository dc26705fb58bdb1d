import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import type { Lease } from '../../../src/store/folders/lease.js';
import { LeaseLost, withLease } from '../../../src/store/folders/lease.js';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'perdure-lease-')), 'lease');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('is held by one at a time, each with a higher number', async () => {
  let inside = 0;
  const numbers: number[] = [];
  await Promise.all(
    Array.from({ length: 20 }, () =>
      withLease(folder, {}, async ({ number, wasLost, require }) => {
        expect((inside += 1)).toBe(1);
        expect(wasLost).toBe(false);
        await new Promise(setImmediate);
        require();
        numbers.push(number);
        inside -= 1;
      }),
    ),
  );
  expect(numbers).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
  expect(readdirSync(folder).length).toBeLessThanOrEqual(2);
});

it('is taken from a holder that was lost when it expires, and not before', async () => {
  mkdirSync(folder);
  const until = Date.now() + 300;
  writeFileSync(join(folder, '7'), String(until));
  let waited = 0;
  const taken = await withLease(folder, { onWait: () => (waited += 1) }, ({ number, wasLost }) =>
    Promise.resolve({ number, wasLost, at: Date.now() }),
  );
  expect(taken).toMatchObject({ number: 8, wasLost: true });
  expect(taken.at).toBeGreaterThanOrEqual(until);
  expect(waited).toBeGreaterThan(0);
});

it('is taken from a lost holder within its expiry though the clock was set back since', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, '7'), String(Date.now() + 86_400_000));
  const since = performance.now();
  const onWait = (): void => {
    if (performance.now() - since > 3_000) throw new Error('waits for the day to come again');
  };
  const taken = await withLease(folder, { expiryMs: 200, onWait }, ({ number, wasLost }) =>
    Promise.resolve({ number, wasLost, waited: performance.now() - since }),
  );
  expect(taken).toMatchObject({ number: 8, wasLost: true });
  expect(taken.waited).toBeGreaterThanOrEqual(200);
});

it('tells a holder that did not go on that it is one no more', async () => {
  let first: Lease | undefined;
  await withLease(folder, { expiryMs: 60_000 }, async (lease) => {
    first = lease;
    lease.require();
    // As if nothing had renewed it for a minute.
    writeFileSync(join(folder, String(lease.number)), String(Date.now() - 1));
    await withLease(folder, {}, () => Promise.resolve());
    expect(() => lease.require()).toThrow(new LeaseLost('Another took over after 60 s.'));
  });
  expect(await withLease(folder, {}, ({ number }) => Promise.resolve(number))).toBe((first?.number ?? 0) + 2);
});

it('is one private file of its folder, whose other files it leaves and does not count', async () => {
  mkdirSync(folder);
  for (const name of ['places.json', '9x', 'x9']) writeFileSync(join(folder, name), '');
  for (const number of [1, 2, 3])
    await withLease(folder, {}, async (lease) => {
      expect(lease.number).toBe(number);
      expect(statSync(join(folder, String(number))).mode & 0o777).toBe(0o600);
    });
  expect(readdirSync(folder).sort()).toEqual(['2', '3', '9x', 'places.json', 'x9']);
  writeFileSync(join(folder, '4'), 'no number');
  expect(await withLease(folder, {}, ({ number, wasLost }) => Promise.resolve([number, wasLost]))).toEqual([5, false]);
});

it('cannot be had where its last holder cannot be read, and is given back after a failure', async () => {
  await expect(withLease(folder, {}, () => Promise.reject(new Error('mine')))).rejects.toThrow('mine');
  expect(await withLease(folder, {}, ({ wasLost }) => Promise.resolve(wasLost))).toBe(false);
  mkdirSync(join(folder, '3'));
  await expect(withLease(folder, {}, () => Promise.resolve())).rejects.toThrow('EISDIR');
});

it('is looked at again where the last holder’s file went meanwhile', async () => {
  mkdirSync(folder);
  // Of this number there is no file of that name.
  writeFileSync(join(folder, '007'), '0');
  const onWait = (): void => renameSync(join(folder, '007'), join(folder, '7'));
  expect(await withLease(folder, { onWait }, ({ number }) => Promise.resolve(number))).toBe(8);
});

it('is not had by who comes second for a number', async () => {
  mkdirSync(folder);
  // One more is the same number still: its file is there when it is to be made.
  const taken = join(folder, String(2 ** 53));
  writeFileSync(taken, '0');
  let waits = 0;
  const onWait = (): void => {
    waits += 1;
    expect(readdirSync(folder)).toEqual([String(2 ** 53)]);
    rmSync(taken);
  };
  expect(await withLease(folder, { onWait }, ({ number }) => Promise.resolve(number))).toBe(1);
  expect(waits).toBe(1);
});

it('is renewed while its holder works', async () => {
  const expiryMs = 4_000;
  let other = Promise.resolve(true);
  await withLease(folder, { expiryMs }, async ({ require }) => {
    const since = Date.now();
    await new Promise<void>((resolve) => {
      const onWait = (): void => {
        if (Date.now() > since + expiryMs + 1_000) resolve();
      };
      other = withLease(folder, { onWait }, ({ wasLost }) => Promise.resolve(wasLost));
    });
    require();
  });
  expect(await other).toBe(false);
});

it('ends a wait that is given up', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, '1'), String(Date.now() + 60_000));
  const onWait = (): void => {
    throw new Error('cancelled');
  };
  await expect(withLease(folder, { onWait }, () => Promise.resolve())).rejects.toThrow('cancelled');
});

it('is held, and given up, by who cannot write meanwhile', async () => {
  const errors: unknown[] = [];
  const listen = (error: unknown): void => void errors.push(error);
  process.on('uncaughtException', listen);
  onTestFinished(() => void process.off('uncaughtException', listen));
  const work = withLease(folder, { expiryMs: 40 }, async ({ number, require }) => {
    const own = join(folder, String(number));
    rmSync(own);
    mkdirSync(own); // nothing takes its place
    await vi.waitFor(() => expect(readdirSync(folder).filter((name) => name.startsWith('.'))).not.toEqual([]));
    await new Promise(setImmediate);
    require();
    return 'done';
  });
  expect(await work).toBe('done');
  expect(errors).toEqual([]);
});
