import type { Expression, Template } from '../../plan/values/expression.js';
import { OUTER } from '../../plan/values/expression.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { GateRules } from '../../plan/step.js';
import { INLINE_BYTES } from '../../plan/values/json.js';
import { fitsInline } from '../../plan/values/value.js';
import { millisecondsOf } from '../formats/values.js';
import type { Node } from '../text/node.js';
import { keyOf, memberOf, placesIn } from '../text/node.js';
import { compileTemplate } from '../expressions/template.js';
import type { StepContext } from './base.js';

/** The keys of a gate, which may stand beside its kind or inside the map under it. */
export interface GateKeys {
  /** The node of a key's value; null when it is not written. Written twice it is reported. */
  pick: (key: string) => Node | null;
  /** The question. */
  question: Node;
  /** Limit of the whole step, wherever it is written. */
  deadline_ms: number | null;
}

/** Finds the keys of a gate of this kind; `word` is what the question is called in the long form. */
export function gateKeys(kind: 'approval' | 'ask', word: string, { node, report }: StepContext): GateKeys {
  const under = memberOf(node, kind) ?? node;
  const pick = (key: string): Node | null => {
    const beside = memberOf(node, key);
    const within = under.members === null || under === node ? null : memberOf(under, key);
    if (beside !== null && within !== null) {
      report({
        code: 'conflicting-keys',
        at: keyOf(node, key),
        message: `\`${key}\` is written twice: beside \`${kind}\` and inside it.`,
        suggestion: 'keep one of them',
      });
    }
    return within ?? beside;
  };
  const deadline = pick('deadline')?.value;
  return {
    pick,
    question: memberOf(under, word) ?? under,
    deadline_ms: typeof deadline === 'string' ? millisecondsOf(deadline) : null,
  };
}

/**
 * Reports what may be chosen and reads as something before it does, since who types or presses it could mean either;
 * and what is too long for a decision to say.
 */
export function checkOptions(written: Node | null, word: 'an option' | 'a choice', { report }: StepContext): void {
  const items = written?.items ?? [];
  const shown = items.map(({ value }) => optionText(value));
  items.forEach((item, index) => {
    const text = shown[index] ?? '';
    if (!fitsInline(item.value))
      report({ code: 'invalid-value', at: item, message: `Expected ${word} of at most ${INLINE_BYTES} bytes.` });
    else if (shown.indexOf(text) !== index)
      report({ code: 'duplicate-name', at: item, message: `\`${text}\` can be chosen already.` });
  });
}

/** Who may say what at a gate; undefined where nothing is said about it. */
export function compileRules(keys: GateKeys, context: StepContext): { rules?: GateRules } {
  const { pick } = keys;
  const approvers = pick('required_approver');
  const quorum = pick('quorum')?.value;
  const reminder = pick('reminder')?.value;
  const rules: GateRules = {
    ...(approvers === null ? {} : { approvers: compileTemplate(approvers, context.templates) }),
    ...others(pick('different_from'), context),
    ...(typeof quorum === 'number' && quorum > 1 ? { quorum } : {}),
    ...(typeof reminder === 'string' ? { reminder_ms: millisecondsOf(reminder) } : {}),
    ...escalation(pick('escalate'), context),
  };
  checkQuorum(rules, pick('quorum'), context);
  const escalated = pick('escalate');
  for (const late of [pick('reminder'), escalated === null ? null : memberOf(escalated, 'after')])
    checkBefore(late, keys, context);
  return Object.keys(rules).length === 0 ? {} : { rules };
}

function others(written: Node | null, context: StepContext): Pick<GateRules, 'not_submitter' | 'not_deciders'> {
  const items = written === null ? [] : (written.items ?? [written]);
  const deciders = items
    .filter(({ value }) => value !== 'submitter')
    .flatMap((item): Template[] => {
      const expression = stepField(item, 'decided_by', context);
      return expression === null ? [] : [{ kind: 'expression', expression }];
    });
  return {
    ...(items.some(({ value }) => value === 'submitter') ? { not_submitter: true } : {}),
    ...(deciders.length === 0 ? {} : { not_deciders: { kind: 'list', items: deciders } }),
  };
}

function escalation(written: Node | null, { templates }: StepContext): Pick<GateRules, 'escalate'> {
  const after = written === null ? undefined : memberOf(written, 'after')?.value;
  const to = written === null ? null : memberOf(written, 'to');
  return to === null || typeof after !== 'string'
    ? {}
    : { escalate: { after_ms: millisecondsOf(after), to: compileTemplate(to, templates) } };
}

/** A field of the step that a node names by id or index, as a reference to it means it. */
export function stepField(item: Node, field: string, { templates }: StepContext): Expression | null {
  const { value } = item;
  if (typeof value !== 'string' && typeof value !== 'number') return null;
  const source = typeof value === 'number' ? `steps[${value}].${field}` : `steps.${value}.${field}`;
  return templates.resolve(
    { path: ['steps', value, field], source, start: 0, length: String(value).length },
    placesIn(item)(0, String(value).length),
  );
}

/** The step that a node names, in the gate's own scope; null when it is none of its steps, which is reported. */
export function stepBefore(item: Node, context: StepContext): number | null {
  const expression = stepField(item, 'output', context);
  if (expression === null) return null;
  const root = expression.kind === 'reference' ? expression.root : OUTER;
  const index = /^step:(\d+)/.exec(root)?.[1];
  if (index !== undefined) return Number(index);
  context.report({
    code: 'out-of-scope',
    at: item,
    message: `\`${String(item.value)}\` is outside of the body that this gate stands in.`,
    suggestion: 'go back to a step of the same body',
  });
  return null;
}

/** What comes after the deadline never comes. */
function checkBefore(late: Node | null, { deadline_ms, pick }: GateKeys, { report }: StepContext): void {
  if (typeof late?.value !== 'string' || deadline_ms === null || millisecondsOf(late.value) < deadline_ms) return;
  report({
    code: 'invalid-value',
    at: late,
    message: `Expected a time before the deadline (\`${String(pick('deadline')?.value)}\`), got \`${late.value}\`.`,
    suggestion: 'write a shorter time, or a later deadline',
  });
}

/** More people than are named can never agree. */
function checkQuorum({ approvers, quorum = 1, escalate }: GateRules, at: Node | null, { report }: StepContext): void {
  const named = [approvers, escalate?.to].flatMap((template) => (template === undefined ? [] : namesIn(template)));
  if (at === null || approvers === undefined || named.includes(null) || quorum <= new Set(named).size) return;
  report({
    code: 'invalid-value',
    at,
    message: `Expected a quorum of at most ${new Set(named).size}, as many people as are named, got \`${quorum}\`.`,
  });
}

/** The names in a template; null stands for those that are known when it runs. */
function namesIn(template: Template): (string | null)[] {
  if (template.kind !== 'literal') return [null];
  return (Array.isArray(template.value) ? template.value : [template.value]).map(String);
}
