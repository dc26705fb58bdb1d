import type { JsonObject } from '../../../plan/values/json.js';
import { literalText } from '../../../plan/values/expression.js';
import { namedTools } from '../../agents/tool-names.js';
import type { Place } from '../../problems/problem.js';
import { keyOf } from '../../text/node.js';
import { slug } from '../shared/names.js';
import type { AgentExtras } from './agent-extras.js';
import { extrasOf, knownSkills } from './agent-extras.js';
import type { GraphNode } from './graph.js';
import { hooksOf } from './hooks.js';
import type { ArchonNode, ArchonSubAgent } from './schema.js';
import type { Translation } from './translation.js';
import { USUAL_TOOLS } from './usual-tools.js';
import { ownOf } from '../../../plan/values/own.js';

/** Who does a step, and with which model. */
export interface Player {
  agent: string;
  model?: string;
}

/** The agent of all nodes that ask for nothing of their own. */
const USUAL = 'archon-agent';
const USUAL_PROMPT = 'You work on the files of this project. You do what you are asked to, and say what you have done.';
/** Agents of Archon have no limit of turns. */
const MAX_TURNS = 100;

/** What is asked of an agent beyond its task; all of it may be missing. */
interface Wanted {
  tools: string[];
  denied: string[];
  prompt: string | null;
  extras: AgentExtras;
}

type Program = 'codex';

/** The agent that plays a node, which is written where there is none yet. */
export function playerOf(node: GraphNode, translation: Translation): Player {
  const model = modelOf(node, translation);
  const wanted = wantedOf(node, model.program, translation);
  const agent = wanted === null ? USUAL : slug(`${translation.name}-${node.step}`, 'agent');
  const own = model.program === null ? {} : definedOf({ model: model.name });
  if (!translation.agents.has(agent))
    translation.agents.set(agent, {
      name: agent,
      description:
        wanted === null ? 'Does a task in the files of this project.' : `Does \`${node.id}\` of ${translation.name}.`,
      ...own,
      tools: wanted?.tools ?? USUAL_TOOLS,
      ...(wanted === null || wanted.denied.length === 0 ? {} : { disallowed_tools: wanted.denied }),
      ...(model.program === null ? {} : { agent: model.program }),
      ...wanted?.extras,
      max_turns: MAX_TURNS,
      prompt: literalText(wanted?.prompt ?? USUAL_PROMPT),
    });
  return { agent, ...(model.program === null ? definedOf({ model: model.name }) : {}) };
}

function definedOf({ model }: { model: string | null }): { model?: string } {
  return model === null ? {} : { model };
}

/** What a node asks for beyond the usual; null for nothing. */
function wantedOf(node: GraphNode, program: Program | null, translation: Translation): Wanted | null {
  // Of a loop Archon takes the model alone.
  const said: Partial<ArchonNode> = node.kind === 'loop' ? {} : node.said;
  const sub = subAgents(node, said, translation);
  const allowed = said.allowed_tools?.filter((tool) => !['Task', 'Agent'].includes(tool));
  const hooked = node.kind === 'loop' ? [] : hooksOf(node.at).denied;
  const denied = [...new Set([...known(said.denied_tools ?? [], 'denied_tools', node, translation), ...hooked])];
  // One with references is put before the task: an agent's own prompt sees no steps.
  const prompt = said.systemPrompt?.includes('$') ? null : (said.systemPrompt ?? null);
  const extras = extrasOf(node, translation);
  const lists = [sub, denied, Object.keys(extras)];
  if ([allowed, program, prompt].every((one) => one == null) && lists.every((list) => list.length === 0)) return null;
  const tools = [...known(allowed ?? USUAL_TOOLS, 'allowed_tools', node, translation), ...sub];
  return { tools, denied, prompt, extras };
}

const TIERS: Record<string, string> = { small: 'haiku', medium: 'sonnet', large: 'opus' };

/** The model as it is called here, and the program that plays it. */
function modelOf(node: GraphNode, translation: Translation): { name: string | null; program: Program | null } {
  const { said: workflow } = translation;
  const written = node.said.model ?? workflow.model ?? null;
  const provider = node.said.provider ?? workflow.provider ?? 'claude';
  const isOpenAi = /^(?:gpt-|o\d|codex)/.test(written ?? '');
  if (provider === 'codex' || (provider === 'claude' && isOpenAi)) return { name: written, program: 'codex' };
  if (provider === 'claude' && !/^gemini/.test(written ?? ''))
    return {
      name: written === null || written === 'inherit' ? null : modelName(written, node, translation),
      program: null,
    };
  const { key, at } = placeOf('provider', node, translation);
  translation.losses.changed(key, at, `\`${provider}\` is not known here: the default model answers`);
  return { name: null, program: null };
}

function modelName(written: string, node: GraphNode, translation: Translation): string {
  const { key, at } = placeOf('model', node, translation);
  const tier = ownOf(TIERS, written);
  if (tier !== undefined) {
    translation.losses.changed(key, at, `the tier \`${written}\` is taken to be \`${tier}\``);
    return tier;
  }
  const plain = written.replace(/\[1m\]$/, '');
  if (plain !== written) translation.losses.harmless(key, at, `\`${written}\` is called \`${plain}\` here`);
  return plain;
}

/** Where a node has a key, or the workflow in its place. */
function placeOf(
  key: 'model' | 'provider',
  { id, said, at }: GraphNode,
  { at: top }: Translation,
): { key: string; at: Place } {
  return said[key] === undefined ? { key, at: keyOf(top, key) } : { key: `${id}.${key}`, at: keyOf(at, key) };
}

function known(tools: string[], key: string, { id, at }: GraphNode, { losses }: Translation): string[] {
  const unknown = tools.filter((tool) => namedTools(tool) === null);
  for (const tool of unknown)
    losses.changed(
      `${id}.${key}`,
      keyOf(at, key),
      `there is no tool \`${tool}\` here: name the server's tool once it is in perdure.yml`,
    );
  return tools.filter((tool) => !unknown.includes(tool));
}

/** Agents that a node may call, which are tools of its agent; their names. */
function subAgents({ id, at }: GraphNode, said: Partial<ArchonNode>, translation: Translation): string[] {
  return Object.entries(said.agents ?? {}).map(([key, written]) => {
    const wanted = slug(key, 'agent');
    const name =
      translation.agents.has(wanted) || wanted === USUAL ? slug(`${translation.name}-${key}`, 'agent') : wanted;
    if (name !== key)
      translation.losses.changed(
        `${id}.agents.${key}`,
        keyOf(at, 'agents'),
        `it is called \`${name}\` here, also in what is said of it`,
      );
    const place = { key: `${id}.agents.${key}.skills`, at: keyOf(at, 'agents') };
    const skills = knownSkills(written.skills ?? [], place, translation);
    translation.agents.set(name, subAgent(name, written, skills));
    return name;
  });
}

function subAgent(
  name: string,
  { description, prompt, model, tools, disallowedTools = [], maxTurns }: ArchonSubAgent,
  skills: string[],
): JsonObject {
  const own = (tools ?? USUAL_TOOLS).filter((tool) => namedTools(tool) !== null);
  const denied = disallowedTools.filter((tool) => namedTools(tool) !== null);
  return {
    name,
    description,
    ...(model === undefined || model === 'inherit' ? {} : { model: ownOf(TIERS, model) ?? model }),
    tools: own,
    ...(denied.length === 0 ? {} : { disallowed_tools: denied }),
    ...(skills.length === 0 ? {} : { skills }),
    max_turns: maxTurns ?? MAX_TURNS,
    prompt: literalText(prompt),
  };
}
