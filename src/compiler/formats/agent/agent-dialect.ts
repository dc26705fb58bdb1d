import type { Json } from '../../../plan/values/json.js';
import type { Member, Node } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';

/** The tools whose agents are read and imported. */
export const DIALECTS = ['claude', 'gemini', 'codex'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** What becomes of a field of another tool: it has another name here, or it is lost. */
export type FieldRule =
  | { to: string; convert?: (value: Json) => Json }
  /** `unless`: a value with which nothing changes. `changes`: whether an agent without it behaves differently. */
  | { lost: string; changes: boolean; unless?: Json };

/** How one tool writes its agents. Fields are paths with dots; those that no rule names keep their names. */
export interface Dialect {
  /** As its users call it. */
  title: string;
  fields: Record<string, FieldRule>;
}

/** Something of another tool's agent that has no place here. */
export interface Loss {
  field: string;
  at: Place;
  /** What it did there, and why it is lost. */
  reason: string;
  /** Whether the agent behaves differently without it. */
  changes: boolean;
}

/**
 * Another tool's agent in our words, each value still where it is written, and what was lost. Fields that neither the
 * dialect nor we (`ours`) know are lost, and taken for something that changes behaviour.
 */
export function translate(
  node: Node,
  { title, fields }: Dialect,
  ours: ReadonlySet<string>,
): { node: Node; losses: Loss[] } {
  const losses: Loss[] = [];
  const members = new Map<string, Member>();
  const lose = (
    field: string,
    { key, node: { value } }: Member,
    { lost, changes, unless }: Extract<FieldRule, { lost: string }>,
  ): void => {
    if (unless === undefined || JSON.stringify(unless) !== JSON.stringify(value))
      losses.push({ field, at: key, reason: lost, changes });
  };

  const take = (field: string, member: Member): void => {
    const rule = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (rule !== undefined && 'lost' in rule) lose(field, member, rule);
    else if (rule !== undefined) put(rule.to, converted(member, rule.convert));
    else if (member.node.members !== null && isTable(field)) takeAll(member.node, `${field}.`);
    else if (ours.has(field)) put(field, member);
    else lose(field, member, { lost: `no field that is known of ${title}`, changes: true });
  };
  const isTable = (field: string): boolean => Object.keys(fields).some((path) => path.startsWith(`${field}.`));
  const takeAll = (below: Node, prefix: string): void => {
    for (const [name, member] of below.members ?? []) take(`${prefix}${name}`, member);
  };
  const put = (name: string, member: Member): void => {
    // A key without a value says nothing.
    if (member.node.value === null) return;
    if (members.has(name))
      losses.push({
        field: name,
        at: member.key,
        reason: `\`${name}\` is said twice, and the first counts`,
        changes: true,
      });
    // `inherit` and an empty text say that there is no choice.
    else if (!(name === 'model' && ['inherit', ''].some((none) => member.node.value === none)))
      members.set(name, member);
  };

  takeAll(node, '');
  const value = Object.fromEntries([...members].map(([name, member]) => [name, member.node.value]));
  return { node: { ...node, members, value }, losses };
}

/** A member whose value another tool reads otherwise than it is written. */
function converted({ key, node }: Member, convert: ((value: Json) => Json) | undefined): Member {
  const value = convert === undefined ? node.value : convert(node.value);
  return { key, node: value === node.value ? node : { ...node, value, members: null, items: null } };
}

/** Tells losses as warnings, where they are written. */
export function reportLosses(losses: Loss[], report: Report): void {
  for (const { field, at, reason } of losses) {
    report({ code: 'unknown-key', severity: 'warning', at, message: `\`${field}\` has no meaning here: ${reason}.` });
  }
}
