import { z } from 'zod';
import { anyJson } from '../values.js';
import { between, flag, list, map, oneOf, textUpTo } from './values.js';

/** What a command of a portal may not hold: no shell reads it, and none would have to. */
const argument = textUpTo(500).regex(/^[^;&|`$(){}[\]<>!\n\r\\'"]*$/, {
  error: 'an argument without any of ; & | ` $ ( ) { } [ ] < > ! \\ \' " and line ends',
});
const settings = (what: string) => z.record(z.string(), anyJson, map(what));

const program = {
  command: textUpTo(200).describe('The program.'),
  args: list(argument, 50, 'arguments').optional().describe('Its arguments.'),
};

const capability = z.strictObject(
  {
    id: textUpTo(200).optional().describe('Its id.'),
    name: textUpTo(200).optional().describe('What it is called.'),
    kind: textUpTo(50).optional().describe('action, event or query.'),
    description: textUpTo(2000).optional().describe('What it does.'),
  },
  map('a capability'),
);

const interaction = z.strictObject(
  {
    type: textUpTo(100).optional().describe('tell, when or ask.'),
    capabilityId: textUpTo(200).optional().describe('The capability that it uses.'),
    params: settings('values by name').optional().describe('What it is used with.'),
  },
  map('an interaction'),
);

/** One of `portals:`. */
export const portal = z.strictObject(
  {
    id: textUpTo(200).optional().describe('Its id.'),
    name: textUpTo(200).optional().describe('What it is called.'),
    description: textUpTo(2000).optional().describe('What it is.'),
    mechanism: oneOf(['mcp', 'cli', 'serial', 'auto']).optional().describe('How it is reached.'),
    capabilities: list(capability, 50, 'capabilities').optional().describe('What it can do.'),
    interactions: list(interaction, 50, 'interactions').optional().describe('What the result does with it.'),
    mcpConfig: z
      .strictObject(
        {
          ...program,
          env: z.record(z.string(), textUpTo(1000), map('variables')).optional().describe('Its environment; left out.'),
        },
        map('command and args'),
      )
      .optional()
      .describe('The MCP server. It is not started.'),
    cliConfig: z.strictObject(program, map('command and args')).optional().describe('The program. It is not started.'),
  },
  map('a portal'),
);

/** `runtime:`, an agent that the result may have. */
export const runtime = z.strictObject(
  {
    agent_name: textUpTo(100).optional().describe('What it is called.'),
    greeting: textUpTo(500).optional().describe('What it says first.'),
    fallback_response: textUpTo(500).optional().describe('What it says when it knows nothing.'),
    voice: textUpTo(50).optional().describe('How it sounds.'),
    display_theme: textUpTo(50).optional().describe('How it looks.'),
  },
  map('agent_name, greeting, fallback_response, voice, display_theme'),
);

const source = z.strictObject(
  {
    id: textUpTo(100).describe('Its id.'),
    type: oneOf(['pdf', 'url', 'youtube', 'drive', 'topic_pack', 'sports_feed', 'news_feed', 'custom_feed']).describe(
      'What it is.',
    ),
    title: textUpTo(200).describe('What it is called.'),
    uri: textUpTo(2000).optional().describe('Where it is. It is not fetched.'),
    config: settings('settings').optional().describe('Its settings.'),
  },
  map('a source with id, type and title'),
);

/** `knowledge:`, what an agent of the result knows. */
export const knowledge = z.strictObject(
  {
    backpack_sources: list(source, 50, 'sources').optional().describe('Where it knows it from.'),
    study_mode: z
      .strictObject(
        {
          enabled: flag.describe('Whether there is one.'),
          style: oneOf(['explain', 'quiz_me', 'flashcards', 'socratic']).describe('How it teaches.'),
          difficulty: oneOf(['easy', 'medium', 'hard']).describe('How hard it is.'),
          quiz_frequency: between(1, 20).describe('How often it asks.'),
        },
        map('enabled, style, difficulty, quiz_frequency'),
      )
      .optional()
      .describe('How it teaches.'),
  },
  map('backpack_sources and study_mode'),
);

/** `composition:`, what this project gives to others, and takes from them. */
export const composition = z.record(z.string(), anyJson, map('parent_id, provides, requires'));

/** `meeting_team:`, who would be invited to talk about it. */
export const meetingTeam = anyJson;
