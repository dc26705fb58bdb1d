import type { Member } from '../../plan/builds/build-spec.js';
import type { Commands, Task } from '../../plan/builds/task.js';
import { literalText } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { personaPart } from './parts/persona.js';
import { rolePart } from './parts/role.js';
import { rulesPart } from './parts/rules.js';
import { safetyPart } from './parts/safety.js';
import { skillsPart } from './parts/skills.js';
import { stylePart } from './parts/style.js';
import { taskPart } from './parts/task.js';

/**
 * The version of all prompts of builds. A change of what any part says gets the next one, and new snapshots in
 * `test/activities/builds/prompts/`.
 */
export const PROMPTS_VERSION = 2;

/**
 * What an agent of a build always knows, a template: of the nine parts role (1), persona (2), style (6), skills (7),
 * the rules that always hold (8), safety (9).
 */
export function agentPrompt(member: Member, spec: Json, team: Member[]): string {
  return literalText(
    joined([
      rolePart(member, spec, team),
      personaPart(member),
      stylePart(spec),
      skillsPart(spec, member.role, 'agent'),
      rulesPart(spec, 'always'),
      safetyPart(spec),
    ]),
  );
}

/** What a task's prompt is made of. `before` and `manifest` are templates of what the run knows by then. */
export interface TaskPrompt {
  task: Task;
  /** By which the project is checked: a test command only where tests are run. */
  commands?: Commands;
  member: Member;
  spec: Json;
  before: string | null;
  manifest: string | null;
  /** It follows a failed test, or it runs tests: the rules for that are told. */
  tests: boolean;
}

/**
 * What an agent is asked for a task, a template: of the nine parts task (3), what happened before (4), file manifest
 * (5), skills of the feature (7), rules whose trigger this task is (8).
 */
export function taskPrompt({ task, commands, member, spec, before, manifest, tests }: TaskPrompt): string {
  const literal = (part: string | null): string | null => (part === null ? null : literalText(part));
  return joined([
    literalText(taskPart(task, commands)),
    before,
    manifest,
    literal(skillsPart(spec, member.role, 'task')),
    literal(tests ? rulesPart(spec, 'on_test_fail') : null),
    literal(rulesPart(spec, 'on_task_complete')),
  ]);
}

function joined(parts: (string | null)[]): string {
  return parts.filter((part) => part !== null).join('\n\n');
}
