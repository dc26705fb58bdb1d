import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isScalar, parseDocument } from 'yaml';
import { isBuiltInName } from '../../compiler/project/resolve.js';
import { listFolder } from '../../compiler/text/disk.js';
import { NAME } from '../../plan/names.js';
import { errorCode } from '../../store/store-failure.js';
import { refusal, usageError } from '../exit-codes.js';
import { writeWhole } from '../write-whole.js';

/** What is done where the project has a definition of that name already. */
export type OnConflict = { do: 'ask' } | { do: 'overwrite' } | { do: 'skip' } | { do: 'rename'; to: string };

export type DefinitionKind = 'agent' | 'workflow' | 'tool';

/** A definition that shall become a file of the project. */
export interface Keeping {
  kind: DefinitionKind;
  name: string;
  text: string;
  ending: 'yml' | 'agent';
  /** The project's root, and the folder below it; `definitions/agents` and so on where none is named. */
  root: string;
  folder: string | null;
  conflict: OnConflict;
  /** The same text at its place is no conflict. */
  again: boolean;
  /** Throws where the text at that place is no such definition. */
  check: (file: string, text: string) => void;
}

export interface Kept {
  name: string;
  /** From the project's root; null when it was skipped. */
  to: string | null;
  /** The file holds the text byte for byte; it does not where it got another name. */
  exact: boolean;
}

const FILES: Record<DefinitionKind, RegExp> = {
  agent: /\.(?:ya?ml|md|agent)$/,
  workflow: /\.(?:ya?ml|json|flow)$/,
  tool: /^(?!.*\.)/,
};

/** Where definitions of a kind stand, from the project's root. */
export function folderOf(kind: DefinitionKind): string {
  return join('definitions', `${kind}s`);
}

/** The file of that name among definitions of a kind, from the root; null when there is none. */
export function definitionNamed(root: string, folder: string, kind: DefinitionKind, name: string): string | null {
  const found = listFolder(join(root, folder)).find(
    (file) => FILES[kind].test(file.name) && file.name.replace(/\.\w+$/, '').toLowerCase() === name.toLowerCase(),
  );
  if (found === undefined) return null;
  return kind === 'tool' ? join(folder, found.name, 'tool.yml') : join(folder, found.name);
}

/** A name that is free, made of one that is taken: `scanner-2`. */
export function freeName(root: string, name: string, kind: DefinitionKind = 'agent', folder = folderOf(kind)): string {
  for (let number = 2; ; number++) {
    const free = `${name.slice(0, 58)}-${number}`;
    if (definitionNamed(root, folder, kind, free) === null) return free;
  }
}

/**
 * Writes a definition to the project, whole or not at all. Nothing that is there is replaced unless that was said; the
 * same text at its place is left as it is. Throws a usage error where the name is taken and nobody said what to do.
 */
export function keepDefinition(keeping: Keeping): Kept {
  const { kind, text, ending, root, conflict } = keeping;
  const folder = keeping.folder ?? folderOf(kind);
  const taken = definitionNamed(root, folder, kind, keeping.name);
  const place = (name: string): string =>
    kind === 'tool' ? join(folder, name, 'tool.yml') : join(folder, `${name}.${ending}`);
  if (
    keeping.again &&
    taken !== null &&
    conflict.do !== 'rename' &&
    taken === place(keeping.name) &&
    holds(join(root, taken), text)
  )
    return { name: keeping.name, to: taken, exact: true };
  if (taken !== null && conflict.do === 'skip') return { name: keeping.name, to: null, exact: true };
  const name = conflict.do === 'rename' ? conflict.to : keeping.name;
  checkName(name, taken, folder, keeping);
  const to = taken !== null && conflict.do === 'overwrite' ? taken : place(name);
  const written = name === keeping.name ? text : renamed(text, name);
  keeping.check(to, written);
  write(join(root, to), written, conflict.do === 'overwrite');
  return { name, to, exact: written === text };
}

/** A text under another name; all else in it stays. */
function renamed(text: string, name: string): string {
  if (!/^\s*\{/.test(text) && /^name:/m.test(text)) return text.replace(/^name:.*$/m, `name: ${name}`);
  const node = parseDocument(text).get('name', true);
  const [start, end] = isScalar(node) ? (node.range ?? []) : [];
  if (start === undefined || end === undefined) return text;
  return text.slice(0, start) + JSON.stringify(name) + text.slice(end);
}

function holds(path: string, text: string): boolean {
  return existsSync(path) && readFileSync(path, 'utf8') === text;
}

/** One that came to be meanwhile is not lost. */
function write(path: string, text: string, replace: boolean): void {
  try {
    writeWhole(path, text, { replace });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') throw refusal(`\`${relative(process.cwd(), path)}\` came to be meanwhile.`);
    throw error;
  }
}

/** Throws where a definition cannot get this name; `taken` is the file that has the one it wants. */
function checkName(name: string, taken: string | null, folder: string, keeping: Keeping): void {
  const { kind, root, conflict } = keeping;
  const free = `\`--rename ${freeName(root, name, kind, folder)}\``;
  const article = kind === 'agent' ? 'an' : 'a';
  if (!NAME.test(name))
    throw usageError(
      `Expected a name: a letter, then letters, digits, \`-\` or \`_\`, at most 63; got \`${name.slice(0, 80)}\`.`,
    );
  if (kind === 'agent' && isBuiltInName(name))
    throw usageError(`\`${name}\` is a built-in agent.`, 'Give it another name: `--rename NAME`.');
  if (taken !== null && conflict.do === 'ask')
    throw usageError(
      `There is ${article} ${kind} \`${name}\` already: \`${taken}\`.`,
      `Say ${free}, \`--overwrite\` or \`--skip\`.`,
    );
  const other = conflict.do === 'rename' ? definitionNamed(root, folder, kind, name) : null;
  if (other !== null)
    throw usageError(`There is ${article} ${kind} \`${name}\` already too: \`${other}\`.`, `Say ${free}.`);
  if (taken !== null && conflict.do === 'overwrite') checkForm(taken, keeping, free);
}

/** A file of another form stays: beside it the same name would be there twice. */
function checkForm(taken: string, { kind, ending }: Keeping, free: string): void {
  if (kind === 'tool' || (ending === 'agent' ? /\.agent$/ : /\.ya?ml$/).test(taken)) return;
  const form = ending === 'agent' ? 'no `.agent` file' : 'no YAML';
  throw usageError(`\`${taken}\` is ${form}, so it is not overwritten.`, `Say ${free}.`);
}
