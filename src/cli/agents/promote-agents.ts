import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compileMade } from '../../compiler/made/compile-made.js';
import { listFolder } from '../../compiler/text/disk.js';
import { isBuiltInName } from '../../compiler/project/resolve.js';
import { NAME } from '../../plan/names.js';
import { refusal, usageError } from '../exit-codes.js';
import { register } from './registry.js';
import type { TemporaryAgent } from './temporary-agents.js';

/** What is done where the project has an agent of that name already. */
export type OnConflict = { do: 'ask' } | { do: 'overwrite' } | { do: 'skip' } | { do: 'rename'; to: string };

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

const AGENTS = join('definitions', 'agents');

/** The file of the project's agent with that name, from the root; null when there is none. */
export function agentNamed(root: string, name: string): string | null {
  const found = listFolder(join(root, AGENTS)).find(
    (file) =>
      /\.(?:ya?ml|md|agent)$/.test(file.name) && file.name.replace(/\.\w+$/, '').toLowerCase() === name.toLowerCase(),
  );
  return found === undefined ? null : join(AGENTS, found.name);
}

/** A name that is free, made of one that is taken: `scanner-2`. */
export function freeName(root: string, name: string): string {
  for (let number = 2; ; number++) {
    const free = `${name.slice(0, 58)}-${number}`;
    if (agentNamed(root, free) === null) return free;
  }
}

/**
 * Makes a temporary agent one of the project's: checks it, writes it to `definitions/agents/` and registers it. Throws
 * where the name is taken and nobody said what to do, and where the text is no agent; nothing is written then.
 */
export function promote({ agent, text, run, root, conflict }: Promotion): Promoted {
  const taken = agentNamed(root, agent.name);
  if (taken !== null && conflict.do === 'skip') return { name: agent.name, to: null };
  const name = conflict.do === 'rename' ? conflict.to : agent.name;
  checkName(name, { taken, root, conflict });
  const to = taken !== null && conflict.do === 'overwrite' ? taken : join(AGENTS, `${name}.yml`);
  const written = name === agent.name ? text : text.replace(/^name:.*$/m, `name: ${name}`);
  const { plan, problems } = compileMade({ file: to, text: written }, root);
  if (plan === null) throw refusal(`This is no agent, and nothing was written:\n${problems}`);
  const path = join(root, to);
  mkdirSync(dirname(path), { recursive: true });
  // A file that came to be meanwhile is not lost.
  if (conflict.do !== 'overwrite' && existsSync(path)) throw refusal(`\`${to}\` came to be meanwhile.`);
  writeFileSync(path, written);
  register(root, name, {
    file: to,
    description: agent.description,
    run,
    was: agent.name,
    promoted_at: new Date().toISOString(),
  });
  return { name, to };
}

/** Throws where an agent cannot get this name; `taken` is the file that has the one it wants. */
function checkName(
  name: string,
  { taken, root, conflict }: { taken: string | null; root: string; conflict: OnConflict },
): void {
  const free = `\`--rename ${freeName(root, name)}\``;
  if (!NAME.test(name))
    throw usageError(
      `Expected a name: a letter, then letters, digits, \`-\` or \`_\`, at most 63; got \`${name.slice(0, 80)}\`.`,
    );
  if (isBuiltInName(name))
    throw usageError(`\`${name}\` is a built-in agent.`, 'Give it another name: `--rename NAME`.');
  if (taken !== null && conflict.do === 'ask')
    throw usageError(
      `There is an agent \`${name}\` already: \`${taken}\`.`,
      `Say ${free}, \`--overwrite\` or \`--skip\`.`,
    );
  const other = conflict.do === 'rename' ? agentNamed(root, name) : null;
  if (other !== null) throw usageError(`There is an agent \`${name}\` already too: \`${other}\`.`, `Say ${free}.`);
  if (taken !== null && conflict.do === 'overwrite' && !/\.ya?ml$/.test(taken))
    throw usageError(`\`${taken}\` is no YAML, so it is not overwritten.`, `Say ${free}.`);
}
