import { homedir } from 'node:os';
import { afterEach, expect, it } from 'vitest';
import { cacheFolder } from '../../src/store/cache-folder.js';

const platform = process.platform;
const on = (name: string): unknown => Object.defineProperty(process, 'platform', { value: name });
afterEach(() => on(platform));

it.each<[string, string, Record<string, string>, string]>([
  ['where the user says', 'linux', { XDG_CACHE_HOME: '/cache', HOME: '/h/u' }, '/cache/perdure'],
  ['there on every platform', 'darwin', { XDG_CACHE_HOME: '/cache', HOME: '/h/u' }, '/cache/perdure'],
  ['in the home where nothing is said', 'linux', { HOME: '/h/u' }, '/h/u/.cache/perdure'],
  ['in the home where it is empty', 'linux', { XDG_CACHE_HOME: '', HOME: '/h/u' }, '/h/u/.cache/perdure'],
  ['in the home where it is relative', 'linux', { XDG_CACHE_HOME: 'c/', HOME: '/h/u' }, '/h/u/.cache/perdure'],
  ['at the place of macOS', 'darwin', { HOME: '/h/u' }, '/h/u/Library/Caches/perdure'],
  ['in the home of the system’s list without HOME', 'linux', {}, `${homedir()}/.cache/perdure`],
])('what can be made again lies %s (%s)', (_where, system, env, folder) => {
  on(system);
  expect(cacheFolder(env)).toBe(folder);
});

it('is that of this process by itself', () => {
  expect(cacheFolder()).toBe(cacheFolder(process.env));
});
