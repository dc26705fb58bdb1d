import { lstatSync } from 'node:fs';
import { basename, dirname, extname } from 'node:path';
import type { Compiler } from '../compile.js';
import { createCompiler } from '../compile.js';
import { loadConfig } from '../project/config.js';
import { findProject } from '../project/project.js';
import { quickNameIn } from '../project/quick-name.js';
import type { Problem } from '../problems/problem.js';
import { sortProblems } from '../problems/problem.js';
import { withOverlay } from '../text/disk.js';
import { isForDefinitions, validatePaths } from '../validate.js';
import { createSource, displayName } from '../problems/source.js';
import { parseFile } from '../load.js';
import type { Node } from '../text/node.js';
import type { StepsParser } from './parse-steps.js';
import { createStepsParser } from './parse-steps.js';

/** Finds the problems of one file again and again while its text, and those of others, are being written. */
export interface Checker {
  /**
   * What `perdure validate` says of the file where the files in `texts`, by absolute path, hold these texts: problems
   * of the file, and of those that it reaches.
   */
  check: (texts: ReadonlyMap<string, string>) => Problem[];
  /** The document of a text of the file, of which only what was written since is read; null where it is none. */
  read: (text: string) => Node | null;
}

/** Everything that a file's problems depend on besides its text, as long as none of it changes. */
interface Surroundings {
  compiler: Compiler;
  /** Problems of the project's configuration. */
  problems: Problem[];
  /** What each path was that was looked at. */
  looked: Map<string, string>;
}

/** A checker of one file; problems name files relative to `cwd`, whose project is taken. */
export function createChecker(file: string, cwd: string): Checker {
  const parseSteps = createStepsParser();
  let around: Surroundings | null = null;
  /** What was read last: steps are moved to where they stand whenever the file is read. */
  let last: { text: string; node: Node | null } | null = null;
  const parse: StepsParser = (source, report) => {
    last = null;
    return parseSteps(source, report);
  };

  return {
    read(text) {
      if (last?.text === text) return last.node;
      const source = createSource(file, displayName(cwd, file), text);
      const node = parseFile(source, () => undefined, isSteps(file) ? parse : undefined);
      last = { text, node };
      return node;
    },
    check(texts) {
      if (!isSteps(file)) return withOverlay({ texts }, () => validatePaths([file], cwd).problems);
      if (around === null || !isAsItWas(around.looked, file, texts)) around = lookAround(file, cwd, texts, parse);
      const { compiler, problems, looked } = around;
      withOverlay({ texts, looked: (path) => void take(looked, path, file, texts) }, () => compiler.recheck(file));
      return sortProblems([...problems, ...compiler.problems]);
    },
  };
}

/** Files that may have many steps; others are short, and looked at as a whole. */
function isSteps(file: string): boolean {
  return (
    ['.yml', '.yaml'].includes(extname(file)) &&
    !isForDefinitions(file) &&
    !SETTINGS.has(basename(file)) &&
    !/\/\.glee\/config\.ya?ml$/.test(file)
  );
}

const SETTINGS = new Set(['perdure.yml']);

function lookAround(file: string, cwd: string, texts: ReadonlyMap<string, string>, parse: StepsParser): Surroundings {
  const looked = new Map<string, string>();
  return withOverlay({ texts, looked: (path) => void take(looked, path, file, texts) }, () => {
    const project = findProject(cwd);
    const { config, problems } = loadConfig(project, cwd);
    const compiler = createCompiler({
      cwd,
      project,
      config,
      editing: { file, parse: (source, report) => (source.absolute === file ? parse(source, report) : undefined) },
    });
    return { compiler, problems, looked };
  });
}

function take(looked: Map<string, string>, path: string, file: string, texts: ReadonlyMap<string, string>): void {
  if (!looked.has(path)) looked.set(path, stateOf(path, file, texts));
}

function isAsItWas(looked: ReadonlyMap<string, string>, file: string, texts: ReadonlyMap<string, string>): boolean {
  for (const [path, state] of looked) if (stateOf(path, file, texts) !== state) return false;
  return true;
}

/** What tells that a path is not what it was. Of the file itself others see its name alone. */
function stateOf(path: string, file: string, texts: ReadonlyMap<string, string>): string {
  const text = texts.get(path);
  if (path === file)
    return NAMED.test(file) ? `own ${text === undefined ? '' : (quickNameIn(text, file) ?? '')}` : 'own';
  if (text !== undefined) return `text ${text}`;
  const unsaved = [...texts.keys()].filter((other) => dirname(other) === path);
  return `${onDisk(path)} ${unsaved.join(' ')}`;
}

/** Folders whose files are found by their names. */
const NAMED = /\/(?:agents|workflows|chains|flows|builds|temp-agents)\/[^/]+$/;

function onDisk(path: string): string {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? 'none' : `${stat.mtimeMs} ${stat.size} ${stat.ino} ${stat.mode}`;
  } catch {
    return 'none';
  }
}
