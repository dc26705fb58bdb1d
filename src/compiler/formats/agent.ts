import { z } from 'zod';
import { check } from '../check.js';
import type { Node } from '../node.js';
import type { Report } from '../problem.js';
import { count, filledText, inputSpecs, name, positive, text } from './values.js';

const agentShape = {
  name: name.optional().describe("Name of the agent; the file's name when left out."),
  description: text.optional().describe('What it is good for.'),
  prompt: filledText.describe('Its instruction. `${name}` in it is one of its inputs.'),
  model: filledText.optional().describe('An alias (opus, sonnet, haiku), a full id, or `provider:model`.'),
  tools: z
    .union([text, z.array(filledText)], { error: 'a list of tools' })
    .nullable()
    .optional()
    .describe('Tools it may use.'),
  agent: filledText.optional().describe('The program that plays it: claude, codex, gemini. Left out: a model provider.'),
  inputs: inputSpecs.optional().describe('Inputs it declares.'),
  timeout_mins: positive.optional().describe('Limit of one try in minutes; 5 when left out.'),
  max_output_kb: positive.max(102_400, { error: 'a number of at most 102400' }).optional().describe('Longest output; 100 when left out.'),
  max_turns: count.optional().describe('Turns of a conversation; 20 when left out.'),
  source: z
    .strictObject(
      { from: text.describe('The tool it comes from.'), file: text.optional().describe('The file it was read from.'), imported_at: text.optional().describe('When.') },
      { error: 'a map with from, file, imported_at' },
    )
    .optional()
    .describe('Where an imported agent comes from.'),
};

export const agentSchema = z.strictObject(agentShape).describe('An agent: a named role with instructions.');

/** What the front matter of a Markdown agent may hold: the prompt is the text below it. */
const frontMatterSchema = z.strictObject({
  ...agentShape,
  prompt: filledText,
  base: filledText.optional(),
  created: text.optional(),
});

export type AuthoredAgent = z.infer<typeof agentSchema>;

const UNSUPPORTED_KEYS = new Set(['permissions', 'toolsets', 'compatible_models', 'skills', 'sandbox']);
const WORDS: Record<string, string> = { instructions: 'prompt', system_prompt: 'prompt', systemPrompt: 'prompt', timeout: 'timeout_mins', cli: 'agent', program: 'agent' };

/** Reads an agent's authored form from YAML. */
export function readAgent(node: Node, report: Report): AuthoredAgent | null {
  return check(agentSchema, node, { report, unsupported: UNSUPPORTED_KEYS, words: WORDS });
}

/** Reads one from the front matter and the text of a Markdown file, whose tool may have keys that mean nothing here. */
export function readMarkdownAgent(node: Node, report: Report): AuthoredAgent | null {
  const authored = check(frontMatterSchema, node, { report, unknownKeys: 'warning' });
  if (authored === null) return null;
  const { base: _base, created: _created, model, ...agent } = authored;
  // Claude Code's word for "the caller's model", which here is the default.
  return model === undefined || model === 'inherit' ? agent : { ...agent, model };
}

/** `Read, Grep` and `[Read, Grep]` are the same. */
export function toolsOf({ tools }: AuthoredAgent): string[] {
  const list = typeof tools === 'string' ? tools.split(',') : (tools ?? []);
  return list.map((tool) => tool.trim()).filter((tool) => tool !== '');
}
