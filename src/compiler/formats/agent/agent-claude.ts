import type { Json } from '../../../plan/values/json.js';
import type { Dialect } from './agent-dialect.js';

/** Claude Code: `.claude/agents/*.md`, front matter and the prompt below it. */
export const CLAUDE: Dialect = {
  title: 'Claude Code',
  fields: {
    // Descriptions are written in one line, with `\n` where a line ends.
    description: { to: 'description', convert: (value) => (isText(value) ? value.replaceAll('\\n', '\n') : value) },
    maxTurns: { to: 'max_turns', convert: (value) => (isText(value) && /^\d+$/.test(value) ? Number(value) : value) },
    disallowedTools: { to: 'disallowed_tools' },
    permissionMode: { lost: 'permissions are asked at gates', changes: true, unless: 'default' },
    mcpServers: { lost: 'agents have no servers of their own', changes: true },
    hooks: { lost: 'there are no hooks around tools', changes: true },
    skills: { lost: 'skills are not loaded', changes: true },
    memory: { lost: 'agents remember nothing between runs', changes: true },
    effort: { lost: 'effort is not passed on to the model', changes: true },
    isolation: { lost: 'all steps share one workspace', changes: true },
    initialPrompt: { lost: 'the first message is the step that uses the agent', changes: true },
    background: { lost: 'a workflow says what runs side by side', changes: false },
    color: { lost: 'agents have no colours', changes: false },
    autoCompactWindow: { lost: 'conversations are not shortened', changes: true },
    omitClaudeMd: { lost: 'files such as CLAUDE.md are not read', changes: false },
    observer: { lost: 'nobody watches a conversation', changes: true },
    observerMessage: { lost: 'nobody watches a conversation', changes: true },
    // Of temporary agents, which are written in the same form.
    base: { lost: 'the file itself is the agent', changes: false },
    created: { lost: 'the file has its own time', changes: false },
    created_by: { lost: 'the state folder knows what was made', changes: false },
  },
};

function isText(value: Json): value is string {
  return typeof value === 'string';
}
