import type { Dialect } from './agent-dialect.js';
import { readEffort, readSandboxMode, readServers } from './field-readings.js';

/** Codex: `.codex/agents/*.toml`. */
export const CODEX: Dialect = {
  title: 'Codex',
  fields: {
    developer_instructions: { to: 'prompt' },
    instructions: { to: 'prompt' },
    model_reasoning_effort: { read: readEffort },
    model_reasoning_summary: { lost: 'summaries of thoughts are not asked for', changes: false },
    model_verbosity: { lost: 'verbosity is not passed on to the model', changes: true },
    sandbox_mode: { read: readSandboxMode },
    approval_policy: {
      lost: 'the permissions say what a person is asked about',
      changes: true,
      unless: 'never',
      fix: 'write it under `permissions:`, such as `ask: [command]`',
    },
    mcp_servers: { read: readServers },
    web_search: { read: (value) => (isOff(value) ? {} : { fields: { tools: ['web_search'] } }) },
    nickname_candidates: { lost: 'an agent has one name', changes: false },
    'skills.config': {
      lost: 'skills of Codex are not loaded',
      changes: true,
      fix: 'name those of `.claude/skills` under `skills:`',
    },
    skills: {
      lost: 'skills of Codex are not loaded',
      changes: true,
      fix: 'name those of `.claude/skills` under `skills:`',
    },
  },
};

function isOff(value: unknown): boolean {
  return value === false || value === 'disabled';
}
