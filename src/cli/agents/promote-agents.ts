import { compileMade } from '../../compiler/made/compile-made.js';
import { refusal } from '../exit-codes.js';
import type { OnConflict } from './keep-definition.js';
import { definitionNamed, folderOf, keepDefinition } from './keep-definition.js';
import { register } from './registry.js';
import type { TemporaryAgent } from './temporary-agents.js';

export interface Promotion {
  agent: TemporaryAgent;
  /** The file's text: the agent's own, or as a person edited it. */
  text: string;
  run: string;
  /** The project's root. */
  root: string;
  conflict: OnConflict;
}

export interface Promoted {
  name: string;
  /** From the project's root; null when it was skipped. */
  to: string | null;
}

/** The file of the project's agent with that name, from the root; null when there is none. */
export function agentNamed(root: string, name: string): string | null {
  return definitionNamed(root, folderOf('agent'), 'agent', name);
}

/**
 * Makes a temporary agent one of the project's: checks it, writes it to `definitions/agents/` and registers it. Throws
 * where the name is taken and nobody said what to do, and where the text is no agent; nothing is written then.
 */
export function promote({ agent, text, run, root, conflict }: Promotion): Promoted {
  const { name, to } = keepDefinition({
    ...{ kind: 'agent', name: agent.name, text, ending: 'yml', root, folder: null, conflict, again: false },
    check: (file, written) => checkDefinition(file, written, root),
  });
  if (to !== null)
    register(root, name, {
      file: to,
      description: agent.description,
      run,
      was: agent.name,
      promoted_at: new Date().toISOString(),
    });
  return { name, to };
}

/** Throws where a text compiles to nothing in the project. */
export function checkDefinition(file: string, text: string, root: string): void {
  const { plan, problems } = compileMade({ file, text }, root);
  if (plan === null) throw refusal(`This is no definition of this project, and nothing was written:\n${problems}`);
}
