import { extname } from 'node:path';
import type { Problem } from '../../compiler/problems/problem.js';
import { isDefinition } from '../../compiler/validate.js';

/** Folders in which every file is meant for Perdure, whatever it holds. */
const HOMES = /\/(?:definitions|\.glee|temp-agents|\.claude\/agents|\.gemini\/agents|\.codex\/agents)\//;
const YAML = ['.yml', '.yaml'];

/**
 * Tells whether a file that is open is for Perdure: editors send each file of a language. Elsewhere than among
 * definitions, JSON and Markdown are when they look like one.
 */
export function isOurs(file: string): boolean {
  return HOMES.test(file) || YAML.includes(extname(file)) || isDefinition(file);
}

/** Tells whether a file is another tool's, and nobody has put it among definitions: nothing is said of it then. */
export function isForeign(file: string, problems: Problem[]): boolean {
  return !HOMES.test(file) && problems.some(({ code }) => code === 'foreign-file');
}
