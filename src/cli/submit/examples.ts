import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { isFlowTest, isTestFile } from '../../compiler/problems/source.js';
import { BUILT_IN_AGENTS } from '../../compiler/project/resolve.js';
import { usageError } from '../exit-codes.js';
import { writeWhole } from '../write-whole.js';
import { requireNoLinks } from './no-links.js';

/** Folders of `definitions/` with what can be copied, and what a person runs of it. */
const FOLDERS = ['workflows', 'flows', 'chains', 'builds', 'projects', 'tools'] as const;
/** Its path in a checkout means nothing elsewhere. */
const SCHEMA_LINE = /^# yaml-language-server: .*\n/;

const CONFIG = 'perdure.yml';
const BOARD = /\b(?:device|board):/;

/** A shipped definition that `init --example` copies. */
export interface Example {
  /** `workflows/blink`. */
  name: string;
  /** File or folder, below the package. */
  path: string;
  description: string;
}

/** One in the folder of the package. */
export type FoundExample = Example & { root: string };

/** Everything that is shipped and can be copied, by folder and name. */
export function examplesIn(root: string): Example[] {
  const overview = readFileSync(join(root, 'definitions', 'README.md'), 'utf8');
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, 'definitions', folder))
      .filter((entry) => !isTestFile(entry) && !isFlowTest(entry))
      .sort()
      .map((entry) => {
        const path = join('definitions', folder, entry);
        return {
          name: `${folder}/${stemOf(entry)}`,
          path,
          description: descriptionOf(join(root, path)) || listedAs(`${folder}/${entry}`, overview),
        };
      }),
  );
}

/** What a person types first of an example: the words after `perdure`. */
export function triesOf({ name, path }: Example): string[] {
  if (name.startsWith('tools/')) return [`tools lint ${path}`, `tools call ${basename(name)}`];
  return [`plan ${path}`, `${name.startsWith('builds/') ? 'build' : 'run'} ${path}`];
}

/** The example of a name, with or without its folder; a usage error where there is none, or more than one. */
export function findExample(name: string, examples: Example[]): Example {
  const found = examples.filter((example) => example.name === name || basename(example.name) === name);
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw only === undefined
    ? usageError(`There is no example \`${name}\`.`, '`perdure init --list` has them all.')
    : usageError(
        `There is more than one example \`${name}\`.`,
        `Name it with its folder: ${found.map((example) => `\`${example.name}\``).join(' or ')}`,
      );
}

/**
 * Copies an example from the package to a folder, with all the files of the package that it names, and theirs. Gives
 * what was made and what was there, as paths below the folder; nothing that is there is changed.
 */
export function copyExample({ path, root }: FoundExample, folder: string): { made: string[]; kept: string[] } {
  const files = filesOf(path, root);
  for (const file of files)
    for (const named of namedIn(readFileSync(join(root, file), 'utf8'), root))
      if (!files.includes(named)) files.push(named);
  // The boards of the package are simulated: they are at hand everywhere.
  if (files.some((file) => BOARD.test(readFileSync(join(root, file), 'utf8')))) files.push(CONFIG);
  requireNoLinks(folder, files);
  const made: string[] = [];
  const kept: string[] = [];
  for (const file of files) (copyNew(join(root, file), join(folder, file)) ? made : kept).push(file);
  return { made, kept };
}

function filesOf(path: string, root: string): string[] {
  return statSync(join(root, path)).isDirectory()
    ? readdirSync(join(root, path)).flatMap((entry) => filesOf(join(path, entry), root))
    : [path];
}

/** What a definition names: files by their path, agents, tools and workflows by their name. */
function namedIn(text: string, root: string): string[] {
  const paths = [...text.matchAll(/\bdefinitions\/[\w.-]+\/[\w./-]*\w/g)].map(([path]) => path);
  const workflows = [...text.matchAll(/\bworkflow:\s*["']?([\w-]+)/g)].map(([, name = '']) => `workflows/${name}.yml`);
  const agents = [...text.matchAll(/\bagents?:\s*["']?([\w-]+)/g), ...text.matchAll(/\b(\w+(?:-\w+)+)\b/g)]
    .map(([, name = '']) => name)
    .filter((name) => !BUILT_IN_AGENTS.includes(name))
    .flatMap((name) => [`agents/${name}.yml`, `tools/${name}/tool.yml`]);
  const below = [...workflows, ...agents].map((path) => `definitions/${path}`);
  return [...new Set([...paths, ...below])].filter((path) => {
    const file = join(root, path);
    return existsSync(file) && statSync(file).isFile();
  });
}

/** False where there is such a file already. */
function copyNew(from: string, to: string): boolean {
  if (existsSync(to)) return false;
  writeWhole(to, readFileSync(from, 'utf8').replace(SCHEMA_LINE, ''));
  return true;
}

function descriptionOf(path: string): string {
  const entry = ['project.json', 'tool.yml'].map((name) => join(path, name)).find((file) => existsSync(file));
  if (entry === undefined && statSync(path).isDirectory()) return '';
  const text = readFileSync(entry ?? path, 'utf8');
  const [, folded, said = ''] =
    /^\s*"?(?:description|goal)"?:[ \t]*(?:[>|][-+]?\n((?:[ \t]+\S.*\n)+)|(.+)$)/m.exec(text) ?? [];
  return folded === undefined ? said.trim().replace(/^["']|["'],?$/g, '') : folded.trim().replace(/\s+/g, ' ');
}

/** What the list of all says of one whose format has no description. */
function listedAs(path: string, overview: string): string {
  const row = overview.split('\n').find((line) => line.startsWith('|') && line.includes(`(${path}`)) ?? '';
  return row.split('|').at(-2)?.trim() ?? '';
}

function stemOf(entry: string): string {
  return basename(entry, extname(entry));
}
