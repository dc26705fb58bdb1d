import type { Action, Verdict } from '../tools/action.js';
import type { Permissions } from '../tools/permission.js';
import { judgeAction, meantBy } from '../tools/permission.js';
import { matchesPattern } from '../values/wildcard.js';

/** How bad it is when a step goes wrong, from the least on. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];

/** How far runs go on without a person, from the least on. */
export const AUTONOMY_LEVELS = ['hitl', 'supervised', 'autonomous', 'yolo'] as const;
export type AutonomyLevel = (typeof AUTONOMY_LEVELS)[number];

/** What becomes of an action: it goes on by itself, or waits for a person. */
export const COURSES = ['auto', 'suspend'] as const;
type Course = (typeof COURSES)[number];

/** What somebody says of when a person is needed. What is absent is not said. */
export interface Autonomy {
  level?: AutonomyLevel;
  /** Goes before the level, severity by severity. */
  checkpoint_policy?: Partial<Record<Severity, Course>>;
  /** Types of actions that always wait, whatever their severity: patterns, `deploy` or `command:git push*`. */
  require_approval_for?: string[];
}

/** What a step says of itself. */
export interface Checkpoint {
  severity: Severity;
  type?: string;
}

/** An action as the policy sees it: what it is by itself is among its types, so that no other word hides it. */
export interface Checked {
  severity: Severity;
  types: string[];
}

/** The least severity that waits; null where none does. */
const WAITS_FROM: Record<AutonomyLevel, Severity | null> = {
  hitl: 'low',
  supervised: 'high',
  autonomous: 'critical',
  yolo: null,
};

/** What holds where nobody says anything of a severity. */
export const USUAL_LEVEL: AutonomyLevel = 'supervised';

/**
 * Says why an action waits for a person, as a sentence; null where it goes on. Pure and total. Of several policies (the
 * project's, those of workflows around, a workflow's own) the strictest holds, so that no definition can give itself
 * more than the project does.
 */
export function personNeeded(policies: Autonomy[], { severity, types }: Checked): string | null {
  const required = policies
    .flatMap((policy) => policy.require_approval_for ?? [])
    .find((pattern) => types.some((type) => matchesPattern(pattern, type)));
  if (required !== undefined) return `\`${required}\` stands under \`require_approval_for\` of the autonomy.`;
  const said = policies.flatMap((policy) => courseBy(policy, severity) ?? []);
  const courses = said.length === 0 ? [courseOf(USUAL_LEVEL, severity)] : said;
  const suspends = courses.find(({ course }) => course === 'suspend');
  return suspends === undefined ? null : `Its severity is ${severity}, and ${suspends.by}.`;
}

/** A verdict of the permissions, held against the autonomy as well: what they allow may still wait for a person. */
function withAutonomy(verdict: Verdict, policies: Autonomy[], checked: Checked | null): Verdict {
  const reason = verdict.verdict !== 'allow' || checked === null ? null : personNeeded(policies, checked);
  return reason === null ? verdict : { verdict: 'ask', reason };
}

/** What becomes of a call that an agent wants to make: one of low severity. */
export function judgeCall(permissions: Permissions, policies: Autonomy[], action: Action): Verdict {
  return withAutonomy(judgeAction(permissions, action), policies, checkedCall(action, undefined));
}

/** Tells whether a person is asked about a call for the autonomy's sake alone: its permissions allow it. */
export function isForAutonomy(permissions: Permissions | undefined, action: Action): boolean {
  return permissions !== undefined && judgeAction(permissions, action).verdict === 'allow';
}

/** What becomes of the call of a tool step. */
export function judgeToolStep(
  { permissions, checkpoint }: { permissions: Permissions; checkpoint?: Checkpoint },
  policies: Autonomy[],
  action: Action,
): Verdict {
  return withAutonomy(judgeAction(permissions, action), policies, checkedCall(action, checkpoint));
}

/** What only looks is no action, unless its author says that it is one. */
function checkedCall(action: Action, checkpoint: Checkpoint | undefined): Checked | null {
  if (checkpoint === undefined && (action.kind === 'read' || action.kind === 'none')) return null;
  return checkedAs(meantBy(action), checkpoint);
}

/** An action of these types; without a word of its author it is of low severity. */
export function checkedAs(types: string[], { severity, type }: Checkpoint = { severity: 'low' }): Checked {
  return { severity, types: type === undefined ? types : [...types, type] };
}

interface SaidCourse {
  course: Course;
  by: string;
}

function courseBy({ level, checkpoint_policy: policy = {} }: Autonomy, severity: Severity): SaidCourse | null {
  const course = policy[severity];
  if (course !== undefined) return { course, by: '`checkpoint_policy` has it wait' };
  return level === undefined ? null : courseOf(level, severity);
}

function courseOf(level: AutonomyLevel, severity: Severity): SaidCourse {
  const from = WAITS_FROM[level];
  const waits = from !== null && SEVERITIES.indexOf(severity) >= SEVERITIES.indexOf(from);
  return { course: waits ? 'suspend' : 'auto', by: `the autonomy is ${level}` };
}
