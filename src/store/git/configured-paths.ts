import { homedir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { isBelow, realOf } from '../folders/places.js';
import { readPlain } from '../read-plain.js';
import { repositoryAt, repositoryOf } from './repository.js';

const CONFIG_BYTES = 1024 * 1024;
/** What is configured for the whole machine, by where git may have been installed. */
const OF_MACHINE = ['/etc/gitconfig', '/usr/local/etc/gitconfig', '/opt/homebrew/etc/gitconfig'];
/** Git includes no deeper than ten; so many files are read. */
const MOST_FILES = 50;

/**
 * What git goes by in a folder because its configuration names it there: folders of hooks, and files with more of the
 * configuration. The configuration is read as data: that of the repository, the person's, and the
 * machine's. Paths are from the
 * folder, as they are written and as they are without links.
 */
export async function configuredPaths(folder: string): Promise<string[]> {
  const top = repositoryOf(folder);
  if (top === null) return [];
  const repository = await repositoryAt(top);
  const files = [
    ...OF_MACHINE,
    ...['GIT_CONFIG_SYSTEM', 'GIT_CONFIG_GLOBAL'].flatMap((name) => process.env[name] || []),
    join(homedir(), '.gitconfig'),
    join(process.env['XDG_CONFIG_HOME'] ?? join(homedir(), '.config'), 'git/config'),
    join(repository.common, 'config'),
    join(repository.folder, 'config.worktree'),
  ];
  const named = new Set<string>();
  // What is included is read, too: the list grows meanwhile.
  for (let at = 0; at < files.length && at < MOST_FILES; at += 1) {
    const file = files[at] ?? '';
    for (const { key, value } of settingsIn((await readPlain(realOf(file), CONFIG_BYTES))?.toString() ?? '')) {
      const path = value.replace(/^~(?=\/)/, homedir());
      if (key === 'core.hookspath') named.add(resolve(top, path));
      if (!/^include(?:if)?\.path$/.test(key)) continue;
      const included = resolve(dirname(file), path);
      named.add(included);
      if (!files.includes(included)) files.push(included);
    }
  }
  const ways = (path: string): string[] => [relative(folder, path), relative(realOf(folder), realOf(path))];
  const inside = [...named].flatMap(ways).filter((path) => path !== '' && isBelow(join(folder, path), folder));
  return [...new Set(inside)];
}

/** The settings of a configuration: `section.name` in small letters, without the part of a section's name in quotes. */
function settingsIn(text: string): { key: string; value: string }[] {
  let section = '';
  return text
    .replace(/\\\r?\n/g, '')
    .split('\n')
    .flatMap((line) => {
      const [head = '', name] = /^\s*\[\s*([\w.-]+)(?:\s+"(?:[^"\\]|\\.)*")?\s*\]/.exec(line) ?? [];
      if (name !== undefined) section = name.toLowerCase();
      const [, key, value = ''] = /^\s*([A-Za-z][\w-]*)\s*=\s*(.*)$/.exec(line.slice(head.length)) ?? [];
      return key === undefined ? [] : [{ key: `${section}.${key.toLowerCase()}`, value: plainValue(value) }];
    });
}

/** A value without its quotes, and without what is remarked on it. */
function plainValue(value: string): string {
  const parts = /^(?:"(?:[^"\\]|\\.)*"|\\.|[^"\\#;])*/.exec(value.trimEnd())?.[0] ?? '';
  return parts.trimEnd().replace(/\\(.)|"/g, '$1');
}
