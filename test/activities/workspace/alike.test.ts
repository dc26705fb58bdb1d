import { expect, it } from 'vitest';
import type { Begun, Sight } from '../../../src/activities/workspace/alike.js';
import { beginAlike, endsIn } from '../../../src/activities/workspace/alike.js';

const sight = (mounts: string[], kept: string[] = [], patterns: string[] = []): Sight => ({
  ...{ mounts, basis: mounts, isSteady: true, sockets: [] },
  ...{ kept, patterns },
});
const never = new AbortController().signal;
const beginAt = (place: string, mounts: string[], signal = never): Promise<Begun | null> =>
  beginAlike(place, () => sight(mounts), signal);

it('lets commands begin together that see a workspace alike', async () => {
  const both = await Promise.all([beginAt('/alike', ['a']), beginAt('/alike', ['a'])]);
  expect(both.map((begun) => begun?.mounts)).toEqual([['a'], ['a']]);
  for (const begun of both) begun?.end();
});

it('lets one that sees it otherwise wait, and looks again then', async () => {
  const first = await beginAt('/again', ['a']);
  let mounts = ['b'];
  const second = beginAlike('/again', () => sight(mounts), never);
  const elsewhere = await beginAt('/elsewhere', ['b']);
  mounts = ['c'];
  first?.end();
  const begun = await second;
  expect(begun?.mounts).toEqual(['c']);
  begun?.end();
  elsewhere?.end();
});

it.each([
  ['places', sight(['a'], ['b'])],
  ['patterns', sight(['a'], [], ['b'])],
  ['what was made anew', { ...sight(['a']), basis: ['a', 'another'] }],
  ['folders that may go', { ...sight(['a']), isSteady: false }],
])('lets one wait that sees it by the same mounts, but not the same for %s', async (_what, other) => {
  const begun: string[] = [];
  const first = await beginAt('/kept', ['a']);
  const second = beginAlike('/kept', () => other, never).then((one) => (begun.push('second'), one));
  const third = await beginAlike('/kept-elsewhere', () => other, never);
  expect(begun).toEqual([]);
  const ended = endsIn('/kept');
  first?.end();
  (await second)?.end();
  third?.end();
  expect(endsIn('/kept')).toBe(ended + 2);
});

it('begins no later one before one that waits and sees it otherwise', async () => {
  const begun: string[] = [];
  const first = await beginAt('/order', ['a']);
  const second = beginAt('/order', ['b']).then((one) => (begun.push('second'), one));
  const third = beginAt('/order', ['a']).then((one) => (begun.push('third'), one));
  first?.end();
  (await second)?.end();
  (await third)?.end();
  expect(begun).toEqual(['second', 'third']);
});

it('waits no longer than it may, and then holds up nobody', async () => {
  const limit = new AbortController();
  const first = await beginAt('/limit', ['a']);
  const second = beginAt('/limit', ['b'], limit.signal);
  const third = beginAt('/limit', ['a']);
  limit.abort();
  expect(await second).toBeNull();
  (await third)?.end();
  first?.end();
  expect(await beginAt('/limit', ['c'], limit.signal)).toBeNull();
});

it('holds nobody up for sockets, and tells one that begins those that all have who run', async () => {
  const told: unknown[] = [];
  const begin = (...sockets: string[]): Promise<Begun | null> =>
    beginAlike('/sockets', (shared) => (told.push(shared), { ...sight([]), mounts: sockets, sockets }), never);
  const all = [await begin('a', 'b', 'c'), await begin('b', 'a'), await begin('a'), await begin()];
  expect(told).toEqual([null, ['a', 'b', 'c'], ['a', 'b'], ['a']]);
  for (const begun of all) begun?.end();
  (await begin('d'))?.end();
  expect(told.at(-1)).toBeNull();
});
