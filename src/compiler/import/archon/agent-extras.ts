import type { Place } from '../../problems/problem.js';
import { keyOf } from '../../text/node.js';
import type { GraphNode } from './graph.js';
import type { Translation } from './translation.js';

/** What an agent has besides its tools and its prompt. */
export interface AgentExtras {
  effort?: string;
  skills?: string[];
  mcp?: string[];
}

const EFFORTS = ['low', 'medium', 'high', 'xhigh', 'max'];

/** What a node's agent has of its own; what the project does not have is lost by name. */
export function extrasOf(node: GraphNode, translation: Translation): AgentExtras {
  const effort = effortOf(node, translation);
  // Of a loop Archon reads neither.
  const [skills, mcp] = node.kind === 'loop' ? [[], []] : [skillsOf(node, translation), serversOf(node, translation)];
  return {
    ...(effort === null ? {} : { effort }),
    ...(skills.length === 0 ? {} : { skills }),
    ...(mcp.length === 0 ? {} : { mcp }),
  };
}

function effortOf({ id, said, at }: GraphNode, { said: top, at: topAt, losses }: Translation): string | null {
  const isOwn = said.effort != null;
  const effort = said.effort ?? top.effort ?? null;
  if (effort === null || EFFORTS.includes(String(effort))) return effort === null ? null : String(effort);
  const known = EFFORTS.map((one) => `\`${one}\``).join(', ');
  losses.changed(
    isOwn ? `${id}.effort` : 'effort',
    keyOf(isOwn ? at : topAt, 'effort'),
    `an effort is one of ${known}`,
  );
  return null;
}

function skillsOf(node: GraphNode, translation: Translation): string[] {
  const { skills } = node.said;
  const named = Array.isArray(skills) ? skills.map(String) : [];
  if (skills != null && !Array.isArray(skills))
    translation.losses.changed(`${node.id}.skills`, keyOf(node.at, 'skills'), 'skills are a list of names');
  return knownSkills(named, { key: `${node.id}.skills`, at: keyOf(node.at, 'skills') }, translation);
}

/** The skills that the project has; any other is lost. */
export function knownSkills(
  named: string[],
  { key, at }: { key: string; at: Place },
  { losses, resources }: Translation,
): string[] {
  const missing = named.filter((name) => !resources.hasSkill(name));
  for (const name of missing)
    losses.changed(key, at, `there is no skill \`${name}\` here: put it into \`.claude/skills/${name}/SKILL.md\``);
  return named.filter((name) => !missing.includes(name));
}

/** Servers of the file that a node names: those of perdure.yml that have the same names. */
function serversOf({ id, said, at }: GraphNode, { losses, resources }: Translation): string[] {
  if (said.mcp == null) return [];
  const lose = (why: string): void => losses.changed(`${id}.mcp`, keyOf(at, 'mcp'), why);
  const named = typeof said.mcp === 'string' ? resources.serversIn(said.mcp) : null;
  if (named === null) {
    lose('it names no file with MCP servers; write them under `mcp` of perdure.yml, and their names into the agent');
    return [];
  }
  const known = resources.servers();
  for (const name of named.filter((one) => !known.includes(one)))
    lose(`there is no server \`${name}\` in perdure.yml: write it there under \`mcp\`, and import again`);
  return named.filter((name) => known.includes(name));
}
