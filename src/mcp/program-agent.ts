import type { ProgramName } from '../plan/agents/program.js';
import { PROGRAMS } from '../plan/agents/program.js';

/**
 * The name of the agent that is nothing but a program: `codex-cli`. Runs and sessions carry it, so it is the same in
 * every connection.
 */
export function programAgent(program: ProgramName): string {
  return `${program}-cli`;
}

/** The text of the agent of such a name, null for other names. It is ours, so nobody needs to approve it. */
export function textOfProgramAgent(name: string): string | null {
  const program = PROGRAMS.find((one) => programAgent(one) === name);
  return program === undefined
    ? null
    : `name: ${name}\nagent: ${program}\nprompt: You do the task that you are given.\n`;
}
