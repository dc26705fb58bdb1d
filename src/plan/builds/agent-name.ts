import { latinOf } from '../text/latin.js';

/** Names of a spec are free text; agents' are not, and no two of a team are the same. */
export function agentName(name: string, index: number): string {
  return `task-${slug(name)}-${index + 1}`;
}

function slug(text: string): string {
  return (
    latinOf(text)
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40) || 'agent'
  );
}
