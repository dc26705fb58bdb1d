import type { Json, JsonObject } from '../../plan/values/json.js';
import { BUILTIN_INPUTS } from '../../plan/tools/builtin-inputs.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { boundBy } from '../../plan/tools/permission.js';
import type { CallableTool, RemoteTool } from '../../plan/tools/tool.js';
import { runsPrograms } from '../../plan/tools/tool.js';
import type { ToolSource } from './agent-uses.js';
import type { AuthoredPermissions } from '../formats/permissions.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Node } from '../text/node.js';
import { permissionsFrom } from './permissions.js';
import { warnOfStray } from './stray-patterns.js';
import { TOOL_NAMES, namedTools } from './tool-names.js';

/** A tool as steps call it. */
export interface StepTool {
  tool: CallableTool;
  /** JSON Schema of its input, as far as it is known here; null where its server was not asked. */
  inputs: JsonObject | null;
  /** What a call may do; `own` is what the step says. */
  permissions: (own: AuthoredPermissions | undefined) => Permissions;
}

type Found = Omit<StepTool, 'permissions'> & { asks: boolean };

/** Looks tools up for steps: one that comes with Perdure, then one of an MCP server, then one of a `tool.yml`. */
export function createToolFinder(
  source: ToolSource,
): (name: string, from: { file: string }, at: Node) => StepTool | null {
  return (name, from, at) => {
    const found = builtinOf(name) ??
      remoteOf(name, source) ??
      definedOf(name, from, source) ?? {
        missing: `There is no tool \`${name}\`.`,
        suggestion: otherwise(name, from, source),
      };
    if (found === 'faulty') return null; // its own problems say more
    if ('missing' in found) {
      source.report({
        code: 'unknown-tool',
        at,
        ...('suggestion' in found ? { suggestion: found.suggestion } : {}),
        message: found.missing,
      });
      return null;
    }
    const { tool, inputs, asks } = found;
    return {
      tool,
      inputs,
      permissions: (own) => {
        const said = [own, source.permissions].filter((one) => one !== undefined);
        warnOfStray(said, [tool], source, at);
        return boundBy(permissionsOf(tool, asks, said), source.within);
      },
    };
  };
}

function builtinOf(name: string): Found | Missing | null {
  if (namedTools(name)?.builtin.includes('web_search') === true)
    return {
      missing: `\`${name}\` searches in the middle of a model's answer, and is no call of its own.`,
      suggestion: 'name it under `tools` of an agent',
    };
  const { builtin = [], commands = null } = namedTools(name) ?? {};
  const [only, ...more] = builtin;
  if (only === undefined || more.length > 0 || commands !== null) return null;
  return { tool: { kind: 'builtin', name: only }, inputs: BUILTIN_INPUTS[only], asks: false };
}

type Missing = { missing: string; suggestion: string | null };

function remoteOf(name: string, { findRemote }: ToolSource): Found | Missing | null {
  const remote = findRemote(name);
  if (remote === null || !Array.isArray(remote)) return remote;
  const [only = unasked(name), ...more] = remote;
  if (more.length > 0)
    return {
      missing: `Expected one tool, and \`${name}\` means ${remote.length}.`,
      suggestion: `write one of ${remote
        .slice(0, 5)
        .map((tool) => `\`${tool.name}\``)
        .join(', ')}`,
    };
  return { tool: only, inputs: remote.length === 0 ? null : schemaIn(only.inputs), asks: false };
}

/** What stands for a tool until its server was asked; who submits asks, and compiles again. */
function unasked(name: string): RemoteTool {
  return { kind: 'mcp', name, server: '', remote: '', description: '', inputs: '{}', connect: '{}' };
}

function definedOf(name: string, from: { file: string }, { findTool }: ToolSource): Found | Missing | 'faulty' | null {
  const found = findTool(name, from);
  return found === null || found === 'faulty' || 'missing' in found
    ? found
    : { tool: found.tool, inputs: found.inputs, asks: found.asks };
}

/** A long schema is a stored text, and only checked before the call. */
function schemaIn(inputs: RemoteTool['inputs']): JsonObject | null {
  return typeof inputs === 'string' ? (JSON.parse(inputs) as JsonObject) : null; // canonical JSON of a schema
}

function otherwise(
  name: string,
  from: { file: string },
  { findAgent, findTwins, toolNames }: ToolSource,
): string | null {
  if ((namedTools(name)?.makers ?? []).length > 0) return 'only agents make others: name it under `tools` of an agent';
  return findAgent(name, from) === null && findTwins(name, from) === null
    ? didYouMean(name, [...TOOL_NAMES, ...toolNames()])
    : `it is an agent: write \`agent: ${name}\``;
}

function permissionsOf(tool: CallableTool, asks: boolean, said: AuthoredPermissions[]): Permissions {
  const permissions = permissionsFrom(said, tool.kind === 'builtin' && runsPrograms(tool.name));
  return asks ? { ...permissions, ask: [`tool:${tool.name}`, ...permissions.ask] } : permissions;
}

/**
 * What is wrong with a value that is written out, by the plain words of a schema; null where that is nothing, or not
 * known.
 */
export function faultOf(value: Json, schema: Json | undefined): string | null {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return null;
  const { type, enum: choices } = schema;
  if (Array.isArray(choices) && !choices.includes(value))
    return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  return types.length === 0 || types.some((one) => hasType(value, one))
    ? null
    : `a value of type ${types.join(' or ')}`;
}

function hasType(value: Json, type: Json): boolean {
  switch (type) {
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}
