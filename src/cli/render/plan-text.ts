import type { Plan, PlanBody } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { InputSpec, Step } from '../../plan/step.js';
import { actorOf } from '../../plan/step.js';
import type { Text } from '../../plan/value.js';
import { settleLimits } from '../submit/limits.js';
import type { Palette } from './colors.js';
import { formatCount, formatMinutes, formatUsd, plural, shortHash } from './format.js';
import { safeLine } from './safe-text.js';
import { expressionText, templateText } from './template-text.js';
import { clip, displayWidth, fit, wrap } from './width.js';

/** What a definition compiles to, for people, in lines of at most `width` columns. `texts` are its long texts. */
export function renderPlan(plan: Plan, texts: ReadonlyMap<string, string>, style: { width: number; palette: Palette }): string[] {
  const { width, palette } = style;
  const read = (text: Text | null): string => (text === null ? '' : typeof text === 'string' ? text : (texts.get(text.text) ?? ''));
  const head = `${palette.bold(safeLine(plan.name))} · plan ${shortHash(plan.hash)} · at most ${plural(worstCaseSteps(plan, plan), 'step')}`;
  const description = safeLine(read(plan.description));
  const rows = stepRows(plan, plan, 0);
  return [
    head,
    ...(description === '' ? [] : wrap(description, width - 2).map((line) => `  ${line}`)),
    ...section('Inputs', inputLines(plan, read, width), palette),
    ...section('Steps', layOut(rows, width, palette), palette),
    ...section('Limits', [`  ${limitLine(plan)}`], palette),
  ];
}

function section(title: string, lines: string[], { bold }: Palette): string[] {
  return lines.length === 0 ? [] : ['', bold(title), ...lines];
}

function inputLines(plan: Plan, read: (text: Text | null) => string, width: number): string[] {
  const entries = Object.entries(plan.inputs);
  const names = Math.min(24, Math.max(0, ...entries.map(([name]) => displayWidth(name))));
  const kinds = Math.max(0, ...entries.map(([, spec]) => displayWidth(kindOfInput(spec))));
  return entries.map(([name, spec]) => {
    const left = `  ${fit(safeLine(name), names)}  ${fit(kindOfInput(spec), kinds)}`;
    return `${left}  ${clip(safeLine(read(spec.description)), width - displayWidth(left) - 2)}`.trimEnd();
  });
}

function kindOfInput({ type, required, ...spec }: InputSpec): string {
  if (required) return `${type}, required`;
  return 'default' in spec ? `${type} = ${clip(safeLine(JSON.stringify(spec.default)), 20)}` : type;
}

/** Steps that act or ask, in the whole tree, if every condition holds (decision 2). */
export function worstCaseSteps(plan: Plan, body: PlanBody): number {
  return body.steps.reduce((sum, step) => {
    const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
    return sum + (step.kind !== 'workflow' ? 1 : nested === undefined ? 0 : worstCaseSteps(plan, nested));
  }, 0);
}

interface Row {
  indent: string;
  label: string;
  kind: string;
  what: string;
  after: string;
}

function stepRows(plan: Plan, body: PlanBody, depth: number): Row[] {
  const shown = new Set<string>();
  return body.steps.flatMap((step) => {
    const group = step.parallel_group;
    if (group === null) return oneStep(plan, body, step, depth);
    if (shown.has(group)) return [];
    shown.add(group);
    const members = body.steps.filter((member) => member.parallel_group === group);
    const heading: Row = { indent: '  '.repeat(depth + 1), label: `▾ ${safeLine(group)}`, kind: '', what: `${members.length} in parallel`, after: '' };
    return [heading, ...members.flatMap((member) => oneStep(plan, body, member, depth + 1))];
  });
}

function oneStep(plan: Plan, body: PlanBody, step: Step, depth: number): Row[] {
  const row = {
    indent: '  '.repeat(depth + 1),
    label: `${step.index} ${safeLine(step.id ?? actorOf(step, plan.agents))}`,
    kind: step.kind === 'approval' ? 'gate' : step.kind,
    what: safeLine(whatOf(plan, step)),
    after: afterOf(body, step),
  };
  const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
  return nested === undefined ? [row] : [row, ...stepRows(plan, nested, depth + 1)];
}

function whatOf(plan: Plan, step: Step): string {
  const condition = step.when === null ? '' : `if ${expressionText(step.when)}: `;
  switch (step.kind) {
    case 'agent':
      return `${condition}${step.id === null ? '' : actorOf(step, plan.agents)}${modelSuffix(step.model ?? plan.agents[step.agent]?.model ?? null)}`;
    case 'command':
      return condition + step.argv.map(templateText).join(' ');
    case 'workflow':
      return condition + (step.id === null ? '' : step.workflow);
    case 'approval':
      return condition + templateText(step.message);
  }
}

function modelSuffix(model: string | null): string {
  return model === null ? '' : ` (${model})`;
}

/** Steps and groups that come before, but for the one written just above. */
function afterOf(body: PlanBody, step: Step): string {
  const needs = step.needs.filter(({ step: need }) => step.needs.length > 1 || need !== step.index - 1);
  const names = needs.map(({ step: need }) => {
    const before = body.steps[need];
    return before === undefined ? String(need) : (before.parallel_group ?? segmentOf(before));
  });
  return names.length === 0 ? '' : `after ${[...new Set(names)].map(safeLine).join(', ')}`;
}

function layOut(rows: Row[], width: number, palette: Palette): string[] {
  const labels = Math.min(Math.floor(width * 0.4), Math.max(0, ...rows.map(({ indent, label }) => displayWidth(indent + label))));
  return rows.map(({ indent, label, kind, what, after }) => {
    const left = indent + fit(label, labels - indent.length);
    const room = width - labels - 14;
    const shownAfter = clip(after, Math.floor(room / 2));
    const detail = clip(what, room - (shownAfter === '' ? 0 : displayWidth(shownAfter) + 2));
    return `${left}  ${palette.dim(kind.padEnd(8))}  ${detail}${shownAfter === '' ? '' : palette.dim(`${detail === '' ? '' : '  '}${shownAfter}`)}`.trimEnd();
  });
}

function limitLine(plan: Plan): string {
  const { max_steps, max_parallel, max_runtime_mins, max_cost_usd, max_tokens } = settleLimits(plan.budgets);
  return [
    max_steps === null ? null : plural(max_steps, 'step'),
    max_parallel === null ? null : `${max_parallel} in parallel`,
    max_runtime_mins === null ? null : formatMinutes(max_runtime_mins),
    max_cost_usd === null ? 'no cost limit' : formatUsd(max_cost_usd),
    max_tokens === null ? null : `${formatCount(max_tokens)} tokens`,
  ].filter((part) => part !== null).join(' · ');
}
