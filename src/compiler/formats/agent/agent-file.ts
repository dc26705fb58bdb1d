import { z } from 'zod';
import { toText } from '../../../plan/values/json.js';
import type { ProviderTool } from '../../../plan/tools/tool.js';
import { PROVIDER_TOOLS } from '../../../plan/tools/tool.js';
import type { Spelling } from '../../text/respell.js';
import { check } from '../../text/check.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Report } from '../../problems/problem.js';
import type { AuthoredAgent } from './agent.js';
import { anyJson, count, filledText, name, repeated, text } from '../values.js';

const names = (what: string) => z.array(filledText, { error: `a list of ${what}` });

const domains = names('domains').min(1, { error: 'at least one domain' });

const serverTool = z.strictObject(
  {
    tool_type: z.enum(PROVIDER_TOOLS, { error: `one of ${PROVIDER_TOOLS.join(', ')}` }),
    max_uses: count.optional(),
    allowed_domains: domains.optional(),
    blocked_domains: domains.optional(),
  },
  { error: 'a map with tool_type' },
);

/** The front matter of an `.agent` file; the text below it is the prompt. */
const agentFileSchema = z.strictObject({
  name: name.describe('Name of the agent.'),
  description: text.optional().describe('What it is good for, told to agents that may call it.'),
  prompt: filledText,
  model: filledText.optional().describe('`provider:model`.'),
  compatible_models: names('patterns').min(1, { error: 'at least one pattern' }).optional(),
  tools: names('tools').optional(),
  toolsets: names('toolsets').optional(),
  server_side_tools: z.array(serverTool, { error: 'a list of maps' }).optional(),
  input_model_ref: anyJson.optional(),
});

const WORDS: Record<string, string> = {
  instructions: 'prompt',
  models: 'compatible_models',
  toolset: 'toolsets',
};

/** What `respelled` holds an `.agent` file against. */
export const agentFileSpelling: Spelling = { schema: agentFileSchema, words: WORDS };

/** Reads the front matter of an `.agent` file. */
export function readAgentFile(node: Node, report: Report): AuthoredAgent | null {
  const authored = check(agentFileSchema, node, { report, words: WORDS });
  const sound = checkFile(node, report);
  if (authored === null || !sound) return null;
  const { name: called, description, prompt, model, compatible_models, tools, toolsets, server_side_tools } = authored;
  return {
    name: called,
    prompt,
    ...(description === undefined ? {} : { description }),
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools }),
    ...(compatible_models === undefined ? {} : { compatible_models }),
    ...(toolsets === undefined ? {} : { toolsets }),
    ...(server_side_tools === undefined ? {} : { server_side_tools: server_side_tools.map(toProviderTool) }),
  };
}

/** What no schema says: what excludes each other, what is there twice, what is Python's. */
function checkFile(node: Node, report: Report): boolean {
  const python = memberOf(node, 'input_model_ref');
  if (python !== null)
    report({
      code: 'python-only',
      at: keyOf(node, 'input_model_ref'),
      message: '`input_model_ref` names a class of Python, which Perdure does not run.',
      suggestion: 'take it out: the agent is asked in words',
    });
  const both = memberOf(node, 'model') !== null && memberOf(node, 'compatible_models') !== null;
  if (both)
    report({
      code: 'conflicting-keys',
      at: keyOf(node, 'compatible_models'),
      message: '`model` and `compatible_models` exclude each other.',
      suggestion: 'keep one of them',
    });
  const twice = ['tools', 'toolsets', 'compatible_models'].flatMap((key) => repeated(memberOf(node, key)?.items ?? []));
  for (const item of twice)
    report({
      code: 'duplicate-name',
      at: item,
      message: `\`${toText(item.value)}\` is listed twice.`,
      suggestion: 'keep one of them',
    });
  const server = checkServerTools(memberOf(node, 'server_side_tools')?.items ?? [], report);
  return python === null && !both && twice.length === 0 && server;
}

function toProviderTool({
  tool_type: name,
  max_uses,
  allowed_domains,
  blocked_domains,
}: z.infer<typeof serverTool>): ProviderTool {
  return {
    kind: 'provider',
    name,
    ...(max_uses === undefined ? {} : { max_uses }),
    ...(allowed_domains === undefined ? {} : { allowed_domains }),
    ...(blocked_domains === undefined ? {} : { blocked_domains }),
  };
}

const LIMITS = ['max_uses', 'allowed_domains', 'blocked_domains'];

/** Tells whether the tools of the provider can be asked for so: each once, and the limits of one that has any. */
function checkServerTools(items: Node[], report: Report): boolean {
  const types = items.flatMap((item) => memberOf(item, 'tool_type') ?? []);
  const twice = repeated(types);
  for (const item of twice)
    report({
      code: 'duplicate-name',
      at: item,
      message: `\`${toText(item.value)}\` is listed twice.`,
      suggestion: 'keep one of them',
    });
  const both = items.filter(
    (item) => memberOf(item, 'allowed_domains') !== null && memberOf(item, 'blocked_domains') !== null,
  );
  for (const item of both)
    report({
      code: 'conflicting-keys',
      at: keyOf(item, 'blocked_domains'),
      message: '`allowed_domains` and `blocked_domains` exclude each other.',
      suggestion: 'keep one of them',
    });
  const unlimited = items.filter((item) =>
    ['code_execution', 'image_generation'].includes(toText(memberOf(item, 'tool_type')?.value ?? null)),
  );
  for (const item of unlimited) {
    const needless = LIMITS.find((key) => memberOf(item, key) !== null);
    if (needless === undefined) continue;
    const type = toText(memberOf(item, 'tool_type')?.value ?? null);
    report({
      code: 'unsupported-key',
      severity: 'warning',
      at: keyOf(item, needless),
      message: `\`${type}\` knows no \`${needless}\`: it is used without.`,
    });
  }
  const images = types.find(({ value }) => value === 'image_generation');
  if (images !== undefined)
    report({
      code: 'unsupported-key',
      severity: 'warning',
      at: images,
      message: 'No provider here makes images: a run of this agent stops before it starts.',
    });
  return twice.length === 0 && both.length === 0;
}
