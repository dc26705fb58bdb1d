import { basename, dirname, extname, join, relative, resolve } from 'node:path';
import { findSkill } from '../../agents/skills.js';
import type { Report } from '../../problems/problem.js';
import { loadConfig } from '../../project/config.js';
import { findProject } from '../../project/project.js';
import { kindOf, listFolder, readText } from '../../text/disk.js';
import { memberOf } from '../../text/node.js';
import { parseJson } from '../../text/parse-json.js';
import { readSource } from '../../text/read-source.js';
import type { Source } from '../../problems/source.js';
import { createSource, stemOf } from '../../problems/source.js';

/** The text of a command's file, without its front matter. */
export interface CommandText {
  source: Source;
  text: string;
  /** Where it begins in the file. */
  start: number;
}

/** Files that a workflow names: prompts, scripts, other workflows. */
export interface Resources {
  /** Null when there is no such command. */
  command: (name: string) => CommandText | null;
  /** The path of a script from the project's root; null when there is none of that name. */
  script: (name: string, extensions: readonly string[]) => string | null;
  /** The file of a workflow, by its name; null when there is none. */
  workflow: (name: string) => string | null;
  commands: () => string[];
  workflows: () => string[];
  /** Tells whether the project has a skill of that name. */
  hasSkill: (name: string) => boolean;
  /** The names of MCP servers that a file defines, by its path from the project's root; null where it defines none. */
  serversIn: (path: string) => string[] | null;
  /** The names of the MCP servers of perdure.yml. */
  servers: () => string[];
}

interface Place {
  /** The workflow's file. */
  file: string;
  /** The folder that commands run in. */
  root: string;
  cwd: string;
  report: Report;
  sources: Map<string, string>;
}

/** What stands beside a workflow, and in the nearest `.archon/` above it. */
export function createResources({ file, root, cwd, report, sources }: Place): Resources {
  const home = archonOf(file);
  const folders = (kind: 'commands' | 'scripts'): string[] => [
    join(dirname(file), kind),
    ...(home === null ? [] : withFolders(join(home, kind))),
  ];
  const files = (kind: 'commands' | 'scripts', extensions: readonly string[]): string[] =>
    folders(kind).flatMap((folder) =>
      listFolder(folder)
        .filter(({ name, kind: type }) => type === 'file' && extensions.includes(extname(name)))
        .map(({ name }) => join(folder, name)),
    );
  let named: Map<string, string> | null = null;
  const workflows = (): Map<string, string> => {
    named ??= new Map(
      workflowFiles(home === null ? dirname(file) : join(home, 'workflows'), 3).map((one) => [nameIn(one), one]),
    );
    return named;
  };
  const read = new Map<string, CommandText | null>();
  return {
    command: (name) => {
      const found = files('commands', ['.md']).find((one) => plainName(one) === name);
      if (found === undefined) return null;
      const known = read.get(found);
      if (known !== undefined) return known;
      const source = readSource(found, cwd, report);
      const text = source === null ? null : bodyOf(source);
      if (source !== null) sources.set(source.file, source.text);
      read.set(found, text);
      return text;
    },
    script: (name, extensions) => {
      const found = files('scripts', extensions).find((one) => plainName(one) === name);
      return found === undefined ? null : relative(root, found).replaceAll('\\', '/');
    },
    workflow: (name) => workflows().get(name) ?? null,
    commands: () => files('commands', ['.md']).map(plainName),
    workflows: () => [...workflows().keys()],
    hasSkill: (name) => {
      const skill = findSkill(name, root);
      return skill !== null && !('failure' in skill);
    },
    serversIn: (path) => serversIn(resolve(root, path)),
    servers: () => Object.keys(loadConfig(findProject(root)).config.mcp ?? {}),
  };
}

function serversIn(file: string): string[] | null {
  const content = readText(file);
  const text = 'text' in content ? content.text : '';
  const node = parseJson(createSource(file, file, text), () => undefined);
  const servers = node && (memberOf(node, 'mcpServers') ?? node);
  return servers?.members == null ? null : [...servers.members.keys()];
}

function plainName(file: string): string {
  return basename(file, extname(file));
}

/** The folder `.archon` that a file lies in, or that stands above it. */
function archonOf(file: string): string | null {
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (folder.endsWith('/.archon')) return folder;
    const beside = join(folder, '.archon');
    if (kindOf(beside) === 'folder') return beside;
    if (folder === dirname(folder)) return null;
  }
}

/** A folder and those in it: Archon looks one level deep. */
function withFolders(folder: string): string[] {
  const inside = listFolder(folder).flatMap(({ name, kind }) => (kind === 'folder' ? [join(folder, name)] : []));
  return [folder, ...inside];
}

/** YAML files of a folder, at most so many levels down. */
export function workflowFiles(folder: string, levels: number): string[] {
  return listFolder(folder).flatMap(({ name, kind }) => {
    const path = join(folder, name);
    if (kind === 'folder') return levels > 1 ? workflowFiles(path, levels - 1) : [];
    return kind === 'file' && ['.yaml', '.yml'].includes(extname(name)) ? [path] : [];
  });
}

function nameIn(file: string): string {
  const source = readSource(file, dirname(file), () => undefined);
  return /^name:[ \t]*["']?([^"'\n#]+?)["']?[ \t]*(?:#.*)?$/m.exec(source?.text ?? '')?.[1] ?? stemOf(file);
}

function bodyOf(source: Source): CommandText {
  const { text } = source;
  const front = /^---[ \t]*\r?\n[^]*?\n---[ \t]*(?:\r?\n|$)/.exec(text)?.[0] ?? '';
  const body = text.slice(front.length);
  const start = front.length + (body.length - body.trimStart().length);
  return { source, text: body.trim(), start };
}
