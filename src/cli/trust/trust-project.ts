import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProject } from '../../compiler/project/project.js';
import { projectsAbove, setTrust } from '../../store/records/trusted-projects.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { safeLine } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { printJson, tell } from '../terminal.js';

/** What of a project's folder says what Perdure does there. */
const OBEYED = [
  ...['perdure.yml', 'definitions', 'project.json', 'temp-agents', 'AGENTS.md'],
  ...['.glee', '.claude', '.codex', '.gemini'],
];

/** Those of them that stand in a folder. */
export function obeyedIn(folder: string): string[] {
  return OBEYED.filter((name) => readdirSync(folder).includes(name));
}

/** Trusts the project of the current folder in each project that it lies in, or no more; tells what was trusted. */
export async function trustProject(
  { trusted, json }: { trusted: boolean; json: boolean },
  terminal: Terminal,
): Promise<ExitCode> {
  const { root } = findProject(terminal.cwd);
  const outer = [...new Set((await projectsAbove(root)).map((project) => project.root))];
  const obeyed = obeyedIn(root);
  await setTrust(root, { trusted });
  if (json) printJson(terminal, { project: root, trusted: outer.length > 0 && trusted, in: outer, obeyed });
  else tell(terminal, ...lines({ root, outer, obeyed, trusted }));
  return EXIT.success;
}

interface Told {
  root: string;
  outer: string[];
  obeyed: string[];
  trusted: boolean;
}

function lines({ root, outer, obeyed, trusted }: Told): string[] {
  const named = outer.map((folder) => `\`${safeLine(folder)}\``).join(' and ');
  const project = `\`${safeLine(root)}\``;
  if (outer.length === 0) return [`${project} lies in no other project: it needs no trust.`];
  if (!trusted) return [`${project} is trusted no more in ${named}.`];
  return [
    `${project} is trusted in ${named}. Agents there cannot change what Perdure goes by here:`,
    ...(obeyed.length === 0 ? ['  nothing yet'] : obeyed.map((name) => `  ${safeLine(join(root, name))}`)),
  ];
}
