import type { Dialect } from './agent-dialect.js';
import { readHooks } from './claude-hooks.js';
import {
  asNumber,
  readEffort,
  readIsolation,
  readPermissionMode,
  readServers,
  readSkills,
  readTools,
  withLineEnds,
} from './field-readings.js';

/** Claude Code: `.claude/agents/*.md`, front matter and the prompt below it. */
export const CLAUDE: Dialect = {
  title: 'Claude Code',
  fields: {
    description: { to: 'description', convert: withLineEnds },
    maxTurns: { to: 'max_turns', convert: asNumber },
    tools: { read: readTools },
    disallowedTools: { to: 'disallowed_tools' },
    permissionMode: { read: readPermissionMode },
    mcpServers: { read: readServers },
    skills: { read: readSkills },
    effort: { read: readEffort },
    isolation: { read: readIsolation },
    hooks: { read: readHooks },
    memory: {
      lost: 'agents remember nothing between runs',
      changes: true,
      fix: 'write what it must know into its prompt, or run with `--session`',
    },
    initialPrompt: {
      lost: 'the first message is the step that uses the agent',
      changes: true,
      fix: 'write it as the `prompt:` of that step',
    },
    background: { lost: 'a workflow says what runs side by side', changes: false },
    color: { lost: 'agents have no colours', changes: false },
    autoCompactWindow: { lost: 'conversations are not shortened', changes: true },
    omitClaudeMd: { lost: 'files such as CLAUDE.md are not read', changes: false },
    observer: { lost: 'nobody watches a conversation', changes: true, fix: 'add a step that reviews what it did' },
    observerMessage: { lost: 'nobody watches a conversation', changes: true },
    // Of temporary agents, which are written in the same form.
    base: { lost: 'the file itself is the agent', changes: false },
    created: { lost: 'the file has its own time', changes: false },
    created_by: { lost: 'the state folder knows what was made', changes: false },
  },
};
