import { existsSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { cacheFolder } from '../../store/cache-folder.js';
import { entryAt } from '../../store/folders/entry-at.js';
import { packageRoot } from '../../store/folders/package-root.js';
import { isBelow, realOf } from '../../store/folders/places.js';
import { readPlainNow } from '../../store/read-plain.js';
import { STARTERS_AMONG_PACKAGES } from './perdure-names.js';

/** Of a checkout of ours, what runs, and what says which packages do; the sources are its developers' to change. */
const OF_CHECKOUT = ['dist', 'definitions', 'package.json'];
/** Loaded where it is there, and no dependency that is installed with us. */
const LOADED = ['@temporalio/testing'];
/** Node takes a file that is called so before a package that does not say what it exports. */
const ENDINGS = ['.js', '.node'];
/** A name is no path that leads elsewhere: an agent may have written the manifest of what only looks like us. */
const PACKAGE = /^(?:@[^/]+\/)?[^/.][^/]*$/;
const MANIFEST_BYTES = 256 * 1024;
/** So long it holds what packages are loaded: agents cannot change it. */
const VALID_MS = 60_000;

const known = new Map<string, { at: number; paths: Set<string> }>();

/**
 * What the next `perdure` would run of a workspace, as paths from its root: our package where it lies there or is
 * installed for one of these projects, the command by which npm finds it, what npm would start before it, each package
 * that it loads, Node, and what our cache keeps. Also places where nothing stands, and a package would be loaded from
 * there first. Nobody runs what is in a work tree.
 */
export function ownCode(workspace: string, projects: string[], stateDir: string | null): string[] {
  const top = realOf(workspace);
  if (isWorkTree(workspace, stateDir)) return [];
  const installed = ['', ...projects]
    .map((project) => join(top, project, 'node_modules', 'perdure'))
    .filter((path) => entryAt(path) !== null);
  const roots = new Set([packageRoot(), ...installed].map(realOf).filter((root) => isBelow(root, top)));
  const machine = [process.execPath, cacheFolder()].filter((path) => existsSync(path)).map(realOf);
  const loaded = [...roots].flatMap((root) => [...loadedBy(root)]);
  // What is not there yet is looked for at a command's end: packages may come, and by a link.
  const starters = ['', ...projects]
    .flatMap((project) => STARTERS_AMONG_PACKAGES.map((name) => join(top, project, name)))
    .filter((path) => entryAt(path) !== null);
  const paths = new Set([...machine, ...starters, ...installed.flatMap(entriesOf), ...loaded]);
  return [...paths].filter((path) => isBelow(path, top) && !isHeld(path, paths)).map((path) => relative(top, path));
}

/** Nobody starts Perdure there. */
export function isWorkTree(workspace: string, stateDir: string | null): boolean {
  return stateDir !== null && isBelow(realOf(workspace), realOf(stateDir));
}

/** Tells whether a path is below another one of these. */
function isHeld(path: string, paths: ReadonlySet<string>): boolean {
  for (let at = dirname(path); at !== dirname(at); at = dirname(at)) if (paths.has(at)) return true;
  return false;
}

/** A package of ours among others, with the command that npm makes for it. */
function entriesOf(folder: string): string[] {
  return [folder, join(dirname(folder), '.bin', 'perdure')];
}

function loadedBy(root: string): Set<string> {
  const last = known.get(root);
  if (last !== undefined && Date.now() - last.at < VALID_MS) return last.paths;
  const paths = look(root);
  known.set(root, { at: Date.now(), paths });
  return paths;
}

/** A package of ours and all that it loads, by what manifests name, looked up as Node does. */
function look(root: string): Set<string> {
  const isInstalled = basename(dirname(root)) === 'node_modules';
  const paths = new Set(isInstalled ? entriesOf(root) : OF_CHECKOUT.map((name) => join(root, name)));
  const folders = new Set([root]);
  // What a package names is looked at, too: the set grows meanwhile.
  for (const folder of folders) {
    const { names } = manifestIn(folder) ?? { names: [] };
    for (const name of folder === root ? [...names, ...LOADED] : names) {
      const { found, places } = lookUp(name, folder);
      for (const place of places) paths.add(place);
      if (found === null) continue;
      folders.add(found);
      paths.add(found);
    }
  }
  return paths;
}

/**
 * Where Node would find a package, as far as one is there: its folder without links, and each place that it looks at on
 * the way. Null where none is anywhere.
 */
function lookUp(name: string, from: string): { found: string | null; places: string[] } {
  const places: string[] = [];
  for (let at = from; ; at = dirname(at)) {
    if (basename(at) !== 'node_modules') {
      const place = join(at, 'node_modules', name);
      const manifest = manifestIn(place);
      places.push(place, ...(manifest?.exports === true ? [] : ENDINGS.map((ending) => `${place}${ending}`)));
      if (manifest !== null) return { found: realOf(place), places };
    }
    if (at === dirname(at)) return { found: null, places };
  }
}

/** What a package may load, and whether it says what it exports; null where there is no package. */
function manifestIn(folder: string): { names: string[]; exports: boolean } | null {
  const manifest = parsed(readPlainNow(join(folder, 'package.json'), MANIFEST_BYTES)?.toString() ?? '');
  if (!isObject(manifest)) return null;
  const names = ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((kind) => {
    const named = manifest[kind] ?? null;
    return isObject(named) ? Object.keys(named).filter((name) => PACKAGE.test(name)) : [];
  });
  return { names, exports: manifest['exports'] !== undefined };
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json; // so JSON is
  } catch {
    return null;
  }
}
