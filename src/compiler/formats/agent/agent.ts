import { extname } from 'node:path';
import { z } from 'zod';
import { EFFORTS } from '../../../plan/names.js';
import { PROGRAMS } from '../../../plan/agents/program.js';
import type { ProviderTool } from '../../../plan/tools/tool.js';
import type { Spelling } from '../../text/respell.js';
import { check, describe } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, startOf, withMembers, without } from '../../text/node.js';
import type { Report } from '../../problems/problem.js';
import { CLAUDE } from './agent-claude.js';
import { CODEX } from './agent-codex.js';
import type { Dialect, DialectName, Loss } from './agent-dialect.js';
import { reportLosses, translate } from './agent-dialect.js';
import { GEMINI } from './agent-gemini.js';
import { splitTools } from './agent-tools.js';
import { hooksSchema } from './hooks.js';
import { permissionsSchema } from '../permissions.js';
import { count, filledText, id, inputSpecs, inputSpecsOrList, minuteCount, name, positive, text } from '../values.js';

const agentShape = {
  name: name.optional().describe("Name of the agent; the file's name when left out."),
  description: text.optional().describe('What it is good for.'),
  prompt: filledText.describe('Its instruction. `${name}` in it is one of its inputs.'),
  model: filledText.optional().describe('An alias (opus, sonnet, haiku), a full id, or `provider:model`.'),
  tools: z
    .union([text, z.array(filledText)], { error: 'a list of tools' })
    .nullable()
    .optional()
    .describe('Tools it may use: those of Perdure, of `tool.yml` files, of servers (`github__*`), and agents.'),
  disallowed_tools: z
    .union([text, z.array(filledText)], { error: 'a list of tools' })
    .nullable()
    .optional()
    .describe('Tools that it does not get, whatever `tools` says.'),
  permissions: permissionsSchema.optional().describe('What its tools may do; it goes before that of perdure.yml.'),
  agent: z
    .enum(PROGRAMS, { error: 'a program: claude, codex or gemini' })
    .optional()
    .describe('The program that plays it: claude, codex, gemini. Left out: a model provider.'),
  inputs: inputSpecs.optional().describe('Inputs it declares.'),
  timeout_mins: minuteCount.optional().describe('Limit of one try in minutes; 5 when left out.'),
  max_output_kb: positive
    .max(102_400, { error: 'a number of at most 102400' })
    .optional()
    .describe('Longest output; 100 when left out.'),
  max_turns: count.optional().describe('Turns of a conversation; 20 when left out.'),
  effort: z
    .enum(EFFORTS, { error: `one of ${EFFORTS.join(', ')}` })
    .optional()
    .describe('How much its model thinks before it answers, where the model has that.'),
  skills: z
    .array(name, { error: 'a list of skills' })
    .optional()
    .describe('Skills that it has: folders of `definitions/skills` or `.claude/skills` with a `SKILL.md`.'),
  mcp: z
    .array(id, { error: 'a list of MCP servers' })
    .optional()
    .describe('MCP servers of perdure.yml, all of whose tools it has.'),
  isolation: z
    .enum(['worktree'], { error: 'worktree' })
    .optional()
    .describe('It works in a work tree of its own; beside all others when left out.'),
  hooks: hooksSchema.optional().describe('Commands around its calls of tools, which may forbid them.'),
  source: z
    .strictObject(
      {
        from: text.describe('The tool it comes from.'),
        file: text.optional().describe('The file it was read from.'),
        imported_at: text.optional().describe('When.'),
        hash: text.optional().describe("SHA-256 of that file's bytes then."),
      },
      { error: 'a map with from, file, imported_at, hash' },
    )
    .optional()
    .describe('Where an imported agent comes from.'),
};

export const agentSchema = z.strictObject(agentShape).describe('An agent: a named role with instructions.');

/** The file as it may be written, for editors. */
export const agentEditorSchema = agentSchema.extend({
  inputs: inputSpecsOrList.optional().describe('Inputs it declares: a map from names, or a list.'),
});

/**
 * An agent as it is written. Toolsets, tools of the provider and patterns of models are of `.agent` files alone.
 */
export type AuthoredAgent = z.infer<typeof agentSchema> & {
  /** Of Markdown that is used where it stands: the agent whose tools it has, where it names none. */
  base?: string;
  toolsets?: string[];
  server_side_tools?: ProviderTool[];
  compatible_models?: string[];
};

const DIALECT: Record<DialectName, Dialect> = { claude: CLAUDE, gemini: GEMINI, codex: CODEX };
const OURS: ReadonlySet<string> = new Set(Object.keys(agentShape));
const UNSUPPORTED_KEYS = new Set(['toolsets', 'server_side_tools', 'compatible_models', 'sandbox']);
const WORDS: Record<string, string> = {
  instructions: 'prompt',
  system_prompt: 'prompt',
  systemPrompt: 'prompt',
  timeout: 'timeout_mins',
  cli: 'agent',
  program: 'agent',
};

/** What `respelled` holds an agent against. */
export const agentSpelling: Spelling = { schema: agentSchema, unsupported: UNSUPPORTED_KEYS, words: WORDS };

/** Reads an agent's authored form from YAML. */
export function readAgent(node: Node, report: Report): AuthoredAgent | null {
  return check(agentSchema, node, { report, unsupported: UNSUPPORTED_KEYS, words: WORDS });
}

