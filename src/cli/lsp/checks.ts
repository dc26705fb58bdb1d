import { resolve } from 'node:path';
import type { Diagnostic } from 'vscode-languageserver/node';
import type { Checker } from '../../compiler/editing/checker.js';
import { createChecker } from '../../compiler/editing/checker.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { withOverlay } from '../../compiler/text/disk.js';
import type { Node } from '../../compiler/text/node.js';
import { toDiagnostic } from './diagnostic.js';
import type { Documents, OpenDocument } from './documents.js';
import type { Folders } from './folders.js';
import { isForeign, isOurs } from './ours.js';

/** What is typed faster than this, in milliseconds, is looked at once. */
const PAUSE_MS = 40;
/** Texts that use the one that has changed are looked at when nothing has been typed for so long. */
const REST_MS = 250;

/** Keeps what is known of the problems of open files, and tells the editor. */
export interface Checks {
  /** The text of an open file has changed: it is looked at soon, and then what uses it. */
  changed: (document: OpenDocument) => void;
  closed: (document: OpenDocument) => void;
  /** Files that are not open may have changed. */
  allChanged: () => void;
  /** The problems of an open file as it is now, by the absolute paths of the files that have them. */
  problemsOf: (document: OpenDocument) => ReadonlyMap<string, Problem[]>;
  /** A text of an open file as a document; null for a flow, and where it cannot be read as it stands. */
  documentOf: (document: OpenDocument, text: string) => Node | null;
  stop: () => void;
}

/** What the editor is told: all problems of a file, and the version of its text if it is open. */
export type Publish = (uri: string, diagnostics: Diagnostic[], version: number | null) => void;

/** Checks for the documents of one client; `fail` takes what should not have happened. */
export function createChecks(
  { documents, folders }: { documents: Documents; folders: Folders },
  publish: Publish,
  fail: (error: unknown) => void,
): Checks {
  const found = new Map<string, ReadonlyMap<string, Problem[]>>();
  const checkers = createCheckers();
  const published = new Set<string>();
  let waiting = new Set<string>();
  let soon: NodeJS.Timeout | null = null;
  let later: NodeJS.Timeout | null = null;

  const problemsOf = (document: OpenDocument): ReadonlyMap<string, Problem[]> => {
    const { path } = document;
    if (path === null || !withOverlay({ texts: documents.texts }, () => isOurs(path))) return new Map();
    const cwd = folders.of(path);
    const problems = checkers.of(path, cwd).check(documents.texts);
    if (isForeign(path, problems)) return new Map();
    const byFile = new Map<string, Problem[]>();
    for (const problem of problems) {
      const file = resolve(cwd, problem.file);
      byFile.set(file, [...(byFile.get(file) ?? []), problem]);
    }
    return byFile;
  };

  /** A file may be reached from several that are open: each problem is told once. */
  const tell = (file: string): void => {
    const uri = documents.uriOf(file);
    const all = [...found.values()].flatMap((byFile) => byFile.get(file) ?? []);
    const diagnostics = new Map(all.map((problem) => [keyOf(problem), toDiagnostic(problem)]));
    const version = documents.at(uri)?.version ?? null;
    if (diagnostics.size === 0 && version === null && !published.has(file)) return;
    if (diagnostics.size === 0) published.delete(file);
    else published.add(file);
    publish(uri, [...diagnostics.values()], version);
  };

  const take = (document: OpenDocument, now: ReadonlyMap<string, Problem[]>): void => {
    const before = found.get(document.uri);
    found.set(document.uri, now);
    for (const file of new Set([...(before?.keys() ?? []), ...now.keys()])) if (file !== document.path) tell(file);
    // Last, with its version: who sees that has seen all that was found with it.
    if (document.path !== null) tell(document.path);
  };

  const look = (uri: string): void => {
    const document = documents.at(uri);
    if (document === null) return;
    try {
      take(document, problemsOf(document));
    } catch (error) {
      fail(error);
    }
  };

  const lookAtWaiting = (): void => {
    soon = null;
    const uris = waiting;
    waiting = new Set();
    uris.forEach(look);
    if (later !== null) clearTimeout(later);
    later = setTimeout(() => lookAtRest(documents.all().flatMap(({ uri }) => (uris.has(uri) ? [] : [uri]))), REST_MS);
  };

  /** One at a time: what is asked meanwhile comes first. */
  const lookAtRest = ([first, ...rest]: string[]): void => {
    if (first === undefined) return;
    look(first);
    later = setTimeout(() => lookAtRest(rest), 0);
  };

  return {
    problemsOf,
    documentOf: ({ path }, text) =>
      path === null || path.endsWith('.flow') ? null : checkers.of(path, folders.of(path)).read(text),
    changed({ uri }) {
      waiting.add(uri);
      soon ??= setTimeout(lookAtWaiting, PAUSE_MS);
    },
    closed(document) {
      const before = found.get(document.uri);
      found.delete(document.uri);
      if (document.path !== null) checkers.forget(document.path);
      for (const file of before?.keys() ?? []) tell(file);
      later ??= setTimeout(() => lookAtRest(documents.all().map(({ uri }) => uri)), REST_MS);
    },
    allChanged() {
      for (const { uri } of documents.all()) waiting.add(uri);
      soon ??= setTimeout(lookAtWaiting, PAUSE_MS);
    },
    stop() {
      if (soon !== null) clearTimeout(soon);
      if (later !== null) clearTimeout(later);
    },
  };
}

function keyOf({ code, line, column, message }: Problem): string {
  return JSON.stringify([code, line, column, message]);
}

/** Keeps a checker for each file that was looked at, as long as it belongs to the same folder. */
function createCheckers(): { of: (path: string, cwd: string) => Checker; forget: (path: string) => void } {
  const checkers = new Map<string, { cwd: string; checker: Checker }>();
  return {
    of(path, cwd) {
      const known = checkers.get(path);
      if (known?.cwd === cwd) return known.checker;
      const checker = createChecker(path, cwd);
      checkers.set(path, { cwd, checker });
      return checker;
    },
    forget: (path) => void checkers.delete(path),
  };
}
