import { stringify } from 'yaml';
import type { AgentRequest } from '../plan/made.js';

/** An agent's file as seed 002 writes it, `.agent`: front matter, and below it the instructions. */
export function writeAgentFile({ name, description, model, tools, toolsets, instructions }: AgentRequest): string {
  const head = {
    name,
    description,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(toolsets === undefined ? {} : { toolsets }),
  };
  return `---\n${stringify(head, { lineWidth: 0 })}---\n\n${instructions.trim()}\n`;
}
