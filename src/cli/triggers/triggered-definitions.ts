import { dirname, extname, join, relative } from 'node:path';
import type { Compiled as CompiledDefinition } from '../../compiler/compile.js';
import { parseFile } from '../../compiler/load.js';
import { nearest } from '../../compiler/problems/did-you-mean.js';
import { createSource } from '../../compiler/problems/source.js';
import { createResolver } from '../../compiler/project/resolve.js';
import { readText } from '../../compiler/text/disk.js';
import { ProblemsError } from '../session.js';
import type { Workspace } from '../session.js';
import type { Compiled } from '../submit/prepare.js';
import { compile } from '../submit/prepare.js';
import type { Terminal } from '../terminal.js';

/** A definition whose runs start by themselves. */
export interface TriggeredDefinition {
  name: string;
  /** From the project's root. */
  file: string;
  compiled: Compiled;
}

/** A definition that may have triggers, and cannot be compiled. */
export interface BrokenDefinition {
  name: string;
  file: string;
  problems: ProblemsError;
}

/** Every definition that may be named in the project and has triggers. Those with problems are told apart. */
export async function triggeredDefinitions(
  workspace: Workspace,
  terminal: Terminal,
): Promise<{ definitions: TriggeredDefinition[]; broken: BrokenDefinition[] }> {
  const { root } = workspace.project;
  const named = createResolver(workspace.project).workflows(join(root, 'any'));
  const definitions: TriggeredDefinition[] = [];
  const broken: BrokenDefinition[] = [];
  const folders = new Map<string, string>();
  for (const { name, file: path } of named) {
    const folder = folders.get(name) ?? dirname(path);
    // The first of a name is the one that the name means. A second one beside it is a problem, which compiling finds.
    if (folder !== dirname(path)) continue;
    folders.set(name, folder);
    if (!mayHaveTriggers(path)) continue;
    const file = relative(root, path);
    try {
      const compiled = await compile(path, workspace, terminal);
      if (hasTriggers(compiled.triggers)) definitions.push({ name: compiled.plan.name, file, compiled });
    } catch (error) {
      if (!(error instanceof ProblemsError)) throw error;
      broken.push({ name, file, problems: error });
    }
  }
  return { definitions, broken };
}

/** Tells whether a file has to be compiled to know. What cannot be read may have some. */
function mayHaveTriggers(path: string): boolean {
  if (extname(path) === '.flow') return false;
  const content = readText(path);
  if ('failure' in content) return true;
  const node = parseFile(createSource(path, path, content.text), () => undefined);
  if (node === null) return /\b(?:schedule|on)["']?\s*:/.test(content.text);
  // A misspelled key is a problem of the definition: it has not lost its trigger.
  return [...(node.members?.keys() ?? [])].some((key) => nearest(key, TRIGGERS) !== null);
}

const TRIGGERS = ['schedule', 'on'];

function hasTriggers(triggers: CompiledDefinition['triggers']): boolean {
  return Object.keys(triggers).length > 0;
}
