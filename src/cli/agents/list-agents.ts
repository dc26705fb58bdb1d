import { installedPrograms } from '../../activities/programs/choose.js';
import type { AgentDefinition } from '../../compiler/agents/agent-definition.js';
import { createLoader } from '../../compiler/load.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { createReport } from '../../compiler/problems/problem.js';
import type { Project } from '../../compiler/project/project.js';
import type { Entry } from '../../compiler/project/resolve.js';
import { createResolver } from '../../compiler/project/resolve.js';
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
}

export interface AgentList {
  agents: ListedAgent[];
  problems: Problem[];
  sources: Map<string, string>;
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
  const agents = createResolver(project)
    .agents()
    .map((entry): ListedAgent => {
      const definition = loader.load(entry.file);
      const agent = definition?.format === 'agent' ? definition : null;
      return {
        name: agent?.name ?? entry.name,
        source: sourceOf(entry, agent),
        description: agent?.authored.description?.trim() ?? null,
        file: entry.file,
        definition: agent,
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
