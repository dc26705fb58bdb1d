import type { Role } from '../../plan/builds/build-spec.js';
import type { TaskRules } from '../../plan/builds/task-rules.js';
import type { AuthoredStep } from '../formats/step.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { Report } from '../problems/problem.js';
import type { AgentCompiler } from './compile-agent.js';
import type { AgentDefinition } from './agent-definition.js';

/** Who may be given tasks, as a step names them under `tasks`. */
export type AuthoredTeam = NonNullable<(AuthoredStep & { kind: 'agent' })['tasks']>;

interface TeamContext {
  findAgent: (name: string, at: Node) => AgentDefinition | null;
  compileAgent: AgentCompiler;
  keepAgents: (agents: ReturnType<AgentCompiler>['reached']) => void;
  report: Report;
}

/** A member of a team, with what the planner is told of it. */
type Described = TaskRules['team'][number] & { description: string };

/** The agents of a team as the Plan has them; null when one of them cannot be given tasks, which is reported. */
export function compileTeam(authored: AuthoredTeam, list: Node, context: TeamContext): Described[] | null {
  const { report } = context;
  const found = authored.map((entry, index) => {
    const item = list.items?.[index] ?? list;
    const { agent: name, role = 'builder' } = typeof entry === 'string' ? { agent: entry } : entry;
    return { name, role, at: memberOf(item, 'agent') ?? item };
  });
  const team: Described[] = [];
  for (const [index, member] of found.entries()) {
    const { name, at } = member;
    if (found.findIndex((other) => other.name === name) < index)
      report({ code: 'duplicate-name', at, message: `\`${name}\` is in the team already.` });
    else team.push(...memberAs(member, context));
  }
  return team.length === authored.length ? team : null;
}

function memberAs(
  { name, role, at }: { name: string; role: Role; at: Node },
  { findAgent, compileAgent, keepAgents, report }: TeamContext,
): Described[] {
  const definition = findAgent(name, at);
  if (definition === null) return [];
  const { authored } = definition;
  const needed = Object.entries(authored.inputs ?? {}).find(
    ([, spec]) => spec !== null && spec.default === undefined && spec.required !== false,
  );
  if (authored.agent !== undefined || needed !== undefined) {
    report({
      code: 'invalid-value',
      at,
      message:
        authored.agent === undefined
          ? `The agent \`${name}\` needs the input \`${needed?.[0] ?? ''}\`, and a task gives none.`
          : `The program \`${authored.agent}\` plays \`${name}\`, and tasks are for agents that a model plays.`,
    });
    return [];
  }
  const { hash, reached } = compileAgent(definition, []);
  keepAgents(reached);
  return [{ name, role, agent: hash, description: authored.description ?? '' }];
}
