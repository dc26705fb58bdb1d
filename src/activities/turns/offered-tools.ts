import type { Action } from '../../plan/tools/action.js';
import { ACTION_BYTES } from '../../plan/tools/action.js';
import type { ToolRequest } from '../../plan/agents/conversation.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject, utf8Bytes } from '../../plan/values/json.js';
import { jsonTextFault } from '../../plan/values/json-text-fault.js';
import { matchesTool } from '../../plan/tools/hook.js';
import { judgeAction } from '../../plan/tools/permission.js';
import { shortHash } from '../../plan/packing/short-hash.js';
import type { Agent } from '../../plan/step.js';
import type { ProviderTool, Tool } from '../../plan/tools/tool.js';
import type { Store } from '../../store/store.js';
import type { OfferedTool, ToolCall } from '../models/protocol/message.js';
import { checkArguments } from '../values/output-schema.js';
import { hookNames } from '../tools/hooks/hook-input.js';
import type { Making, ToolHandler } from '../tools/handler/handler.js';
import { handlerOf } from '../tools/handlers.js';
import type { Asker } from './asker.js';
import { cutTo } from '../../plan/text/cut-to.js';

/** So much of arguments that are none is told again. */
const SHOWN_CHARACTERS = 200;

/**
 * The tools of an agent as its model is told of them, in the order of the Plan: the request's prefix stays the same.
 */
export function offeredTools(store: Store, { uses = [] }: Agent): Promise<OfferedTool[]> {
  return Promise.all(
    uses.map(async (tool) => {
      const handler = handlerOf(tool);
      return {
        ...(await handler.spec(tool, store)),
        ...(handler.server === undefined ? {} : { server: handler.server }),
        ...(tool.kind === 'provider' ? limitsOf(tool) : {}),
      };
    }),
  );
}

function limitsOf({ kind: _kind, name: _name, ...limits }: ProviderTool): Pick<OfferedTool, 'limits'> {
  return Object.keys(limits).length === 0 ? {} : { limits };
}

/** A call that can be made: the tool, how it is run, and what it would do. */
export interface Callable {
  tool: Tool;
  handler: ToolHandler;
  args: JsonObject;
  action: Action;
}

const CUT =
  'Your answer reached its limit of tokens within this call. Nothing was done: make a shorter call, and several for ' +
  'what is long.';

/** The tools that a call is looked up among, and what those need that make others. */
export interface Uses {
  uses?: Tool[];
  making?: Making;
}

export function usesOf({ agent: { uses = [] }, making }: Asker): Uses {
  return { uses, ...(making === undefined ? {} : { making }) };
}

/** Finds what a model asks for among its agent's tools; `refusal` says to the model why that is nothing. */
export async function findCall(
  store: Store,
  { uses = [], making }: Uses,
  { name, input, cut }: ToolCall,
  workspace: string,
): Promise<Callable | { refusal: string }> {
  if (cut === true) return { refusal: CUT };
  const tool = uses.find((candidate) => candidate.name === name);
  if (tool === undefined) return { refusal: noTool(name, uses) };
  const handler = handlerOf(tool);
  const { input_schema } = await handler.spec(tool, store);
  const args = argumentsOf(input, input_schema);
  if ('refusal' in args) return args;
  const action = await handler.action(tool, args.value, workspace, making);
  if ('invalid' in action) return { refusal: action.invalid };
  const bytes = utf8Bytes(JSON.stringify(action));
  if (bytes > ACTION_BYTES)
    return {
      refusal:
        `What the call would do takes ${bytes} bytes to say; expected at most ${ACTION_BYTES}. Put long texts ` +
        `into a file.`,
    };
  return { tool, handler, args: args.value, action };
}

function noTool(name: string, uses: Tool[]): string {
  const names = uses.map((candidate) => `\`${candidate.name}\``);
  return `There is no tool \`${name}\`. There are ${names.join(', ')}.`;
}

function argumentsOf(input: Json, schema: JsonObject): { value: JsonObject } | { refusal: string } {
  if (!isObject(input)) return { refusal: notAnObject(input) };
  const checked = checkArguments(input, schema);
  return 'errors' in checked ? { refusal: `The arguments do not fit: ${checked.errors.join('; ')}.` } : checked;
}

/** A model writes its arguments as text, which may be no JSON at all. */
function notAnObject(input: Json): string {
  const written = typeof input === 'string' ? input : JSON.stringify(input);
  const begin = cutTo(written, SHOWN_CHARACTERS);
  const shown = `got \`${begin}\``;
  if (typeof input !== 'string') return `Expected the arguments to be an object, ${shown}.`;
  try {
    const fault = jsonTextFault(input, JSON.parse(input) as Json); // JSON is JSON
    return `Expected the arguments to be an object${fault === null ? '' : ` without ${fault}`}, ${shown}.`;
  } catch (error) {
    return (
      `The arguments are no JSON (${error instanceof Error ? error.message : String(error)}), ${shown}. Nothing ` +
      `was done: make the call again.`
    );
  }
}

/** A call as the workflow decides about it. */
export async function requestFor(store: Store, asker: Asker, call: ToolCall, workspace: string): Promise<ToolRequest> {
  const found = await findCall(store, usesOf(asker), call, workspace);
  if ('refusal' in found) return { tool: call.name };
  const { tool, handler, action } = found;
  const verdict = asker.agent.permissions === undefined ? null : judgeAction(asker.agent.permissions, action);
  return {
    tool: call.name,
    action,
    ...(verdict?.verdict === 'deny' ? { denied: verdict.reason } : {}),
    ...(handler.quick ? { quick: true } : {}),
    ...(handler.parallel ? {} : { alone: true }),
    // What is attached is read before the agent is asked, by an activity.
    ...(tool.kind === 'agent' && !('files' in action) ? { agent: shortHash(tool.agent) } : {}),
    ...hookedBy(asker.agent, found),
  };
}

function hookedBy({ hooks = [] }: Agent, found: Callable): Pick<ToolRequest, 'hooked'> {
  const names = hookNames(found);
  const hooked = (['before', 'after'] as const).filter((when) =>
    hooks.some((hook) => hook.when === when && matchesTool(hook, names)),
  );
  return hooked.length === 0 ? {} : { hooked };
}
