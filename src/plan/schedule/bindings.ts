import type { Binding, Environment, ResultView } from '../references/environment.js';
import { viewOf } from '../references/environment.js';
import { OUTER } from '../values/expression.js';
import type { Root } from '../values/expression.js';
import type { Json } from '../values/json.js';
import type { GroupResult } from '../result.js';
import type { Schedule } from './schedule-state.js';
import { resultOf } from './schedule.js';
import type { Agent } from '../step.js';
import type { Value } from '../values/value.js';
import { bare, inline, isStored } from '../values/value.js';
import { ownOf } from '../values/own.js';

/** What the references of a body are looked up in. */
export interface BindingSource {
  schedule: Schedule;
  agents: Record<string, Agent>;
  input: Record<string, Value>;
  /** The run takes the fallback of each gate, and asks nobody. */
  unattended: boolean;
  /** The scope around it; null for a workflow's own steps. */
  outer: BindingSource | null;
  /** The item of a foreach's body. */
  item: Binding | null;
  /** Which item of a foreach or which round of a loop it is, from 0. */
  index: number | null;
  /** The round before, in a loop's body. */
  last: Schedule | null;
}

/** Binds each root to what it stands for now. Unknown roots are missing: the compiler has refused them before. */
export function bind(roots: Root[], source: BindingSource): Environment {
  return Object.fromEntries(roots.map((root) => [root, bindingOf(root, source)]));
}

function bindingOf(root: Root, source: BindingSource): Binding {
  if (root.startsWith(OUTER))
    return source.outer === null ? { missing: true } : bindingOf(root.slice(OUTER.length), source.outer);
  if (root === 'item') return source.item ?? { missing: true };
  if (root === 'index') return source.index === null ? { missing: true } : inline(source.index);
  if (root === 'run:unattended') return inline(source.unattended);
  const [kind, rest = ''] = splitOnce(root, ':');
  if (kind === 'input') return inputBinding(source.input, rest);
  const [name, field] = splitOnce(rest, '.');
  if (kind === 'step') return stepBinding(Number(name), field, source);
  if (kind === 'last')
    return source.last === null
      ? { missing: true }
      : stepBinding(Number(name), field, { ...source, schedule: source.last });
  if (kind === 'rework') return reworkBinding(rest, source);
  if (kind === 'group') return groupBinding(name, field, source);
  return { missing: true };
}

/** The last rejection that sent work back, in this scope or one around it; missing before the first. */
function reworkBinding(field: string, { schedule, outer }: BindingSource): Binding {
  const last = schedule.reworks.at(-1);
  if (last === undefined) return outer === null ? { missing: true } : reworkBinding(field, outer);
  const fields: Record<string, Json> = { feedback: last.feedback ?? '', by: last.by, round: schedule.reworks.length };
  return inline(fields[field] ?? null);
}

function inputBinding(input: Record<string, Value>, name: string): Binding {
  const value = ownOf(input, name);
  return value === undefined ? { missing: true } : bare(value);
}

function stepBinding(index: number, field: string | undefined, source: BindingSource): Binding {
  const result = resultOf(source.schedule, index, source.agents);
  if (result === null) return { missing: true };
  if (field === undefined) return { result: viewOf(result) };
  if (field === 'output') return result.output === null ? { missing: true } : bare(result.output);
  return own({ ...viewOf(result), output: null }, field);
}

function own(view: ResultView & { output: null }, field: string): Binding {
  // hasOwn just said so
  const value: Json | undefined = Object.hasOwn(view, field) ? view[field as keyof typeof view] : undefined;
  return value === undefined ? { missing: true } : inline(value);
}

function groupBinding(name: string, field: string | undefined, source: BindingSource): Binding {
  const group = groupResultOf(name, source);
  switch (field) {
    case 'status':
      return inline(group.status);
    case 'outputs':
    case 'succeeded':
    case 'failed':
      return { results: group[field].map(viewOf) };
    default:
      return { missing: true };
  }
}

/**
 * A group's result in the documented form. A timeout counts as failed; a member that succeeded in part makes it
 * `partial`, which needs a success; all skipped is `error`.
 */
export function groupResultOf(name: string, source: Pick<BindingSource, 'schedule' | 'agents'>): GroupResult {
  const members = source.schedule.body.groups[name] ?? [];
  const outputs = members.flatMap((index) => resultOf(source.schedule, index, source.agents) ?? []);
  const succeeded = outputs.filter(({ status }) => status === 'success');
  const failed = outputs.filter(({ status }) => status === 'error' || status === 'timeout');
  const isWhole = succeeded.length === outputs.length && succeeded.every(({ partial }) => partial === undefined);
  const status = isWhole ? 'success' : succeeded.length > 0 ? 'partial' : 'error';
  return { status, outputs, succeeded, failed };
}

/** Tells whether everything bound is inline, so that the workflow itself may evaluate (I6). */
export function isInline(environment: Environment): boolean {
  return Object.values(environment).every((binding) => {
    if ('missing' in binding) return true;
    if ('result' in binding) return isInlineOutput(binding.result);
    if ('results' in binding) return binding.results.every(isInlineOutput);
    if ('item' in binding) return false;
    return !isStored(binding);
  });
}

function isInlineOutput({ output }: ResultView): boolean {
  return output === null || !isStored(output);
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const position = text.indexOf(separator);
  return position < 0 ? [text, undefined] : [text.slice(0, position), text.slice(position + 1)];
}
