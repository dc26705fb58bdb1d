import type { Dialect } from './agent-dialect.js';
import { readServers } from './field-readings.js';

const REMOTE = { lost: 'agents on other machines cannot be called', changes: true };
const SAMPLING = { lost: 'sampling is left to the model', changes: true };

/** Gemini CLI: `.gemini/agents/*.md` of today, front matter and the prompt below it; and TOML, as it was before. */
export const GEMINI: Dialect = {
  title: 'Gemini CLI',
  fields: {
    display_name: { lost: 'an agent has one name', changes: false },
    kind: { ...REMOTE, unless: 'local' },
    agent_card_url: REMOTE,
    agent_card_json: REMOTE,
    auth: REMOTE,
    temperature: SAMPLING,
    mcp_servers: { read: readServers },
    mcpServers: { read: readServers },
    // TOML.
    system_prompt: { to: 'prompt' },
    instructions: { to: 'prompt' },
    'prompts.system_prompt': { to: 'prompt' },
    'prompts.query': {
      lost: 'the first message is the step that uses the agent',
      changes: true,
      fix: 'write it as the `prompt:` of that step',
    },
    'model.model': { to: 'model' },
    'model.temp': SAMPLING,
    'model.temperature': SAMPLING,
    'model.top_p': SAMPLING,
    'run.timeout_mins': { to: 'timeout_mins' },
    'run.max_time_minutes': { to: 'timeout_mins' },
    'run.max_turns': { to: 'max_turns' },
    'tools.allowed': { to: 'tools' },
    'tool_config.tools': { to: 'tools' },
  },
};
