import { statSync } from 'node:fs';
import { basename, posix } from 'node:path';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { readTextNow } from '../../store/read-regular.js';

const NAME = 'perdure';
/**
 * Programs that run with `npx perdure` before it, which are looked for among packages first: the shell that npm starts,
 * Node, and what the commands that pnpm writes call.
 */
const STARTERS = ['node', 'sh', 'dirname', 'sed', 'uname'];
/** Where they stand, and no package has to be there for them. */
export const STARTERS_AMONG_PACKAGES = STARTERS.map((name) => `node_modules/.bin/${name}`);
/** Where package managers look for `perdure` and for what runs before it, in any folder that a person stands in. */
export const AMONG_PACKAGES = [`node_modules/${NAME}`, `node_modules/.bin/${NAME}`, ...STARTERS_AMONG_PACKAGES];
export const MANIFEST = 'package.json';
/** Names a shell, options of Node and more for all that npm starts. */
export const SETTINGS = '.npmrc';
/** One that is longer is nobody's manifest or settings, and is not read. */
const MANIFEST_BYTES = 4 * 1024 * 1024;
const TOO_LONG = 'too long';

/**
 * What package managers start as `perdure` by the text of a manifest, before what is installed: its own `bin`, what is
 * in its `directories.bin`, and a script of that name. A text to compare; null where it is nothing.
 */
export function perdureBy(text: string): string | null {
  const manifest = manifestOf(text);
  if (manifest === null) return null;
  const { bin = null, directories = null, scripts = null } = manifest;
  const found = [
    binsOf(manifest).flatMap(([name, file]) => (commandOf(name) === NAME ? [file] : [])),
    isObject(directories) && !bin ? (directories['bin'] ?? null) : null,
    isObject(scripts) ? (scripts[NAME] ?? null) : null,
  ];
  const said = JSON.stringify(found);
  return said === '[[],null,null]' ? null : said;
}

/** The same of a manifest that is there, links followed as package managers do, and its text where that is read. */
export function perdureAt(path: string): { by: string | null; text: string } {
  const text = textAt(path);
  return text === null ? { by: TOO_LONG, text: '' } : { by: perdureBy(text), text };
}

/** Settings of npm and pnpm that start nothing, and lead nobody to another registry or file. */
const HARMLESS = new Set(
  (
    'access audit auto-install-peers color dedupe-peer-dependents engine-strict fund hoist hoist-pattern ' +
    'ignore-scripts install-links legacy-peer-deps link-workspace-packages lockfile loglevel message node-linker ' +
    'package-lock prefer-workspace-packages progress public-hoist-pattern resolution-mode save save-exact ' +
    'save-prefix shamefully-hoist shared-workspace-lockfile sign-git-tag strict-peer-dependencies strict-peer-deps ' +
    'tag-version-prefix update-notifier'
  ).split(' '),
);

/** What settings of npm say that may start something, which is compared; null for nothing. */
export function settingsAt(path: string): { by: string; text: string } | null {
  const text = textAt(path);
  if (text === null) return { by: TOO_LONG, text: '' };
  const by = text.split(/\r?\n|\r/).filter((line) => !isHarmless(line));
  return by.length === 0 ? null : { by: by.join('\n'), text };
}

/** Settings of npm without what may start something. */
export function withoutStarting(text: string): string {
  return text
    .split(/(?<=\n)/)
    .filter((line) => line.trimEnd().split('\r').every(isHarmless))
    .join('');
}

function isHarmless(line: string): boolean {
  const [key = ''] = line.split('=', 1);
  return /^\s*(?:[#;]|$)/.test(line) || HARMLESS.has(key.trim().replace(/\[\]$/, ''));
}

/** Tells whether a path among packages is that of a program which runs before `perdure`. */
export function isStarter(path: string): boolean {
  return STARTERS.includes(basename(path));
}

/** Links are followed; empty for what leads nowhere, is no file, or may not be read, and null for what is too long. */
function textAt(path: string): string | null {
  try {
    const found = statSync(path);
    if (found.isFile() && found.size > MANIFEST_BYTES) return null;
    return found.isFile() ? readTextNow(path) : '';
  } catch {
    return '';
  }
}

/** The manifest without what makes something start as `perdure`. */
export function withoutPerdure(text: string): string {
  const manifest = manifestOf(text) ?? {};
  const isOne = binsOf(manifest).some(([name]) => commandOf(name) === NAME);
  const without = Object.entries(manifest).flatMap(([field, value]): [string, Json][] => {
    if (field === 'bin' && Array.isArray(value))
      return [[field, value.filter((file) => typeof file !== 'string' || commandOf(file) !== NAME)]];
    if (field === 'bin' && isObject(value)) return [[field, pick(value, (name) => commandOf(name) !== NAME)]];
    if (field === 'bin' && isOne) return [];
    if (field === 'directories' && isObject(value)) return [[field, pick(value, (name) => name !== 'bin')]];
    if (field === 'scripts' && isObject(value)) return [[field, pick(value, (name) => name !== NAME)]];
    return [[field, value]];
  });
  return `${JSON.stringify(Object.fromEntries(without), null, /^[ \t]+(?=")/m.exec(text)?.[0] ?? 2)}\n`;
}

function pick(fields: JsonObject, isKept: (name: string) => boolean): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => isKept(name)));
}

/** Each command with its file, as npm reads the three forms. */
function binsOf({ name = null, bin = null }: JsonObject): [string, Json][] {
  if (typeof bin === 'string') return typeof name === 'string' ? [[name, bin]] : [];
  if (Array.isArray(bin)) return bin.flatMap((file) => (typeof file === 'string' ? [[file, file]] : []));
  return isObject(bin) ? Object.entries(bin) : [];
}

/** npm takes of a name of a command what is behind its last slash. */
function commandOf(name: string): string {
  return posix.basename(name.replaceAll(/[\\:]/g, '/'));
}

function manifestOf(text: string): JsonObject | null {
  try {
    // As npm does: a mark at the beginning is none of the text.
    const value = JSON.parse(text.replace(/^\uFEFF/, '')) as Json; // so JSON is
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}
