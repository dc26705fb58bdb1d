import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Position, Range, TextDocumentContentChangeEvent } from 'vscode-languageserver/node';
import type { Place } from '../../compiler/problems/source.js';
import { positionAt } from '../../compiler/problems/source.js';

/** A text that is open in the editor, saved or not. */
export interface OpenDocument {
  uri: string;
  /** Absolute path; null for what is no file, such as a new text without a name. */
  path: string | null;
  version: number;
  text: string;
}

/** The texts that are open in the editor. */
export interface Documents {
  open: (uri: string, version: number, text: string) => OpenDocument;
  change: (uri: string, version: number, changes: TextDocumentContentChangeEvent[]) => OpenDocument | null;
  close: (uri: string) => OpenDocument | null;
  at: (uri: string) => OpenDocument | null;
  all: () => OpenDocument[];
  /** Texts of open files by absolute path. */
  texts: ReadonlyMap<string, string>;
  /** The address of a file, as the editor knows it. */
  uriOf: (path: string) => string;
}

/** No text is open at first. */
export function createDocuments(): Documents {
  const documents = new Map<string, OpenDocument>();
  const texts = new Map<string, string>();
  const uris = new Map<string, string>();
  const keep = (document: OpenDocument): OpenDocument => {
    documents.set(document.uri, document);
    if (document.path !== null) {
      texts.set(document.path, document.text);
      uris.set(document.path, document.uri);
    }
    return document;
  };
  return {
    texts,
    open: (uri, version, text) => keep({ uri, path: pathOf(uri), version, text }),
    change(uri, version, changes) {
      const document = documents.get(uri);
      if (document === undefined) return null;
      return keep({ ...document, version, text: changes.reduce(applyChange, document.text) });
    },
    close(uri) {
      const document = documents.get(uri) ?? null;
      documents.delete(uri);
      if (document?.path != null) texts.delete(document.path);
      return document;
    },
    at: (uri) => documents.get(uri) ?? null,
    all: () => [...documents.values()],
    uriOf: (path) => uris.get(path) ?? pathToFileURL(path).href,
  };
}

/** The path of a `file:` address; null for any other. */
export function pathOf(uri: string): string | null {
  try {
    return fileURLToPath(uri);
  } catch {
    return null;
  }
}

function applyChange(text: string, change: TextDocumentContentChangeEvent): string {
  if (!('range' in change)) return change.text;
  const start = offsetAt(text, change.range.start);
  const end = Math.max(start, offsetAt(text, change.range.end));
  return text.slice(0, start) + change.text + text.slice(end);
}

/** Where a position is in a text, in UTF-16 units; a character beyond the line's end is that end. */
export function offsetAt(text: string, { line, character }: Position): number {
  let start = 0;
  for (let before = 0; before < line; before++) {
    const newline = text.indexOf('\n', start);
    if (newline === -1) return text.length;
    start = newline + 1;
  }
  const newline = text.indexOf('\n', start);
  const end = newline === -1 ? text.length : newline;
  return Math.min(start + character, end > start && text[end - 1] === '\r' ? end - 1 : end);
}

/** The position of an offset in a text. */
export function positionOf(text: string, offset: number): Position {
  let line = 0;
  let start = 0;
  for (let newline = text.indexOf('\n'); newline !== -1 && newline < offset; newline = text.indexOf('\n', start)) {
    line += 1;
    start = newline + 1;
  }
  return { line, character: offset - start };
}

/** The range between two offsets of a text. */
export function rangeOf(text: string, start: number, end: number): Range {
  return { start: positionOf(text, start), end: positionOf(text, end) };
}

/** The range of a place of a document. */
export function rangeIn({ source, start, end }: Place): Range {
  const at = (offset: number): Position => {
    const { line, column } = positionAt(source, offset);
    return { line: line - 1, character: column - 1 };
  };
  return { start: at(start), end: at(end) };
}
