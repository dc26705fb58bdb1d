import { join, relative } from 'node:path';
import type { Compiled as CompiledDefinition } from '../../compiler/compile.js';
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

/** A line of a file that may begin a trigger: all others need not be compiled. */
const MAY_HAVE_TRIGGERS = /^\s*["']?(?:schedule|on)["']?\s*:/m;

/** Every definition that may be named in the project and has triggers. Those with problems are told apart. */
export async function triggeredDefinitions(
  workspace: Workspace,
  terminal: Terminal,
): Promise<{ definitions: TriggeredDefinition[]; broken: BrokenDefinition[] }> {
  const { root } = workspace.project;
  const named = createResolver(workspace.project).workflows(join(root, 'any'));
  const definitions: TriggeredDefinition[] = [];
  const broken: BrokenDefinition[] = [];
  const seen = new Set<string>();
  for (const { name, file: path } of named) {
    // The first of a name is the one that the name means.
    if (seen.has(name)) continue;
    seen.add(name);
    const content = readText(path);
    // What cannot be read may have some.
    if ('text' in content && !MAY_HAVE_TRIGGERS.test(content.text)) continue;
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

function hasTriggers(triggers: CompiledDefinition['triggers']): boolean {
  return Object.keys(triggers).length > 0;
}