/** Another tool's agent in our form: its fields at their places, and what was lost. */
export interface ForeignAgent {
  /** The document in our words. */
  node: Node;
  authored: AuthoredAgent;
  losses: Loss[];
}

/** Reads an agent as another tool writes it; Markdown comes as one map, with the text as `prompt`. */
export function readForeignAgent(node: Node, dialect: DialectName, report: Report): ForeignAgent | null {
  const { node: ours, losses } = translate(node, DIALECT[dialect], OURS);
  const remote = losses.find(({ field }) => field === 'kind' || field.startsWith('agent_card'));
  if (remote !== undefined && !ours.members?.has('prompt')) {
    report({
      code: 'unsupported-key',
      at: remote.at,
      message: 'This is an agent on another machine, which Perdure cannot call.',
    });
    return null;
  }
  if (!(ours.members?.has('prompt') ?? false)) {
    const isMarkdown = extname(node.source.absolute) === '.md';
    const message = isMarkdown
      ? 'Expected the instructions below the front matter, got nothing.'
      : `Expected \`${promptKey(dialect)}\`: the instructions.`;
    report({ code: 'missing-key', at: startOf(node), message });
    return null;
  }
  const authored = check(agentSchema, ours, { report, words: WORDS });
  return authored && { node: ours, authored, losses };
}

/** What the instructions are called in a tool's own file. */
function promptKey(dialect: DialectName): string {
  return (
    Object.entries(DIALECT[dialect].fields).find(([, rule]) => 'to' in rule && rule.to === 'prompt')?.[0] ?? 'prompt'
  );
}

/**
 * Reads an agent of another tool that is used where it stands: what is lost is told as warnings, and so are the tools
 * that it would have there without naming them.
 */
export function readAgentInPlace(
  node: Node,
  dialect: DialectName,
  report: Report,
): Pick<ForeignAgent, 'node' | 'authored'> | null {
  const read = withoutHooks(readForeignAgent(node, dialect, report));
  // What a temporary agent's front matter says beside the agent is no loss.
  if (read === null) return null;
  reportLosses(
    read.losses.filter(({ field }) => !['base', 'created', 'created_by'].includes(field)),
    report,
  );
  const based = withBase(read, node, report);
  const giver = toolsGiver(based.authored, dialect);
  if (giver !== null && based.authored.base === undefined && homeOf(node) !== undefined)
    report({
      code: 'missing-key',
      severity: 'warning',
      at: keyOf(node, 'name'),
      message:
        `\`tools\` is not written: ${giver} gives such an agent all tools; here it has none, and only reads where a ` +
        'program plays it.',
      suggestion: NAME_TOOLS,
    });
  return based;
}

/** What is said to do where an agent names no tools. */
export const NAME_TOOLS = 'name those that it needs: `tools: [Read, Edit, "Bash(npm test)"]`';

/** Which tool gives all its tools to an agent that names none, as this one; null for one that names some. */
export function toolsGiver(authored: AuthoredAgent, dialect: DialectName): string | null {
  return authored.tools !== undefined || dialect === 'codex' ? null : DIALECT[dialect].title;
}

/** The agent with its `base`, which other tools do not have, where its front matter says one. */
function withBase(
  { node, authored }: ForeignAgent,
  written: Node,
  report: Report,
): Pick<ForeignAgent, 'node' | 'authored'> {
  const member = written.members?.get('base');
  const base = member?.node.value ?? null;
  if (member === undefined || base === null) return { node, authored };
  if (typeof base === 'string' && base.trim() !== '')
    return { node: withMembers(node, [...(node.members ?? []), ['base', member]]), authored: { ...authored, base } };
  report({
    code: 'invalid-value',
    at: member.node,
    message: `Expected the name of an agent for \`base\`, got ${describe(base)}.`,
  });
  return { node, authored };
}

/** Which tool's words a file is written in, by its place, then by its content. */
export function dialectOf({ source, value }: Node): DialectName {
  const home = homeOf({ source });
  if (home !== undefined) return home;
  if (!source.absolute.endsWith('.toml')) return 'claude';
  return value !== null && typeof value === 'object' && 'developer_instructions' in value ? 'codex' : 'gemini';
}

/** The tool in whose folder a file stands. */
function homeOf({ source }: Pick<Node, 'source'>): DialectName | undefined {
  // one of those that the pattern names
  return /\/\.(claude|gemini|codex)\//.exec(source.absolute)?.[1] as DialectName | undefined;
}

/** Tools by name. */
export function toolsOf({ tools }: AuthoredAgent): string[] {
  return splitTools(tools);
}

/** Nobody has approved hooks of an agent that is used where it stands. */
function withoutHooks(read: ForeignAgent | null): ForeignAgent | null {
  const at = read === null ? undefined : read.node.members?.get('hooks')?.key;
  if (read === null || at === undefined) return read;
  const { hooks: _hooks, ...authored } = read.authored;
  const loss: Loss = {
    field: 'hooks',
    at,
    reason: 'those of an agent that was imported run, once a person has approved them',
    changes: true,
    fix: '`perdure agents import --from claude` shows each of them, and takes that approval',
  };
  return { node: without(read.node, 'hooks'), authored, losses: [...read.losses, loss] };
}
