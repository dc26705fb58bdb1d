import { basename, dirname, extname, isAbsolute, join, relative, resolve } from 'node:path';
import { NAME } from '../../plan/names.js';
import { nearest, meansPerhaps } from '../problems/did-you-mean.js';
import type { Project } from './project.js';
import { kindOf, listFolder, packageRoot, readFolder, readText, realPath } from '../text/disk.js';
import { isTestFile, stemOf } from '../problems/source.js';
import { quickName } from './quick-name.js';

/** Agents that come with the package. */
export const BUILT_IN_AGENTS = [
  'general-purpose',
  'Explore',
  'Plan',
  'code-reviewer',
  'expert-code-implementer',
  'implementation-architect',
];

export function isBuiltInName(name: string): boolean {
  return BUILT_IN_AGENTS.some((builtIn) => sameName(builtIn, name));
}

export type Kind = 'agents' | 'workflows';

/** A definition's file, found by its name. */
export interface Entry {
  name: string;
  file: string;
  builtIn: boolean;
}

/** What a name means; `isAmbiguous` where files of one folder have it, and nothing says which is meant. */
export type Resolution = { entry: Entry } | { missing: string; suggestion: string | null; isAmbiguous?: true };

/** What is told of a name that several files have. */
export type Twins = { missing: string; suggestion: string | null };

/** The same of what was found; null where one file has the name, or none. */
export function twinsIn(found: Resolution): Twins | null {
  return 'missing' in found && found.isAmbiguous === true ? found : null;
}

/** A name of a file, or of several. */
type Taken =
  Exclude<Resolution, { missing: string }> | (Extract<Resolution, { missing: string }> & { isAmbiguous: true });

/** Tells whether a file has the name, or several have, so that nothing else may take it. */
export function isTaken(found: Resolution): found is Taken {
  return 'entry' in found || twinsIn(found) !== null;
}

/** Finds definitions by name: `definitions/`, then `.glee/`, then `.claude/`, then what is built in. */
export interface Resolver {
  agent: (name: string, from: string) => Resolution;
  /** By name, or by a path relative to the file that names it. */
  workflow: (name: string, from: string) => Resolution;
  /** A file of `temp-agents/` that takes the name of a built-in agent. */
  usurper: (name: string, from: string) => Entry | null;
  /** A tool by the name of its folder. */
  tool: (name: string, from: string) => Resolution;
  /** Names of the tools that a file at the project's root may name. */
  tools: () => string[];
  /** Another file of the same folder that has this file's name, whatever the case. */
  twinOf: (file: string, name: string) => Entry | null;
  /** Every agent that a file at the project's root may name, each name once. */
  agents: () => Entry[];
  /** Every workflow that a file may name. */
  workflows: (from: string) => Entry[];
  /** Folders and files that were looked at for what was found by name: something new there may be found instead. */
  used: Set<string>;
}

const TOOL_FILES = ['tool.yaml', 'tool.yml'];
const TOOL_HOMES = ['definitions', '.glee'];
const HOMES = ['definitions', '.glee', '.claude'];
const EXTENSIONS: Record<Kind, string[]> = {
  agents: ['.yml', '.yaml', '.md', '.agent'],
  workflows: ['.yml', '.yaml', '.json', '.flow'],
};
/** Claude Code finds agents in folders of its folder as well. */
export const CLAUDE_LEVELS = 8;
/** Folders of a kind: `workflow:` may name any definition. */
const FOLDERS: Record<Kind, string[]> = { agents: ['agents'], workflows: ['workflows', 'chains', 'flows', 'builds'] };
/** Where the designer writes agents for one flow, and people may too: below the project's root. */
export const TEMPORARY_AGENTS = 'temp-agents';

export function isTemporaryAgent(file: string): boolean {
  return basename(dirname(file)) === TEMPORARY_AGENTS;
}

const KINDS: readonly Kind[] = ['agents', 'workflows'];

/**
 * Finds definitions by name in the project's folders, then among those built in; last, or where they are `own` first,
 * among those that were made in a run or a connection.
 */
