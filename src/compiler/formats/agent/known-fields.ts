import { CLAUDE } from './agent-claude.js';
import { GEMINI } from './agent-gemini.js';

/** What agents in Markdown may say of themselves, whatever tool they are of. */
export const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...['name', 'description', 'prompt', 'model', 'tools', 'agent', 'inputs', 'permissions', 'disallowed_tools'],
  ...['timeout_mins', 'max_output_kb', 'max_turns', 'source'],
  ...Object.keys(CLAUDE.fields),
  ...Object.keys(GEMINI.fields),
]);
