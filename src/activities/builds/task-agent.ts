import { agentName } from '../../plan/builds/agent-name.js';
import { BUILD_MODEL } from '../../plan/agents/model-names.js';
import type { Member } from '../../plan/builds/build-spec.js';
import type { Json } from '../../plan/values/json.js';
import { agentPrompt, PROMPTS_VERSION } from './prompts.js';
import { agentPermissions } from './task-permissions.js';
import { roleOf } from './roles/role.js';

/** How often an agent of a build is asked within one try of a task. */
export const TURNS = 20;

/** The definition of an agent of a build, as the text of a file. `index` is its place in the team. */
export function agentText(member: Member, index: number, { spec, team }: { spec: Json; team: Member[] }): string {
  return JSON.stringify({
    name: agentName(member.name, index),
    description: `${member.role} of a build (prompts version ${PROMPTS_VERSION})`,
    prompt: agentPrompt(member, spec, team),
    model: BUILD_MODEL,
    tools: roleOf(member.role).tools,
    permissions: agentPermissions(member, spec),
    max_turns: TURNS,
  });
}