export function createResolver(
  project: Project,
  made: { agents: string[]; tools?: string[]; own?: boolean; texts?: ReadonlyMap<string, string> } = { agents: [] },
): Resolver {
  const madeAgents = made.agents.map((file): Entry => ({ name: stemOf(file), file, builtIn: false }));
  const entriesIn = createFolderReader();
  const alone = refuseTwins(entriesIn, project);
  let builtIn: Entry[] | null = null;

  const builtInAgents = (): Entry[] => {
    builtIn ??= entriesIn(join(packageRoot(), 'definitions', 'agents'), 'agents')
      .filter(({ name }) => BUILT_IN_AGENTS.includes(name))
      .map((entry) => ({ ...entry, builtIn: true }));
    return builtIn;
  };

  /** All that may be named from a file, in the order in which it is looked through. */
  const visible = (kind: Kind, from: string): Entry[] =>
    foldersFor(kind, from, project.root).flatMap((folder) => entriesIn(folder, kind));

  const used = new Set<string>();
  const use = (entry: Entry, folders: string[]): void => lookedThrough(entry, folders).forEach((one) => used.add(one));

  const temporaryAgents = (from: string): Entry[] =>
    [...new Set([dirname(from), ...rootsOf(from, project.root)])].flatMap((root) =>
      entriesIn(join(root, TEMPORARY_AGENTS), 'agents'),
    );

  const usurper = (name: string, from: string): Entry | null =>
    isBuiltInName(name) ? (temporaryAgents(from).find((entry) => sameName(entry.name, name)) ?? null) : null;

  const findAgent = (name: string, from: string): Resolution => {
    const own = visible('agents', from);
    const temporary = temporaryAgents(from);
    const entry =
      (made.own ? madeAgents : []).find((candidate) => candidate.name === name) ??
      own.find((candidate) => candidate.name === name) ??
      builtInAgents().find((candidate) => sameName(candidate.name, name)) ??
      [...temporary, ...madeAgents].find((candidate) => candidate.name === name);
    if (entry !== undefined) {
      use(entry, [
        ...foldersFor('agents', from, project.root),
        ...(isTemporaryAgent(entry.file) ? [dirname(entry.file)] : []),
      ]);
      return alone(withOrigin(entry, builtInAgents()), 'agents');
    }
    const isWorkflow = visible('workflows', from).some((candidate) => candidate.name === name);
    const known = [...own, ...builtInAgents(), ...temporary, ...madeAgents].map((candidate) => candidate.name);
    return {
      missing: `There is no agent \`${name}\`.`,
      suggestion: isWorkflow ? `\`${name}\` is a workflow: write \`workflow: ${name}\`` : hintOf(name, known),
    };
  };

  const findWorkflow = (name: string, from: string): Resolution => {
    if (isAbsolute(name))
      return { missing: 'Expected a name or a path relative to this file, got an absolute path.', suggestion: null };
    if (/[/\\]/.test(name) || EXTENSIONS.workflows.includes(extname(name)) || extname(name) === '.md')
      return byPath(name, from, made.texts);
    const own = visible('workflows', from);
    const entry = own.find((candidate) => candidate.name === name);
    if (entry !== undefined) {
      use(entry, foldersFor('workflows', from, project.root));
      return alone(entry, 'workflows');
    }
    const isAgent = isTaken(findAgent(name, from));
    const known = own.map((candidate) => candidate.name);
    return {
      missing: `There is no workflow \`${name}\`.`,
      suggestion: isAgent ? `\`${name}\` is an agent: write \`agent: ${name}\`` : hintOf(name, known),
    };
  };

  const twinOf = (file: string, name: string): Entry | null => {
    const folder = dirname(file);
    const kind = KINDS.find((candidate) => FOLDERS[candidate].includes(basename(folder)));
    if (kind === undefined) return toolTwinOf(file, name);
    return entriesIn(folder, kind).find((entry) => entry.file < file && sameName(entry.name, name)) ?? null;
  };

  const agents = (): Entry[] => {
    const found = new Map<string, Entry>();
    const temporary = entriesIn(join(project.root, TEMPORARY_AGENTS), 'agents');
    for (const entry of [...visible('agents', join(project.root, 'any')), ...builtInAgents(), ...temporary]) {
      if (!found.has(entry.name)) found.set(entry.name, withOrigin(entry, builtInAgents()));
    }
    return [...found.values()];
  };

  return {
    agent: perFolder(findAgent),
    workflow: perFolder(findWorkflow),
    ...createToolResolver(project, made.tools ?? [], used),
    usurper,
    twinOf,
    agents,
    workflows: (from) => visible('workflows', from),
    used,
  };
}

