import type { JsonObject } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import { namedTools } from '../../agents/tool-names.js';
import type { Place } from '../../problems/problem.js';
import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import { slug } from '../shared/names.js';
import type { Conductor } from './references.js';
import type { ConductorAgent } from './schema.js';

/** The agent of all steps that ask for nothing of their own. */
const USUAL = 'conductor-agent';
const USUAL_TOOLS = ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash', 'WebFetch'];
const USUAL_PROMPT = 'You do what you are asked to, and say what you have done.';
const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

export interface Played {
  name: string;
  said: ConductorAgent;
  at: Node;
}

/** Who does a step and with which model; the agent is written where there is none yet. */
export function playerOf(played: Played, agents: Map<string, JsonObject>, conductor: Conductor): JsonObject {
  const { said, name } = played;
  const model = modelOf(played, conductor);
  const { system, tools, effort, turns } = wishesOf(played, conductor);
  const isUsual = [system, tools, effort, turns].every((one) => one === null);
  const agent = isUsual ? USUAL : slug(`${conductor.name}-${name}`, 'agent');
  const told = said.description?.trim() ?? '';
  const does = told === '' ? `Does \`${name}\` of ${conductor.name}.` : told;
  agents.set(agent, {
    name: agent,
    description: isUsual ? 'Does a task in the files of this project.' : does,
    tools: tools ?? USUAL_TOOLS,
    ...(effort === null ? {} : { effort }),
    max_turns: turns ?? 100,
    prompt: `${literalText(system ?? USUAL_PROMPT).trim()}\n`,
  });
  return { agent, ...(model === null ? {} : { model }) };
}

interface Wishes {
  system: string | null;
  tools: string[] | null;
  effort: string | null;
  turns: number | null;
}

/** What an agent asks for of its own; null for nothing. */
function wishesOf(played: Played, conductor: Conductor): Wishes {
  const { said, at, name } = played;
  const { runtime } = conductor.said.workflow;
  const system = said.system_prompt ?? '';
  const effort = said.reasoning?.effort ?? runtime?.default_reasoning_effort ?? null;
  return {
    // One with values in it is put before the task: an agent's own prompt sees no steps.
    system: system.trim() === '' || system.includes('{{') ? null : system,
    tools: toolsOf(played, conductor),
    effort: effortOf(effort, at, name, conductor),
    turns: said.max_agent_iterations ?? runtime?.max_agent_iterations ?? null,
  };
}

function effortOf(effort: string | null, at: Node, name: string, { losses }: Conductor): string | null {
  if (effort === null || EFFORTS.includes(effort)) return effort;
  losses.changed(`${name}.reasoning`, keyOf(at, 'reasoning'), `\`${effort}\` is no effort here`);
  return null;
}

/** The tools that are named; null for all that there are. */
function toolsOf({ name, said, at }: Played, conductor: Conductor): string[] | null {
  const wanted = said.tools ?? conductor.said.tools ?? null;
  if (wanted === null) return null;
  const unknown = wanted.filter((tool) => namedTools(tool) === null);
  const [place, key] = said.tools == null ? [conductor.at, 'tools'] : [at, `${name}.tools`];
  for (const tool of unknown)
    conductor.losses.changed(
      key,
      keyOf(place, 'tools'),
      `there is no tool \`${tool}\` here: name the server's tool once it is in perdure.yml`,
    );
  return wanted.filter((tool) => !unknown.includes(tool));
}

function modelOf({ name, said, at }: Played, conductor: Conductor): string | null {
  const own = said.model ?? null;
  if (own !== null) return modelNamed(own, { key: `${name}.model`, at: keyOf(at, 'model') }, conductor);
  const usual = conductor.said.workflow.runtime?.default_model ?? null;
  const top = memberOf(conductor.at, 'workflow') ?? conductor.at;
  const place = keyOf(memberOf(top, 'runtime') ?? top, 'default_model');
  return usual === null ? null : modelNamed(usual, { key: 'workflow.runtime.default_model', at: place }, conductor);
}

function modelNamed(written: string, { key, at }: { key: string; at: Place }, conductor: Conductor): string | null {
  if (/^(?:haiku|sonnet|opus)$/.test(written)) return written;
  if (/^claude-[a-z0-9.-]+$/.test(written)) {
    const plain = written.replace(/(\d)\.(\d)/g, '$1-$2');
    if (plain !== written) conductor.losses.harmless(key, at, `\`${written}\` is called \`${plain}\` here`);
    return plain;
  }
  const provider = conductor.said.workflow.runtime?.provider;
  if (provider === 'openai' && /^[\w.-]+$/.test(written)) return `openai:${written}`;
  conductor.losses.changed(key, at, `\`${written.slice(0, 40)}\` is not known here: the default model answers`);
  return null;
}

/** The JSON Schema of the fields that an agent or a program declares. */
export function schemaOf({ output }: ConductorAgent): JsonObject {
  if (typeof output !== 'object' || output === null) return {};
  return { schema: { type: 'object', required: Object.keys(output), properties: fieldsOf(output) } };
}

function fieldsOf(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldOf(field)]));
}

const FIELD_KEYS = ['description', 'enum', 'pattern', 'minimum', 'maximum', 'minLength', 'maxLength'];
const TYPES = ['string', 'number', 'integer', 'boolean', 'array', 'object'];

function fieldOf(field: JsonObject[string]): JsonObject {
  if (typeof field === 'string') return TYPES.includes(field) ? { type: field } : {};
  if (typeof field !== 'object' || field === null || Array.isArray(field)) return {};
  const { type, nullable, items, properties } = field;
  const known = typeof type === 'string' && TYPES.includes(type) ? type : null;
  const inner = typeof properties === 'object' && properties !== null && !Array.isArray(properties) ? properties : null;
  return {
    ...(known === null ? {} : { type: nullable === true ? [known, 'null'] : known }),
    ...Object.fromEntries(FIELD_KEYS.flatMap((key) => (field[key] === undefined ? [] : [[key, field[key]]]))),
    ...(items === undefined ? {} : { items: fieldOf(items) }),
    ...(inner === null ? {} : { properties: fieldsOf(inner), required: requiredOf(inner) }),
  };
}

function requiredOf(properties: JsonObject): string[] {
  return Object.entries(properties).flatMap(([name, field]) =>
    typeof field === 'object' && field !== null && !Array.isArray(field) && field['required'] === false ? [] : [name],
  );
}
