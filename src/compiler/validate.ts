import { basename, extname, join } from 'node:path';
import { agentsListed } from './builds/manifest.js';
import { createCompiler } from './compile.js';
import { checkConfigFile, loadConfig } from './project/config.js';
import { readDeviceKind } from './project/device-kinds.js';
import { readPermissions } from './agents/permissions.js';
import type { Problem } from './problems/problem.js';
import { sortProblems } from './problems/problem.js';
import { findProject } from './project/project.js';
import { isTestFile } from './problems/source.js';
import { kindOf, readFolder, readText } from './text/disk.js';

/** Folders that hold no definitions, or only broken ones; a folder that is named is looked through all the same. */
const SKIPPED_FOLDERS = new Set([
  'invalid',
  'node_modules',
  '.git',
  '.perdure',
  'dist',
  'scripts',
  'sessions',
  'agent_sessions',
  'stream_logs',
]);
const EXTENSIONS = ['.yml', '.yaml', '.flow'];
const MAX_FOLDER_DEPTH = 16;

export interface Validation {
  /** How many files were looked at. */
  files: number;
  /** Folders in which there was nothing to look at, as they were named. */
  empty: string[];
  problems: Problem[];
  sources: Map<string, string>;
}

/** Compiles every definition at some paths, files or folders, as `run` would, and collects what is wrong with them. */
export function validatePaths(paths: string[], cwd: string): Validation {
  const project = findProject(cwd);
  const { config, problems, sources } = loadConfig(project, cwd);
  const compiler = createCompiler({ cwd, project, config });
  const found = paths.map((path) => ({ path, files: definitionsAt(compiler.find(path)) }));
  const files = new Set(found.flatMap((one) => one.files));
  const named = new Set(paths.map((path) => compiler.find(path)));
  const ofProjects = new Set([...files].flatMap(agentsListed));
  for (const file of files) {
    // What an agent of a project may name is known in the project, which is looked at as a whole.
    if (file === project.configFile || (ofProjects.has(file) && !named.has(file))) continue;
    if (basename(file) === 'perdure.yml')
      checkConfigFile({ file, cwd, unknownKeys: 'error', report: compiler.report, sources });
    else if (isPermissions(file)) readPermissions(file, cwd, compiler.report, sources);
    else if (isDeviceKind(file)) readDeviceKind(file, cwd, compiler.report, sources);
    else compiler.check(file);
  }
  for (const [file, text] of compiler.sources) sources.set(file, text);
  const empty = found.filter((one) => one.files.length === 0).map(({ path }) => path);
  return { files: files.size, empty, problems: sortProblems([...problems, ...compiler.problems]), sources };
}

/**
 * A named file whatever it is; of a folder, what has the extension and the place of a definition. A folder that cannot
 * be read stands for what may be in it: whoever reads it says so.
 */
export function definitionsAt(path: string): string[] {
  return kindOf(path) === 'folder' ? definitionsIn(path, 0) : [path];
}

function definitionsIn(folder: string, depth: number): string[] {
  if (depth > MAX_FOLDER_DEPTH) return [];
  const read = readFolder(folder);
  if ('failure' in read) return [folder];
  return read.entries.flatMap(({ name, kind }) => {
    const path = join(folder, name);
    if (kind === 'folder') return SKIPPED_FOLDERS.has(name) ? [] : definitionsIn(path, depth + 1);
    return kind === 'file' && isDefinition(path) ? [path] : [];
  });
}

/** Tells whether a file, which exists, is looked at when a folder around it is: by its extension, place and content. */
export function isDefinition(path: string): boolean {
  if (isTestFile(path)) return false;
  if (EXTENSIONS.includes(extname(path))) return !/(?:^|\/)(?:perdure|\.glee\/config)\.ya?ml$/.test(path);
  if (extname(path) === '.agent') return true;
  if (extname(path) === '.json') return isDefinitionJson(path);
  return extname(path) === '.md' && /\/(?:temp-)?agents\/[^/]+$/.test(path) && hasFrontMatter(path);
}

/** JSON is many things: what lies among definitions, and what looks like one. */
function isDefinitionJson(path: string): boolean {
  if (/\/definitions\/(?:chains|builds|workflows)\/[^/]+$/.test(path)) return true;
  const content = readText(path);
  if ('text' in content && /"(?:agent_files|python_files)"\s*:/.test(content.text)) return true;
  return (
    'text' in content && /"steps"\s*:/.test(content.text) && /"(?:step|systemPrompt|modelRef)"\s*:/.test(content.text)
  );
}

/** Tells whether a file holds data for definitions and is none itself. */
export function isForDefinitions(path: string): boolean {
  return isDeviceKind(path) || isPermissions(path);
}

/** Kinds of devices are known by their place: they hold data for other definitions. */
function isDeviceKind(path: string): boolean {
  return /\/definitions\/devices\/[^/]+\.ya?ml$/.test(path);
}

function isPermissions(path: string): boolean {
  return /\/definitions\/permissions\/[^/]+\.ya?ml$/.test(path);
}

function hasFrontMatter(path: string): boolean {
  const content = readText(path);
  return 'text' in content && content.text.startsWith('---');
}