/** Refuses to choose between files of one folder that have one name. */
function refuseTwins(
  entriesIn: (folder: string, kind: Kind) => Entry[],
  { root }: Project,
): (entry: Entry, kind: Kind) => Resolution {
  return (entry, kind) => {
    const same = entriesIn(dirname(entry.file), kind).filter(({ name }) => name === entry.name);
    if (same.length < 2) return { entry };
    const files = same.map(({ file }) => relative(root, file));
    return ambiguous(entry.name, files, 'names of files in one folder are unique: rename one');
  };
}

function ambiguous(name: string, files: string[], suggestion: string): Resolution {
  const shown = files.map((file) => `\`${file}\``);
  return {
    missing: `More than one file has the name \`${name}\`: ${shown.join(', ')}.`,
    suggestion,
    isAmbiguous: true,
  };
}

/** The folders that were looked through before a file was found; all where it lies in none of them. */
function lookedThrough({ file }: Entry, folders: string[]): string[] {
  const last = folders.indexOf(dirname(file));
  return last === -1 ? folders : folders.slice(0, last + 1);
}

/** Tells whether a file is about those beside it. */
export function isReadme(name: string): boolean {
  return /^readme\.md$/i.test(name);
}

/** Where what a file names may lie, in the order in which it is looked through. */
function foldersFor(kind: Kind, from: string, root: string): string[] {
  const beside = FOLDERS[kind].map((folder) => join(dirname(dirname(from)), folder));
  const isInHome = HOMES.some((home) => dirname(dirname(from)).endsWith(`/${home}`));
  const near = isInHome || !isFolderOfKind(dirname(from)) ? [] : beside;
  return [...near, ...rootsOf(from, root).flatMap((one) => foldersOf(one, kind))];
}

/** Where definitions of a kind lie below a root, in the order in which they are looked through. */
function foldersOf(root: string, kind: Kind): string[] {
  return HOMES.flatMap((home) => {
    const levels = home === '.claude' && kind === 'agents' ? CLAUDE_LEVELS : 1;
    return FOLDERS[kind].flatMap((folder) => withFoldersIn(join(root, home, folder), levels));
  });
}

/** A folder, and those in it down to so many levels; the nearer ones first. */
function withFoldersIn(folder: string, levels: number): string[] {
  const inside = levels > 1 ? listFolder(folder).filter(({ kind }) => kind === 'folder') : [];
  return [folder, ...inside.flatMap(({ name }) => withFoldersIn(join(folder, name), levels - 1))];
}

/** Tells whether a folder is called as those are that hold definitions. */
function isFolderOfKind(folder: string): boolean {
  return KINDS.some((kind) => FOLDERS[kind].includes(basename(folder)));
}

/** Reads the definitions of a folder, each folder once. */
function createFolderReader(): (folder: string, kind: Kind) => Entry[] {
  const folders = new Map<string, Entry[]>();
  return (folder, kind) => {
    const known = folders.get(folder);
    if (known !== undefined) return known;
    const entries = filesIn(folder, kind).map((file) => ({ name: quickName(file), file, builtIn: false }));
    folders.set(folder, entries);
    return entries;
  };
}

/** Files of a kind. A folder that cannot be read stands for what may be in it: whoever reads it says so. */
function filesIn(folder: string, kind: Kind): string[] {
  const read = readFolder(folder);
  if ('failure' in read) return [folder];
  return read.entries
    .filter(({ name, kind: type }) => type === 'file' && EXTENSIONS[kind].includes(extname(name)))
    .filter(({ name }) => !isTestFile(name) && !isReadme(name))
    .map(({ name }) => join(folder, name));
}

