import { lstatSync, readlinkSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { entryAt } from '../../store/folders/entry-at.js';
import { isBelow, realOf } from '../../store/folders/places.js';
import { FileRefusal } from '../refusal.js';
import { listedIn } from './listed-folders.js';

/** Linux follows no more links on the way to a file. */
const MOST_HOPS = 40;
/** Of all folders that are kept, together, so many entries are looked at for links: a look at them takes a second. */
const MOST_ENTRIES = 1_000_000;
/** Each place that links lead to is a mount, and `bwrap` takes seconds for a thousand. */
const MOST_LED_TO = 1_000;
/** Where there are more, a folder that has so many of them is one in their place. */
const MANY_TOGETHER = 100;
/** Packages, and what a repository stores: nobody goes by a link in there. */
const UNSEARCHED = /(?:^|\/)(?:node_modules|\.git\/(?:.*\/)?(?:objects|refs|logs))(?:\/|$)/;
/**
 * What agents may write in its own right: what a run leaves there is told as a run's. Other tools are told the same by
 * links to it from their own folders, which begin with a dot; where definitions are, such a link is one.
 */
const INSTRUCTIONS = 'AGENTS.md';
const TOLD_BY_LINK = /^\..*\.mdc?$/;
const HOMES = String.raw`\.glee|definitions|temp-agents`;
const BELOW_OTHERS = 'agents|workflows|chains|flows|builds|tools|commands|skills';
const DEFINITIONS = new RegExp(String.raw`(?:^|/)(?:${HOMES}|\.[^/]+/(?:${BELOW_OTHERS}))/`);

/** What stands at a path: something, or a link with where it leads. */
type Standing = 'missing' | 'other' | { to: string };

/** Where a way ends, and the links on it: real paths, absolute. */
interface Way {
  end: string;
  links: string[];
}

/**
 * All places of a workspace by which one keeps these paths of it: where each is without links, be there something or
 * not, each link on the way, and the same of what links lead to that lie in these folders. A command that exchanged
 * one of them would have the path lead elsewhere. A link in one of these folders by which another tool is told
 * `AGENTS.md` does not keep that, unless it is a definition. Where links lead to very many places, a folder stands for
 * those in it. Paths are from the workspace's root; places outside are left out.
 * Throws a refusal where there is more than can be looked at: nobody knows all places then.
 */
export function keptPlaces(workspace: string, paths: string[], most = MOST_ENTRIES): string[] {
  const top = realOf(workspace);
  const places = new Set<string>();
  const folders = new Set<string>();
  const led = new Set<string>();
  const seen = new Map<string, Standing>();
  /** Links that only tell, as far as is known. */
  const telling = new Set<string>();
  const add = (from: string): void => {
    const { end, links } = wayOf(from, top, seen);
    const way = [...links, end];
    const path = relative(top, from);
    // Who knows what one is for that a link leads to.
    const isTold = TOLD_BY_LINK.test(path) && !DEFINITIONS.test(path) && !isHeld(from, led);
    const told = isTold ? way.indexOf(join(top, INSTRUCTIONS)) : -1;
    const kept = told > 0 ? way.slice(0, told) : way;
    if (told > 0) telling.add(from);
    for (const place of kept.filter((one) => one !== top && isBelow(one, top))) places.add(place);
    if (!places.has(end) || entryAt(end)?.isDirectory() !== true) return;
    folders.add(end);
    if (links.length > 0) led.add(end);
  };
  for (const path of paths) add(join(top, path));
  const named = new Set(places);
  let left = most;
  const listed = new Set<string>();
  const lookInto = (folder: string): void => {
    listed.add(folder);
    if (UNSEARCHED.test(relative(top, folder))) return;
    const { inner, links, count } = listedIn(folder);
    left -= count;
    if (left < 0) throw tooMany(`There are more than ${most} files and folders in what is protected`);
    links.forEach(add);
    inner.forEach((path) => folders.add(path));
  };
  // What is found in one, or by a link in it, is looked into as well: the set grows meanwhile.
  for (let size = -1; size < folders.size;) {
    size = folders.size;
    for (const folder of folders) if (!listed.has(folder)) lookInto(folder);
    // Only now it is known which folders links lead to.
    for (const link of telling) if (isHeld(link, led)) add(link);
  }
  // What is in a folder that is kept is kept with it.
  const kept = [...places].filter((place) => !isHeld(place, folders));
  const others = kept.filter((place) => !named.has(place));
  const reached = others.length > MOST_LED_TO ? foldedIn(others, top) : others;
  if (reached.length > MOST_LED_TO) throw tooMany(`Links in what is protected lead to more than ${MOST_LED_TO} places`);
  return [...kept.filter((place) => named.has(place)), ...reached].map((place) => relative(top, place));
}

/**
 * The same places with folders in the place of those that lie close together, such as what an annex of git stores; the
 * innermost ones that have so many, and never all of a repository.
 */
function foldedIn(places: string[], top: string): string[] {
  let rest = places.map((place) => relative(top, place).split('/'));
  const folded = new Set<string>();
  for (let depth = rest.reduce((most, { length }) => Math.max(most, length), 0) - 1; depth > 0; depth -= 1) {
    const folderOf = (parts: string[]): string => parts.slice(0, depth).join('/');
    const inside = new Map<string, number>();
    for (const parts of rest.filter(({ length }) => length > depth))
      inside.set(folderOf(parts), (inside.get(folderOf(parts)) ?? 0) + 1);
    const isMany = (folder: string): boolean =>
      (inside.get(folder) ?? 0) >= MANY_TOGETHER && basename(folder) !== '.git';
    rest = rest.filter((parts) => {
      const isFolded = parts.length > depth && isMany(folderOf(parts));
      if (isFolded) folded.add(join(top, folderOf(parts)));
      return !isFolded;
    });
  }
  return [...rest.map((parts) => join(top, ...parts)), ...folded].filter((place) => !isHeld(place, folded));
}

/** Goes a way as the system does; what is missing on it ends it, with all that is to come. */
function wayOf(path: string, top: string, seen: Map<string, Standing>): Way {
  const links: string[] = [];
  const rest = relative(top, path).split('/');
  let at = top;
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    if (part === '' || part === '.') continue;
    if (part === '..') {
      at = dirname(at);
      continue;
    }
    const next = join(at, part);
    const found = seen.get(next) ?? standing(next);
    seen.set(next, found);
    if (found === 'missing') return { end: rest.includes('..') ? next : join(next, ...rest), links };
    if (found === 'other') {
      at = next;
      continue;
    }
    if (links.length === MOST_HOPS) return { end: next, links };
    links.push(next);
    rest.unshift(...found.to.split('/'));
    if (found.to.startsWith('/')) at = '/';
  }
  return { end: at, links };
}

function standing(path: string): Standing {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined) return 'missing';
    return found.isSymbolicLink() ? { to: readlinkSync(path) } : 'other';
  } catch {
    return 'missing'; // nobody may look there
  }
}

function tooMany(what: string): FileRefusal {
  return new FileRefusal(
    `${what}, such as a folder under \`deny\` or \`protected\` of the permissions: nobody knows all places in the ` +
      'workspace that it goes by, so nothing is written or run there. Protect less.',
  );
}

function isHeld(place: string, folders: ReadonlySet<string>): boolean {
  for (let at = dirname(place); at !== dirname(at); at = dirname(at)) if (folders.has(at)) return true;
  return false;
}
