import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { StepBase, ToolStep } from '../../plan/step.js';
import type { CallableTool } from '../../plan/tools/tool.js';
import type { AuthoredToolStep } from '../formats/step.js';
import { didYouMean, nearest } from '../problems/did-you-mean.js';
import type { Report } from '../problems/problem.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf } from '../text/node.js';
import { warnOfSpelling } from '../text/written-number.js';
import { faultOf } from '../agents/step-tools.js';
import type { Authored, StepContext } from './base.js';
import { baseOf, DEFAULT_TRY_MS, mapAt, policyOf, schemaAt, usualPolicy } from './base.js';
import { ownOf } from '../../plan/values/own.js';

/** Tools of ours that only look. */
const READING = [
  'read_file',
  'list_files',
  'search_files',
  'gather_context',
  'compare_workspace',
  'memory_search',
  'test_changes',
  'web_search',
];

/** One call of a tool; null when there is no such tool, or it is called with what it does not take. */
export function compileToolStep(authored: Authored<'tool'>, context: StepContext): ToolStep | null {
  const { node } = context;
  const at = memberOf(node, 'tool') ?? node;
  const found = context.findTool(authored.tool, at);
  const inputs = mapAt('inputs', context);
  const base = baseOf(authored, context);
  const schema = schemaAt(context);
  if (found === null || context.faulty.has('inputs')) return null;
  const { tool, permissions } = found;
  if (found.inputs !== null) checkInputs(tool, found.inputs, { at, context });
  const policy = policyOf(authored, { ...usualPolicy(1, DEFAULT_TRY_MS), effect: effectOf(tool, authored) }, context);
  return { kind: 'tool', ...base, ...policy, tool, permissions: permissions(authored.permissions), inputs, schema };
}

/** What a call changes where the step does not say. */
function effectOf(tool: CallableTool, { inputs = {} }: AuthoredToolStep): StepBase['effect'] {
  if (tool.kind === 'defined') return tool.effect;
  if (tool.kind === 'mcp') return tool.reads === true ? 'none' : 'external';
  if (tool.name === 'http_request')
    // any other value is external
    return [undefined, 'GET', 'HEAD'].includes(inputs['method'] as string | undefined) ? 'none' : 'external';
  return READING.includes(tool.name) ? 'none' : 'workspace';
}

/**
 * Holds what is written against the tool's schema, as far as its plain words go; the whole of it is checked before the
 * call.
 */
function checkInputs(
  { name: tool }: CallableTool,
  schema: JsonObject,
  { at, context: { node, report } }: { at: Node; context: StepContext },
): void {
  const inputs = memberOf(node, 'inputs');
  const properties: Record<string, Json> = isObject(schema['properties'] ?? null)
    ? (schema['properties'] as JsonObject)
    : {}; // isObject said so
  const given = [...(inputs?.members ?? [])];
  warnOfUntyped(inputs, properties, report);
  for (const name of Array.isArray(schema['required']) ? schema['required'] : []) {
    // A name that is nearly this one is told of below.
    if (
      typeof name !== 'string' ||
      given.some(
        ([key]) => key === name || (!Object.hasOwn(properties, key) && nearest(key, Object.keys(properties)) === name),
      )
    )
      continue;
    report({
      code: 'missing-input',
      at,
      message: `The tool \`${tool}\` needs the input \`${name}\`.`,
      suggestion: 'add it under `inputs:` of the step',
    });
  }
  for (const [name, { node: value }] of given) {
    if (!Object.hasOwn(properties, name)) {
      if (schema['additionalProperties'] !== false) continue;
      report({
        code: 'unknown-input',
        severity: 'error',
        at: keyOf(inputs ?? node, name),
        message: `The tool \`${tool}\` takes no input \`${name}\`.`,
        suggestion: didYouMean(name, Object.keys(properties)),
      });
    } else if (!JSON.stringify(value.value).includes('${')) {
      const expected = faultOf(value.value, ownOf(properties, name));
      if (expected !== null)
        report({
          code: 'invalid-value',
          at: value,
          message: `Expected \`${name}\` to be ${expected}, got \`${JSON.stringify(value.value)}\`.`,
        });
    }
  }
}

/** Words of a schema that say what a value is: where one stands, a number is none that is meant as a text. */
const SAYS_TYPE = ['type', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'];

/** Where a tool says no type, a number may be meant as a text. */
function warnOfUntyped(given: Node | null, properties: Record<string, Json>, report: Report): void {
  for (const [name, { node }] of given?.members ?? []) {
    const property = ownOf(properties, name) ?? null;
    if (isObject(property) && SAYS_TYPE.every((word) => property[word] === undefined)) warnOfSpelling(node, report);
  }
}
