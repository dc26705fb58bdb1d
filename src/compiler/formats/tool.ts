import { z } from 'zod';
import type { Spelling } from '../text/respell.js';
import { checkJsonSchema } from '../text/check-schema.js';
import { hasTemplate, warnOfCode } from '../text/value-as-code.js';
import { check } from '../text/check.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, placesIn } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import { anyJson, count, filledText, jsonSchema, name, reachedHost, text } from './values.js';

const words = z.array(text, { error: 'a list of texts' });
const texts = z.record(z.string(), text, { error: 'a map from names to texts' });
const timeout = count
  .max(3_600_000, { error: 'a number of milliseconds of at most an hour' })
  .optional()
  .describe('Limit of one call in milliseconds.');
const identifier = z
  .string({ error: 'a name' })
  .regex(/^[A-Za-z_][A-Za-z0-9_.]*$/, { error: 'a Python name: letters, digits, `_` and `.`' });

const http = z.strictObject(
  {
    method: z
      .enum(['GET', 'POST', 'PUT', 'DELETE', 'PATCH'], { error: 'one of GET, POST, PUT, DELETE, PATCH' })
      .describe('The method.'),
    url: filledText
      .regex(/^https?:\/\/[^/${}]+(?:[/?#]|$)/, { error: 'an http or https address whose host is written out' })
      .describe('The address; `${name}` in its path and query is an input or a secret.'),
    headers: texts.optional().describe('Headers.'),
    query: texts.optional().describe('Parameters of the query.'),
    body: anyJson.optional().describe('The body: a text, or a value that is sent as JSON.'),
    response: z
      .strictObject(
        {
          json_path: text.optional().describe('Where in the answer the result is.'),
          fields: z
            .array(
              z.strictObject(
                { name: filledText.describe('The name.'), path: filledText.describe('Where it is.') },
                { error: 'a map with name and path' },
              ),
              { error: 'a list of fields' },
            )
            .optional()
            .describe('What is taken of each result.'),
        },
        { error: 'a map with json_path and fields' },
      )
      .optional()
      .describe('What is taken of the answer.'),
    timeout_ms: timeout,
  },
  { error: 'a map with method and url' },
);

const command = z.strictObject(
  {
    entrypoint: filledText.describe("The program, from the tool's folder. It is written out."),
    args: words.optional().describe('Its arguments, one item each; no shell stands between.'),
    cwd: text.optional().describe('Folder it runs in.'),
    env: texts.optional().describe('Variables of its environment.'),
    stdin: text.optional().describe('What it reads.'),
    stdout: z
      .strictObject(
        { format: z.enum(['json', 'text'], { error: 'json or text' }).describe('What it writes.') },
        { error: 'a map with format' },
      )
      .optional()
      .describe('What it writes.'),
    exit_codes_ok: z
      .array(z.number({ error: 'a whole number' }).int({ error: 'a whole number' }), { error: 'a list of exit codes' })
      .optional()
      .describe('Exit codes that are success; 0 when left out.'),
    timeout_ms: timeout,
  },
  { error: 'a map with entrypoint' },
);

const python = z.strictObject(
  {
    module: identifier.describe("The module, from the tool's folder."),
    function: identifier.describe('The function that is called.'),
    args: z.array(anyJson, { error: 'a list' }).optional().describe('Positional arguments.'),
    kwargs: z.record(z.string(), anyJson, { error: 'a map' }).optional().describe('Named arguments.'),
    venv: text.optional().describe('Virtual environment.'),
    cwd: text.optional().describe('Folder it runs in.'),
    return: anyJson.optional().describe('What it returns.'),
    timeout_ms: timeout,
  },
  { error: 'a map with module and function' },
);

const paths = words.optional();

/** `tool.yml`. */
export const toolSchema = z
  .strictObject({
    name: name.describe('Name by which agents and steps call it.'),
    description: filledText.describe('What it does, for people and for models.'),
    kind: z.enum(['http', 'command', 'python'], { error: 'one of http, command, python' }).describe('How it acts.'),
    version: count.describe('Raised by one when it changes.'),
    inputs: z
      .strictObject(
        { schema: jsonSchema.describe('JSON Schema of what it is called with.') },
        { error: 'a map with schema' },
      )
      .describe('What it takes.'),
    outputs: z
      .strictObject(
        {
          format: z.enum(['json', 'text'], { error: 'json or text' }).describe('What it gives.'),
          schema: jsonSchema.optional().describe('JSON Schema of what it gives.'),
        },
        { error: 'a map with format and schema' },
      )
      .describe('What it gives.'),
    exec: z
      .strictObject(
        {
          http: http.optional().describe('A request.'),
          command: command.optional().describe('A program.'),
          python: python.optional().describe('A Python function.'),
        },
        { error: 'a map with http, command or python' },
      )
      .describe('What is done: the block of its kind.'),
    permissions: z
      .strictObject(
        {
          network: z
            .union([z.boolean(), z.array(reachedHost, { error: 'a list of hosts' })], {
              error: 'true, false, or a list of hosts',
            })
            .optional()
            .describe('Whether it may reach the network, or which hosts.'),
          fs: z
            .strictObject(
              { read: paths.describe('What it may read.'), write: paths.describe('What it may write.') },
              { error: 'a map with read and write' },
            )
            .optional()
            .describe('Files it may touch.'),
          secrets: z
            .record(
              z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'a variable name' }),
              z.strictObject(
                {
                  type: z.literal('string', { error: 'string' }).optional().describe('A text.'),
                  required: z.boolean({ error: 'true or false' }).optional().describe('Whether it must be there.'),
                },
                { error: 'a map with type and required' },
              ),
              { error: 'a map of secrets' },
            )
            .optional()
            .describe('Secrets of the environment that it uses, by name.'),
        },
        { error: 'a map with network, fs, secrets' },
      )
      .optional()
      .describe('What it may do.'),
    approval: z
      .strictObject(
        {
          required: z.boolean({ error: 'true or false' }).describe('Whether a person is asked first.'),
          reason: text.optional().describe('Why.'),
        },
        { error: 'a map with required and reason' },
      )
      .optional()
      .describe('Whether a person is asked before it acts.'),
    examples: z
      .array(
        z.strictObject(
          {
            description: text.optional().describe('What it shows.'),
            params: z.record(z.string(), anyJson, { error: 'a map' }).optional().describe('What it is called with.'),
            expected_output: anyJson.optional().describe('What it gives.'),
          },
          { error: 'a map with description, params, expected_output' },
        ),
        { error: 'a list of examples' },
      )
      .optional()
      .describe('Calls and what they give.'),
  })
  .describe('A tool: something that agents and steps can call.');

export type AuthoredTool = z.infer<typeof toolSchema>;

/** What `respelled` holds a tool against. */
export const toolSpelling: Spelling = { schema: toolSchema };

/** Reads and checks a tool: its schemas, that its block is that of its kind, and what its `${name}` refer to. */
export function readTool(node: Node, report: Report): AuthoredTool | null {
  const tool = check(toolSchema, node, { report });
  if (tool === null) return null;
  for (const [key, part] of [
    ['inputs', tool.inputs],
    ['outputs', tool.outputs],
  ] as const) {
    const schema = memberOf(memberOf(node, key) ?? node, 'schema');
    if (part.schema !== undefined && schema !== null) checkJsonSchema(schema, report);
  }
  checkBlock(node, tool, report);
  checkReferences(node, tool, report);
  return tool;
}

function checkBlock(node: Node, { kind, exec }: AuthoredTool, report: Report): void {
  const at = memberOf(node, 'exec') ?? node;
  if (exec[kind] === undefined)
    report({
      code: 'missing-key',
      at: keyOf(node, 'exec'),
      message: `Expected \`exec.${kind}\`: the tool is of kind \`${kind}\`.`,
    });
  for (const other of Object.keys(exec)) {
    if (other !== kind)
      report({
        code: 'conflicting-keys',
        at: keyOf(at, other),
        message: `The tool is of kind \`${kind}\`, and this says how one of kind \`${other}\` acts.`,
        suggestion: 'keep the block of its kind',
      });
  }
  const program = memberOf(memberOf(at, 'command') ?? at, 'entrypoint');
  if (kind === 'command' && typeof program?.value === 'string' && program.value.includes('${')) {
    report({
      code: 'command-not-literal',
      at: program,
      message: 'Expected a program, got a template.',
      suggestion: 'write the program out; its arguments may be templates',
    });
  }
  const args = memberOf(memberOf(at, 'command') ?? at, 'args')?.items ?? [];
  if (program != null) warnOfCode([program, ...args], hasTemplate, report);
}

/** In texts of `exec`, `${name}` is an input or a secret. */
function checkReferences(node: Node, { inputs, permissions }: AuthoredTool, report: Report): void {
  const properties = inputs.schema['properties'];
  const known = [
    ...Object.keys(typeof properties === 'object' && properties !== null ? properties : {}),
    ...Object.keys(permissions?.secrets ?? {}),
  ];
  const visit = (current: Node): void => {
    for (const item of current.items ?? []) visit(item);
    for (const { node: member } of current.members?.values() ?? []) visit(member);
    if (typeof current.value !== 'string') return;
    for (const found of current.value.matchAll(/(\\?)\$\{([^{}]{0,200})\}/g)) {
      const [whole, escaped, reference = ''] = found;
      if (escaped !== '' || known.includes(reference.trim())) continue;
      report({
        code: 'unknown-variable',
        severity: 'error',
        at: placesIn(current)(found.index, whole.length),
        message: `\`${reference.trim()}\` is neither an input of the tool nor one of its secrets.`,
        suggestion: didYouMean(reference.trim(), known),
      });
    }
  };
  visit(memberOf(node, 'exec') ?? node);
}
