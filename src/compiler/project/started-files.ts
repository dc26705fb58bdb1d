import { resolve } from 'node:path';
import type { AuthoredDeviceKind } from '../formats/device-kind.js';
import { kindOf, pathsInside, realPath } from '../text/disk.js';
import type { Config } from './config.js';
import { loadDeviceKinds } from './device-kinds.js';

/** A command that the settings of a project name, and the folder that paths in it start from. */
interface Named {
  argv: string[];
  from: string;
}

/**
 * Files of a project that its settings have started, as paths from its root: what is started for notices, MCP servers,
 * keys and devices is in no sandbox, and an agent that writes such a file would be obeyed there. Each word that is a
 * file counts, and the program itself also where there is none.
 */
export function startedFiles(config: Config, root: string): string[] {
  const servers = Object.values(config.mcp ?? {});
  const keys = config.encryption?.keys ?? [];
  const commands: Named[] = [
    { argv: config.notify?.command ?? [], from: root },
    ...servers.map(({ command = [], cwd = '.' }) => ({ argv: command, from: resolve(root, cwd) })),
    ...keys.flatMap((key) => (typeof key === 'object' && 'command' in key ? [{ argv: key.command, from: '/' }] : [])),
    ...deviceCommands(config, root).map((argv) => ({ argv, from: root })),
  ];
  return pathsInside(commands.flatMap(filesOf), root);
}

function filesOf({ argv, from }: Named): string[] {
  return argv.flatMap((word, index) => {
    // Also of `--config=tools/server.json`.
    const paths = [word, word.slice(word.indexOf('=') + 1)].map((path) => resolve(from, path));
    const there = paths.filter((path) => kindOf(realPath(path)) === 'file');
    const isMissingProgram = index === 0 && word.includes('/') && there.length === 0;
    return isMissingProgram ? [resolve(from, word)] : there.flatMap((path) => [path, realPath(path)]);
  });
}

/** What runs for the devices of a project, with the values that fill it. */
function deviceCommands({ devices = {} }: Config, root: string): string[][] {
  const used = Object.values(devices);
  if (used.length === 0) return [];
  const kinds = loadDeviceKinds(root);
  return used.flatMap(({ kind, values = {} }) => {
    const found = kinds.get(kind);
    const own = found === undefined || 'broken' in found ? [] : commandsOf(found.kind);
    return [...own, ...wordsOf(values)];
  });
}

function commandsOf({ compile, flash, verify, files, values }: AuthoredDeviceKind): string[][] {
  return [
    ...(compile?.rules.map(({ run }) => run) ?? []),
    ...(compile?.library == null ? [] : [compile.library.run]),
    ...(compile?.link ?? []),
    ...flash,
    ...verify,
    ...(files === null ? [] : [...files.write, ...files.verify, ...files.end]),
    ...wordsOf(values),
  ];
}

/** Values are put into commands: none of them is the program of one. */
function wordsOf(values: Record<string, string | string[]>): string[][] {
  return Object.values(values).map((value) => ['', ...[value].flat()]);
}
