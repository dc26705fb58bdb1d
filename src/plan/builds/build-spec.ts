import type { WorkTreeSpec } from '../worktree.js';
import type { Json } from '../values/json.js';
import { isObject } from '../values/json.js';

/** What the agents of a build are: what they may do, and how they are asked, depends on it. */
export const ROLES = ['builder', 'tester', 'reviewer', 'custom'] as const;
export type Role = (typeof ROLES)[number];

/** Tells whether agents of a role build something; the others look at it. */
export function buildsThings(role: string | undefined): boolean {
  return role === 'builder' || role === 'custom';
}

/** When a rule of a spec holds. */
export const TRIGGERS = ['always', 'on_task_complete', 'on_test_fail', 'before_deploy'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Whom a skill of a spec is for. */
export const CATEGORIES = ['agent', 'feature', 'style', 'composite'] as const;
export type Category = (typeof CATEGORIES)[number];

/** How much of a system a spec wants to see. */
export const LEVELS = ['explorer', 'builder', 'architect'] as const;

/** An agent of a build, as the spec names it. */
export interface Member {
  name: string;
  role: Role;
  persona: string;
  /** The only paths that it may write; absent for all. */
  allowed_paths?: string[];
  /** Paths that it must not write, beside those that no agent of a build writes. */
  restricted_paths?: string[];
}

/** Where a build of a completed spec works: a tree of its own, with the folders that the spec names. */
export function workTreeOf(spec: Json): WorkTreeSpec {
  const flow = mapIn(spec, 'workflow');
  const { carry_mb } = flow;
  return {
    kind: 'worktree',
    carry: textsIn(flow, 'carry'),
    ...(typeof carry_mb === 'number' ? { carry_mb } : {}),
  };
}

/** A rule of a spec; one without a name is known by its place. */
export interface Rule {
  name: string;
  trigger: Trigger;
  prompt: string;
}

export interface Skill {
  name: string;
  category: Category;
  prompt: string;
}

/** Ages for whom a build is made where its spec names none, the youngest and the oldest. */
export const AGES: readonly [number, number] = [8, 14];

/** The agents of a completed spec. */
export function teamOf(spec: Json): Member[] {
  return objectsIn(spec, 'agents').map((agent) => ({
    name: textIn(agent, 'name'),
    role: oneOf(ROLES, textIn(agent, 'role'), 'builder'),
    persona: textIn(agent, 'persona'),
    ...(agent['allowed_paths'] === undefined ? {} : { allowed_paths: textsIn(agent, 'allowed_paths') }),
    ...(agent['restricted_paths'] === undefined ? {} : { restricted_paths: textsIn(agent, 'restricted_paths') }),
  }));
}

/** The rules of a spec that hold at a trigger, in their order. */
export function rulesAt(spec: Json, trigger: Trigger): Rule[] {
  return objectsIn(spec, 'rules')
    .map((rule, index) => ({
      name: textIn(rule, 'name') || textIn(rule, 'id') || `rule ${index + 1}`,
      trigger: oneOf(TRIGGERS, textIn(rule, 'trigger'), 'always'),
      prompt: textIn(rule, 'prompt'),
    }))
    .filter((rule) => rule.trigger === trigger);
}

/** The skills of a spec in a category, in their order. One without a category is for all agents. */
export function skillsIn(spec: Json, category: Category): Skill[] {
  return objectsIn(spec, 'skills')
    .map((skill) => ({
      name: textIn(skill, 'name'),
      category: oneOf(CATEGORIES, textIn(skill, 'category'), 'agent'),
      prompt: textIn(skill, 'prompt'),
    }))
    .filter((skill) => skill.category === category);
}

/** The youngest and the oldest for whom a build is made. */
export function agesOf(spec: Json): readonly [number, number] {
  const ages = isObject(spec) && isObject(spec['audience'] ?? null) ? spec['audience'] : null;
  const [least, most] = isObject(ages) && Array.isArray(ages['ages']) ? ages['ages'] : [];
  return typeof least === 'number' && typeof most === 'number' ? [least, most] : AGES;
}

/** A text of a map; empty where there is none. */
export function textIn(value: Json, key: string): string {
  const text = isObject(value) ? value[key] : undefined;
  return typeof text === 'string' ? text : '';
}

/** A map in a map; empty where there is none. */
export function mapIn(value: Json, key: string): Record<string, Json> {
  const inner = isObject(value) ? (value[key] ?? null) : null;
  return isObject(inner) ? inner : {};
}

/** The texts of a list in a map; none where there is no list. */
export function textsIn(value: Json, key: string): string[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}

export function objectsIn(value: Json, key: string): Record<string, Json>[] {
  const list = isObject(value) ? value[key] : undefined;
  return Array.isArray(list) ? list.filter(isObject) : [];
}

function oneOf<T extends string>(all: readonly T[], word: string, usual: T): T {
  return all.find((one) => one === word) ?? usual;
}
