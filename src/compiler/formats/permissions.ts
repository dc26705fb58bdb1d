import { z } from 'zod';
import type { COMMAND_CLASSES } from '../../plan/tools/command-rule.js';
import { count, filledText, reachedHost } from './values.js';

const words = filledText.regex(/^\S+(?: \S+)*$/, { error: 'the first words of a command, with one blank between' });
const rule = z.union(
  [
    words,
    z.strictObject(
      {
        words: words.describe('The first words of the command.'),
        refuses: z
          .array(filledText, { error: 'a list of options' })
          .optional()
          .describe('Options that it is not run with.'),
        asks: z
          .array(filledText, { error: 'a list of options' })
          .optional()
          .describe('Options with which a person is asked first.'),
      },
      { error: 'a map with words, refuses, asks' },
    ),
  ],
  { error: 'the first words of a command, or a map with words, refuses, asks' },
);
const rules = (what: string) => z.array(rule, { error: 'a list of commands' }).optional().describe(what);
const patterns = z.array(filledText, { error: 'a list of patterns, such as `write:docs/*`' }).optional();
const host = reachedHost.regex(/^(?:\*\.)?[A-Za-z0-9.-]+(?::\d{1,5})?$|^\[[0-9a-fA-F:.]+\](?::\d{1,5})?$/, {
  error: 'a host, such as api.example.org, *.example.org or localhost:8080',
});

/** A path of the workspace. One that ends with `/` is a folder. */
const path = filledText.regex(/^(?!\/)(?!(?:.*\/)?\.\.(?:\/|$))[^*?[\]{}\\\p{Cc}]+$/u, {
  error: "a path from the workspace's root, without `..` and without patterns",
});

const CLASS_TEXTS = {
  safe: 'They only read.',
  workspace: 'They change files of the workspace: they run in the sandbox.',
  install: 'They bring packages in: a person is asked.',
  network: 'They reach other machines: they run where `network` is true.',
  denied: 'They never run.',
} as const satisfies Record<(typeof COMMAND_CLASSES)[number], string>;

/** `permissions:` of perdure.yml and of agents, and the rules that come with the package. */
export const permissionsSchema = z.strictObject(
  {
    commands: z
      .strictObject(
        {
          safe: rules(CLASS_TEXTS.safe),
          workspace: rules(CLASS_TEXTS.workspace),
          install: rules(CLASS_TEXTS.install),
          network: rules(CLASS_TEXTS.network),
          denied: rules(CLASS_TEXTS.denied),
        },
        { error: 'a map from classes (safe, workspace, install, network, denied) to commands' },
      )
      .optional()
      .describe('Commands by class, known by their first words.'),
    network: z
      .union([z.boolean(), z.array(host, { error: 'a list of hosts' })], { error: 'true, false, or a list of hosts' })
      .optional()
      .describe('Whether the network is reached, or which hosts; false when left out.'),
    deny: patterns.describe('What is never done: patterns such as `write:docs/*`, `request`, `mcp:github__*`.'),
    ask: patterns.describe('What a person is asked about.'),
    allow: patterns.describe('What is done beyond what the rules allow.'),
    protected: z
      .array(filledText, { error: 'a list of paths' })
      .optional()
      .describe('Paths that are not written, beside those that never are.'),
    writable: z
      .array(path, { error: 'a list of paths' })
      .optional()
      .describe('The only paths that are written, with all below them; all but the protected ones when left out.'),
    asking: z
      .enum(['ask', 'deny'], { error: 'ask or deny' })
      .optional()
      .describe('What becomes of an action that a person would be asked about; `ask` when left out.'),
    on_denial: z
      .enum(['tell', 'report', 'stop'], { error: 'tell, report or stop' })
      .optional()
      .describe(
        'What a denial comes to: `tell` says so to the agent, `report` in an object, `stop` ends the step; tell when ' +
          'left out.',
      ),
    escalate_after: count.optional().describe('Denials in one step after which a person is asked; 3 when left out.'),
  },
  { error: 'a map with commands, network, deny, ask, allow, protected, writable, asking, on_denial, escalate_after' },
);

export type AuthoredPermissions = z.infer<typeof permissionsSchema>;
