import type { Dialect } from './agent-dialect.js';

const SERVERS = { lost: 'agents have no servers of their own', changes: true };

/** Codex: `.codex/agents/*.toml`. */
export const CODEX: Dialect = {
  title: 'Codex',
  fields: {
    developer_instructions: { to: 'prompt' },
    instructions: { to: 'prompt' },
    model_reasoning_effort: { lost: 'effort is not passed on to the model', changes: true },
    model_reasoning_summary: { lost: 'summaries of thoughts are not asked for', changes: false },
    model_verbosity: { lost: 'verbosity is not passed on to the model', changes: true },
    sandbox_mode: { lost: 'permissions are asked at gates', changes: true },
    approval_policy: { lost: 'permissions are asked at gates', changes: true },
    mcp_servers: SERVERS,
    web_search: { lost: 'agents do not search the web', changes: true },
    nickname_candidates: { lost: 'an agent has one name', changes: false },
    skills: { lost: 'skills are not loaded', changes: true },
  },
};
