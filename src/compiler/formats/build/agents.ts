import { z } from 'zod';
import { isEverything, pathFault } from '../../../plan/builds/agent-paths.js';
import { CATEGORIES, ROLES, TRIGGERS } from '../../../plan/builds/build-spec.js';
import { between, filledUpTo, flag, list, map, oneOf, textUpTo } from './values.js';

const path = filledUpTo(200).refine((written) => isEverything(written) || pathFault(written) === null, {
  error: (issue) =>
    `a file or a folder of the project, such as \`src/\`: ${pathFault(String(issue.input)) ?? 'it cannot be held to'}`,
});

/** One of `agents:`. */
export const buildAgent = z.strictObject(
  {
    name: filledUpTo(200).describe('What the agent is called.'),
    role: oneOf(ROLES).describe('What it does.'),
    persona: textUpTo(500).optional().describe('How it speaks and what it cares for.'),
    allowed_paths: list(path, 50, 'paths')
      .optional()
      .describe('The only paths that it may write to; the whole project when left out.'),
    restricted_paths: list(path, 50, 'paths')
      .optional()
      .describe('Paths that it must not write to. `.elisa/` is always one.'),
  },
  map('an agent with name and role'),
);

/** One of `skills:`. */
export const skill = z.strictObject(
  {
    id: textUpTo(200).optional().describe('Its id.'),
    name: filledUpTo(200).describe('What the skill is called.'),
    description: textUpTo(2000).optional().describe('What it is good for.'),
    category: oneOf(CATEGORIES).optional().describe('Whom it is for; agent when left out.'),
    prompt: filledUpTo(5000).describe('What agents are told.'),
  },
  map('a skill with name and prompt'),
);

/** One of `rules:`. */
export const rule = z.strictObject(
  {
    id: textUpTo(200).optional().describe('Its id.'),
    name: filledUpTo(200).optional().describe('What the rule is called.'),
    trigger: oneOf(TRIGGERS).optional().describe('When it holds; always when left out.'),
    prompt: filledUpTo(5000).describe('What agents are told then.'),
  },
  map('a rule with trigger and prompt'),
);

/** `permissions:`, of all agents of the build. */
export const permissions = z.strictObject(
  {
    auto_approve_workspace_writes: flag
      .optional()
      .describe('Whether files of the project are written without asking a person; so when left out.'),
    auto_approve_safe_commands: flag
      .optional()
      .describe('Whether commands that are allowed run without asking a person; so when left out.'),
    allow_network: flag.optional().describe('Whether the network is reached; as perdure.yml says when left out.'),
    escalation_threshold: between(1, 10)
      .optional()
      .describe('Denials in one task after which a person is asked; 3 when left out.'),
  },
  map('auto_approve_workspace_writes, auto_approve_safe_commands, allow_network, escalation_threshold'),
);
