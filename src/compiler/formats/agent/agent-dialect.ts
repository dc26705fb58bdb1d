import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { Member, Node } from '../../text/node.js';
import { withMembers } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';
import { meansPerhaps, nearest } from '../../problems/did-you-mean.js';
import { splitTools } from './agent-tools.js';
import { ownOf } from '../../../plan/values/own.js';

/** The tools whose agents are read and imported. */
export const DIALECTS = ['claude', 'gemini', 'codex'] as const;
export type DialectName = (typeof DIALECTS)[number];

/** Why a field, or what it says, has no place here. */
export interface LostRule {
  lost: string;
  /** Whether an agent without it behaves differently. */
  changes: boolean;
  /** A value with which nothing changes. */
  unless?: Json;
  /** What the person can do about it. */
  fix?: string | null;
}

/** What a value of another tool comes to: fields of ours, of which lists add up, and what of it is lost. */
export interface Reading {
  fields?: Record<string, Json>;
  lost?: LostRule;
  /** Parts of it that are lost, each by its name. */
  losses?: NamedLoss[];
}

/** A part of a field that is lost: `hooks.Stop`. */
export type NamedLoss = LostRule & { field: string };

/** What becomes of a field of another tool: it has another name here, comes to other fields, or is lost. */
export type FieldRule = { to: string; convert?: (value: Json) => Json } | { read: (value: Json) => Reading } | LostRule;

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
  /** What the person can do about it; null where there is nothing. */
  fix: string | null;
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
  const derived: { name: string; member: Member }[] = [];
  const lose = (field: string, { key, node: { value } }: Member, rule: LostRule): void => {
    const { lost, changes, unless, fix = null } = rule;
    if (unless === undefined || JSON.stringify(unless) !== JSON.stringify(value))
      losses.push({ field, at: key, reason: lost, changes, fix });
  };

  const read = (field: string, member: Member, { fields: said = {}, lost, losses: parts = [] }: Reading): void => {
    for (const [name, value] of Object.entries(said)) derived.push({ name, member: withValue(member, value) });
    if (lost !== undefined) lose(field, member, lost);
    for (const { field: part, ...rule } of parts) lose(part, member, rule);
  };
  const take = (field: string, member: Member): void => {
    const rule = ownOf(fields, field);
    if (member.node.value === null && rule !== undefined) return; // A key without a value says nothing.
    if (rule !== undefined && 'lost' in rule) lose(field, member, rule);
    else if (rule !== undefined && 'read' in rule) read(field, member, rule.read(member.node.value));
    else if (rule !== undefined)
      put(rule.to, rule.convert ? withValue(member, rule.convert(member.node.value)) : member);
    else if (member.node.members !== null && isTable(field)) takeAll(member.node, `${field}.`);
    else if (ours.has(field)) put(field, member);
    else {
      const meant = nearest(field, [...Object.keys(fields), ...ours]);
      const fix = meant === null ? null : meansPerhaps(meant);
      lose(field, member, { lost: `no field that is known of ${title}`, changes: true, fix });
    }
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
        fix: 'keep one of them',
      });
    // `inherit` and an empty text say that there is no choice.
    else if (!(name === 'model' && ['inherit', ''].some((none) => member.node.value === none)))
      members.set(name, member);
  };

  takeAll(node, '');
  for (const { name, member } of derived) members.set(name, joined(members.get(name), member));
  return { node: withMembers(node, members), losses };
}

/** The same member with another value. */
function withValue({ key, node }: Member, value: Json): Member {
  return { key, node: value === node.value ? node : { ...node, value, members: null, items: null, style: null } };
}

/** What is written, and what another field says beside it. */
function joined(written: Member | undefined, said: Member): Member {
  const { value } = written?.node ?? { value: null };
  if (written !== undefined && isObject(value) && isObject(said.node.value))
    return withValue(written, { ...value, ...said.node.value });
  if (written === undefined || !Array.isArray(said.node.value)) return said;
  const list = Array.isArray(value) ? value : splitTools(String(value));
  return withValue(written, [...new Set([...list, ...said.node.value])]);
}

/** Tells losses as warnings, where they are written. */
export function reportLosses(losses: Loss[], report: Report): void {
  for (const { field, at, reason, fix } of losses)
    report({
      code: 'unknown-key',
      severity: 'warning',
      at,
      message: `\`${field}\` has no meaning here: ${reason}.`,
      suggestion: fix,
    });
}
