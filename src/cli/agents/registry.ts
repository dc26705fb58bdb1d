import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { refusal } from '../exit-codes.js';
import { writeWhole } from '../write-whole.js';

/** Where it stands, from the project's root: beside the agents that it is about. */
export const REGISTRY = join('definitions', 'agents', 'registry.json');

const entrySchema = z.object({
  /** From the project's root. */
  file: z.string(),
  description: z.string().nullable(),
  /** The run that it was made for. */
  run: z.string(),
  /** What it was called there. */
  was: z.string(),
  /** ISO 8601, UTC. */
  promoted_at: z.string(),
});
const registrySchema = z.object({ version: z.literal(1), agents: z.record(z.string(), entrySchema) });

export type PromotedAgent = z.infer<typeof entrySchema>;
export type Registry = z.infer<typeof registrySchema>;

/** What was promoted in a project, by name. Throws a refusal when the file is none of ours. */
export function readRegistry(root: string): Registry {
  let text: string;
  try {
    text = readFileSync(join(root, REGISTRY), 'utf8');
  } catch {
    return { version: 1, agents: {} };
  }
  const read = registrySchema.safeParse(parseJson(text));
  if (read.success) return read.data;
  throw refusal(
    `Expected \`${REGISTRY}\` to be the registry of promoted agents, and it is not.`,
    'Move it away; a new one is written.',
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Adds one agent, or replaces what was known of it. A reader sees the old file or the new one. */
export function register(root: string, name: string, agent: PromotedAgent): void {
  const { agents } = readRegistry(root);
  const path = join(root, REGISTRY);
  const sorted = Object.fromEntries(Object.entries({ ...agents, [name]: agent }).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeWhole(path, `${JSON.stringify({ version: 1, agents: sorted }, null, 2)}\n`, { replace: true });
}