/** Finds tools, each of which is a folder of its name; last among those that were `made`. */
function createToolResolver(project: Project, made: string[], used: Set<string>): Pick<Resolver, 'tool' | 'tools'> {
  const foldersFrom = (from: string): string[] =>
    rootsOf(from, project.root).flatMap((root) => TOOL_HOMES.map((home) => join(root, home, 'tools')));

  const findTool = (name: string, from: string): Resolution => {
    const folders = foldersFrom(from);
    const homes = NAME.test(name) ? folders.map((folder) => join(folder, name)) : [];
    for (const home of homes) {
      used.add(home);
      const [file, ...others] = toolFilesIn(home);
      if (file === undefined) continue;
      if (others.length === 0) return { entry: { name, file, builtIn: false } };
      const files = [file, ...others].map((one) => relative(project.root, one));
      return ambiguous(name, files, 'a tool has one file: take the others away');
    }
    const own = made.find((candidate) => basename(dirname(candidate)) === name);
    if (own !== undefined) return { entry: { name, file: own, builtIn: false } };
    const known = folders.flatMap((folder) =>
      listFolder(folder).flatMap((entry) => (entry.kind === 'folder' ? [entry.name] : [])),
    );
    return { missing: `There is no tool \`${name}\`.`, suggestion: hintOf(name, known) };
  };

  const rootFile = join(project.root, 'any');
  return {
    tool: perFolder(findTool),
    tools: () =>
      foldersFrom(rootFile).flatMap((folder) =>
        listFolder(folder).flatMap(({ name }) => (isTaken(findTool(name, rootFile)) ? [name] : [])),
      ),
  };
}

/** Files of a folder that each define the tool of its name. */
function toolFilesIn(folder: string): string[] {
  return TOOL_FILES.map((file) => join(folder, file)).filter((file) => kindOf(file) === 'file');
}

function toolTwinOf(file: string, name: string): Entry | null {
  const [first = file] = TOOL_FILES.includes(basename(file)) ? toolFilesIn(dirname(file)) : [];
  return first < file ? { name, file: first, builtIn: false } : null;
}

/** What a name means is the same for all files of a folder, and looked up once. */
function perFolder(find: (name: string, from: string) => Resolution): (name: string, from: string) => Resolution {
  const known = new Map<string, Resolution>();
  return (name, from) => {
    const key = `${dirname(from)}\n${name}`;
    const resolution = known.get(key) ?? find(name, from);
    known.set(key, resolution);
    return resolution;
  };
}

/** The package's own file reached through `definitions/` is the built-in agent, and no file that hides it. */
function withOrigin(entry: Entry, builtIn: Entry[]): Entry {
  return builtIn.find(({ file }) => realPath(file) === realPath(entry.file)) ?? entry;
}

function sameName(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

/** The project, and the place that a file itself belongs to: the one nearest above the file first. */
function rootsOf(file: string, root: string): string[] {
  const home = homeOf(file);
  if (home === null || home === root) return [root];
  const rootIsNearer = file.startsWith(`${root}/`) && root.length > home.length;
  return rootIsNearer ? [root, home] : [home, root];
}

/** The folder above `definitions/`, `.glee/` or `.claude/` that a file lies in, or null. */
function homeOf(file: string): string | null {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (HOMES.some((home) => folder.endsWith(`/${home}`))) return dirname(folder);
  }
  return null;
}

/** A workflow at a path from the file that names it. */
function byPath(path: string, from: string, texts?: ReadonlyMap<string, string>): Resolution {
  const file = resolve(dirname(from), path);
  if (texts?.has(file)) return { entry: { name: stemOf(file), file, builtIn: false } };
  const kind = kindOf(file);
  if (kind === 'file') return { entry: { name: stemOf(file), file, builtIn: false } };
  if (kind !== 'missing') return noFile(path, file);
  const folder = dirname(file);
  const near = nearest(
    file.slice(folder.length + 1),
    listFolder(folder).map(({ name }) => name),
  );
  return {
    missing: `There is no file \`${path}\` beside this one.`,
    suggestion: near === null ? null : meansPerhaps(join(dirname(path), near)),
  };
}

/**
 * What is at a path but is no file is told where it is named, as what is missing is: each file that names it has the
 * problem.
 */
function noFile(path: string, at: string): Resolution {
  const content = readText(at);
  const inside = listFolder(at).find(
    ({ name, kind }) => kind === 'file' && EXTENSIONS.workflows.includes(extname(name)),
  );
  return {
    missing: `\`${path}\`: ${'failure' in content ? content.failure : 'Expected a file.'}`,
    suggestion: inside === undefined ? null : `name a file in it, such as \`${join(path, inside.name)}\``,
  };
}

function hintOf(name: string, known: string[]): string | null {
  const near = nearest(name, known);
  if (near !== null) return meansPerhaps(near);
  const listed = [...new Set(known)].slice(0, 8);
  return listed.length === 0
    ? null
    : `there are ${listed.map((one) => `\`${one}\``).join(', ')}${known.length > listed.length ? ' …' : ''}`;
}
