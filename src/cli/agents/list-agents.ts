import { join } from 'node:path';
import { installedPrograms } from '../../activities/programs/choose.js';
import type { AgentDefinition } from '../../compiler/agents/agent-definition.js';
import { createLoader } from '../../compiler/load.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { createReport } from '../../compiler/problems/problem.js';
import type { Project } from '../../compiler/project/project.js';
import type { Entry, Twins } from '../../compiler/project/resolve.js';
import { createResolver, twinsIn } from '../../compiler/project/resolve.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { ProgramName } from '../../plan/agents/program.js';

/** Where an agent comes from. */
export type AgentSource = 'native' | 'claude' | 'gemini' | 'codex' | 'temporary' | 'generated' | 'builtin';

/** An agent that definitions of this project may name. */
export interface ListedAgent {
  name: string;
  source: AgentSource;
  description: string | null;
  /** Absolute. */
  file: string;
  /** Null when its file has problems. */
  definition: AgentDefinition | null;
  /** Of a name that files of one folder share: which they are. Nobody says which one is meant. */
  twins: Twins | null;
}

export interface AgentList {
  agents: ListedAgent[];
  problems: Problem[];
  sources: Map<string, string>;
}

/**
 * The agent of a name, whatever the case where none has it as it is written. `taken` names the files where more than
 * one has it; null for none.
 */
export function findListed(agents: readonly ListedAgent[], name: string): ListedAgent | { taken: Twins } | null {
  const exact = agents.filter((agent) => agent.name === name);
  const found = exact.length > 0 ? exact : agents.filter((agent) => agent.name.toLowerCase() === name.toLowerCase());
  const [agent = null, ...others] = found;
  if (agent === null) return null;
  if (agent.twins !== null) return { taken: agent.twins };
  if (others.length === 0) return agent;
  const names = found.map((one) => `\`${one.name}\` (${one.file})`);
  return { taken: { missing: `More than one agent is called so: ${names.join(', ')}.`, suggestion: null } };
}

/** The program that an agent names, and whether it is installed here; nothing where a model provider may play it. */
export function playerOf(
  { definition }: ListedAgent,
  env: Record<string, string | undefined>,
): { program?: ProgramName; installed?: boolean } {
  const program = definition?.authored.agent;
  return program === undefined ? {} : { program, installed: installedPrograms(env).has(program) };
}

/** An agent as lists tell of it in JSON. */
export function toListed(agent: ListedAgent, env: Record<string, string | undefined>): JsonObject {
  const { name, source, description } = agent;
  return { name, source, description, ...playerOf(agent, env) };
}

/** Every agent that may be named here, in the order of names; of those with one name the one that is found. */
export function listAgents({ project, cwd }: { project: Project; cwd: string }): AgentList {
  const { problems, report } = createReport();
  const loader = createLoader(cwd, report);
  const resolver = createResolver(project);
  const agents = resolver.agents().map((entry): ListedAgent => {
    const definition = loader.load(entry.file);
    const agent = definition?.format === 'agent' ? definition : null;
    return {
      name: agent?.name ?? entry.name,
      source: sourceOf(entry, agent),
      description: agent?.authored.description?.trim() ?? null,
      file: entry.file,
      definition: agent,
      twins: twinsIn(resolver.agent(entry.name, join(project.root, 'any'))),
    };
  });
  return {
    agents: agents.sort((a, b) => (a.name.toLowerCase() < b.name.toLowerCase() ? -1 : 1)),
    problems,
    sources: loader.sources,
  };
}

function sourceOf({ file, builtIn }: Entry, agent: AgentDefinition | null): AgentSource {
  if (builtIn) return 'builtin';
  const from = agent?.authored.source?.from;
  if (from === 'claude' || from === 'gemini' || from === 'codex') return from;
  if (/\/\.claude\/agents\/[^/]+$/.test(file)) return 'claude';
  return /\/temp-agents\/[^/]+$/.test(file) ? 'temporary' : 'native';
}
