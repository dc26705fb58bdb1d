import { extname } from 'node:path';
import { safeLine } from '../../../plan/text/safe-text.js';

const LINE_CHARACTERS = 120;

const either = (...patterns: RegExp[]): RegExp => new RegExp(patterns.map(({ source }) => source).join('|'));

const JS = either(
  /^\s*(?:export\s+)?(?:default\s+)?(?:async\s+)?(?:function\b|class\b|interface\b|type\s+\w+\s*=|enum\b)/,
  /^\s*(?:export\s+)?(?:const|let)\s+[\w$]+\s*=\s*(?:async\s*)?(?:\(|[\w$]+\s*=>|function\b)/,
);
const C = either(
  /^(?!\s*(?:if|for|while|switch|return|else)\b)\s*(?:[\w:<>*&]+\s+)+[*&]?[\w:~]+\s*\([^;]*\)\s*(?:const\s*)?\{?\s*$/,
  /^\s*(?:class|struct|enum)\s+\w+/,
);
const JAVA = either(
  /^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*(?:class|interface|enum|record)\s/,
  /^\s*(?:(?:public|private|protected|static|final|abstract)\s+)*[\w<>[\]]+\s+\w+\s*\(/,
);

/** Lines that say what a file has, by the ending of its name. */
const SIGNATURE: Record<string, RegExp> = {
  '.js': JS,
  '.mjs': JS,
  '.cjs': JS,
  '.jsx': JS,
  '.ts': JS,
  '.tsx': JS,
  '.py': /^\s*(?:async\s+)?(?:def|class)\s+\w+/,
  '.c': C,
  '.h': C,
  '.cpp': C,
  '.hpp': C,
  '.ino': C,
  '.java': JAVA,
  '.go': /^(?:func|type)\s+/,
  '.rs': /^\s*(?:pub(?:\([^)]*\))?\s+)?(?:async\s+)?(?:fn|struct|enum|trait|impl|mod)\b/,
  '.rb': /^\s*(?:def|class|module)\s+/,
  '.html': /<(?:title|h1|h2|form|button|canvas|script|main|section)\b[^>]*>/i,
  '.md': /^#{1,3}\s+\S/,
};

/** Tells whether a file of this name has signatures that are known. */
export function hasSignatures(name: string): boolean {
  return Object.hasOwn(SIGNATURE, extname(name).toLowerCase());
}

/** The first lines of a text that say what is in it: functions, classes, headings. */
export function signaturesOf(name: string, text: string, most: number): string[] {
  const pattern = SIGNATURE[extname(name).toLowerCase()];
  if (pattern === undefined) return [];
  const found: string[] = [];
  for (const line of text.split('\n')) {
    if (found.length === most) break;
    // A line that long is no text that a person wrote, and takes a pattern long.
    if (line.length <= 1_000 && pattern.test(line)) found.push(oneLine(line));
  }
  return found;
}

/** What the first line that says something tells of a file; empty where none does. */
export function hintOf(text: string): string {
  const line = text
    .split('\n', 20)
    .map((one) => one.trim())
    .find(
      (one) => /[\p{L}\p{N}]/u.test(one) && !/^(?:#!|<!doctype|<\?xml|['"]use strict|import\b|from\b|<html)/i.test(one),
    );
  return line === undefined ? '' : oneLine(line);
}

function oneLine(line: string): string {
  const plain = safeLine(line.trim().replace(/\s+/g, ' '));
  return plain.length > LINE_CHARACTERS ? `${plain.slice(0, LINE_CHARACTERS)}…` : plain;
}
