import { literalText } from '../../../plan/values/expression.js';
import { didYouMean } from '../../problems/did-you-mean.js';
import type { Place } from '../../problems/problem.js';
import { freeInput } from './inputs.js';
import type { GraphNode } from './graph.js';
import type { Scope, Translation } from './translation.js';

/** Where a text with references stands. */
export interface Site {
  translation: Translation;
  scope: Scope;
  node: GraphNode;
  /** Where a part of the text is written. */
  placeOf: (start: number, length: number) => Place;
  /** What variables of loops and rejections are here, as expressions; elsewhere they are empty. */
  variables?: Partial<Record<'LOOP_PREV_OUTPUT' | 'LOOP_USER_INPUT' | 'REJECTION_REASON', string>>;
  /** What `$INPUTS.name` is here before it is an input of the workflow: texts in our words. */
  bindings?: ReadonlyMap<string, string>;
  /** Names that mean nothing stay as they are, as in the files of commands. */
  lenient?: boolean;
}

export interface Found {
  start: number;
  end: number;
  kind: 'node' | 'last' | 'input' | 'variable';
  name: string;
  field: string | null;
}

const REFERENCE = new RegExp(
  [
    String.raw`\$LOOP_PREV\.([A-Za-z_][\w-]*)\.output(?:\.([A-Za-z_]\w*))?`,
    String.raw`\$INPUTS\.([A-Za-z_][\w-]*)`,
    String.raw`\$([A-Za-z_][\w-]*)\.output(?:\.([A-Za-z_]\w*))?(?![\w-])`,
    String.raw`\$(ARGUMENTS|USER_MESSAGE|WORKFLOW_ID|ARTIFACTS_DIR|STATE_DIR|BASE_BRANCH|DOCS_DIR|CONTEXT|` +
      String.raw`EXTERNAL_CONTEXT|ISSUE_CONTEXT|LOOP_USER_INPUT|REJECTION_REASON|LOOP_PREV_OUTPUT)(?![A-Za-z0-9_])`,
  ].join('|'),
  'g',
);

/** Every place of a text that Archon would replace. */
export function findReferences(text: string): Found[] {
  return [...text.matchAll(REFERENCE)].map((found): Found => {
    const [whole, last, lastField, input, node, field, variable] = found;
    const at = { start: found.index, end: found.index + whole.length };
    if (last !== undefined) return { ...at, kind: 'last', name: last, field: lastField ?? null };
    if (input !== undefined) return { ...at, kind: 'input', name: input, field: null };
    if (node !== undefined) return { ...at, kind: 'node', name: node, field: field ?? null };
    return { ...at, kind: 'variable', name: variable ?? '', field: null };
  });
}

/** A text for a model in our words; null when something in it means nothing, which is reported. */
export function promptText(text: string, site: Site): string | null {
  let written = '';
  let from = 0;
  let sound = true;
  for (const found of findReferences(text)) {
    const meaning = meaningOf(found, site);
    if (meaning === null) sound = false;
    if (meaning === null || meaning === AS_IT_IS) continue;
    written += beforeReference(literalText(text.slice(from, found.start))) + meaning;
    from = found.end;
  }
  return sound ? written + literalText(text.slice(from)) : null;
}

/** A backslash before `${` would make it a text. */
function beforeReference(text: string): string {
  return text.endsWith('\\') ? `${text.slice(0, -1)}\${'\\\\'}` : text;
}

/** What stays as it is written. */
export const AS_IT_IS = Symbol('as it is');

/**
 * What a reference is in our words, a text with `${…}`; `AS_IT_IS` for one that stays; null when it means nothing,
 * which is reported.
 */
export function meaningOf(found: Found, site: Site): string | typeof AS_IT_IS | null {
  switch (found.kind) {
    case 'node':
      return ofNode(found, site);
    case 'last':
      return ofRoundBefore(found, site);
    case 'input':
      return site.bindings?.get(found.name) ?? `\${${freeInput(found.name, site.translation)}}`;
    case 'variable':
      return ofVariable(found.name, site);
  }
}

/** A node's output as an expression, with a default where the node may not have succeeded; null when it is none. */
export function outputOf(name: string, field: string | null, site: Site): string | null {
  const target = targetOf(name, site.scope, site.node);
  if (target === null) return null;
  const { node, step, certain } = target;
  if (node.kind === 'approval') return ofGate(node, field);
  const path = `steps.${step}.output${field === null ? '' : `.${field}`}`;
  return certain ? path : `${path} ?? ''`;
}

/** Of a gate what was said with the decision is handed on, where its author says so, or which decision it was. */
function ofGate({ step, said: { approval } }: GraphNode, field: string | null): string {
  const chosen = approval?.decisions !== undefined;
  if (chosen && field !== 'text') return `steps.${step}.output ?? ''`;
  return chosen || approval?.capture_response ? `steps.${step}.comment ?? ''` : "''";
}

interface Target {
  node: GraphNode;
  step: string;
  certain: boolean;
}

/** The step that stands for a node, as it is seen from another; null where it does not come before it. */
export function targetOf(name: string, { graph, outer }: Scope, from: GraphNode): Target | null {
  const own = graph.byId.get(name);
  if (own === undefined) return outer === null ? null : targetOf(name, outer.scope, outer.node);
  if (own.id === from.id || graph.before.get(own.id)?.has(from.id)) return null;
  return { node: own, step: own.step, certain: graph.certain.get(from.id)?.has(own.id) ?? false };
}

function ofNode({ start, end, name, field }: Found, site: Site): string | typeof AS_IT_IS | null {
  const expression = outputOf(name, field, site);
  if (expression !== null) return `\${${expression}}`;
  const { report, losses } = site.translation;
  const at = site.placeOf(start, end - start);
  const known = namesIn(site.scope);
  if (site.lenient && !known.includes(name)) {
    losses.harmless(`${site.node.id}.$${name}.output`, at, 'there is no such node: it stays as it is, as in Archon');
    return AS_IT_IS;
  }
  report(
    known.includes(name)
      ? { code: 'forward-reference', at, message: `\`$${name}.output\` is read before \`${name}\` has run.` }
      : {
          code: 'unknown-step',
          at,
          message: `There is no node \`${name}\`.`,
          suggestion: didYouMean(name, known),
        },
  );
  return null;
}

function namesIn({ graph, outer }: Scope): string[] {
  return [...graph.byId.keys(), ...(outer === null ? [] : namesIn(outer.scope))];
}

/** In a loop's body: what a node yielded in the round before. */
function ofRoundBefore({ start, end, name, field }: Found, { scope, node, translation, placeOf }: Site): string | null {
  const target = scope.outer === null ? undefined : scope.graph.byId.get(name);
  if (target === undefined) {
    translation.report({
      code: 'unknown-step',
      at: placeOf(start, end - start),
      message: `Expected \`$LOOP_PREV.${name}\` to name a node of the same loop.`,
    });
    return null;
  }
  const path = `output${field === null ? '' : `.${field}`}`;
  // What stands later in the body, or is the step itself, is there of the round before alone.
  const isLater = scope.graph.nodes.indexOf(target) >= scope.graph.nodes.indexOf(node);
  return isLater
    ? `\${steps.${target.step}.${path} ?? ''}`
    : `\${steps.${keptBy(scope, target.step, translation)}.output.${target.step}${path.slice('output'.length)} ?? ''}`;
}

/** The step at a body's end that keeps what a step of it yielded, for the next round. */
function keptBy({ outer }: Scope, step: string, { kept }: Translation): string {
  const body = outer?.node.step ?? '';
  kept.set(body, (kept.get(body) ?? new Set()).add(step));
  return keeperOf(body);
}

export function keeperOf(step: string): string {
  return `${step}-kept`;
}

const MESSAGE = { type: 'string', default: '', description: 'What is asked for.' };
const CONTEXT = { type: 'string', default: '', description: 'The issue or pull request that it is about.' };

function ofVariable(name: string, { translation, variables = {} }: Site): string {
  const input = (own: string, declared: { type: string; default: string; description: string }): string => {
    translation.inputs.set(own, declared);
    return `\${${own}}`;
  };
  const early = (own: 'artifacts_dir' | 'state_dir' | 'workflow_id'): string => {
    translation.uses.add(own);
    return `\${${own}}`;
  };
  switch (name) {
    case 'ARGUMENTS':
    case 'USER_MESSAGE':
      return input('request', MESSAGE);
    case 'CONTEXT':
    case 'EXTERNAL_CONTEXT':
    case 'ISSUE_CONTEXT':
      return input('context', CONTEXT);
    case 'BASE_BRANCH':
      return input('base_branch', {
        type: 'string',
        default: 'main',
        description: 'The branch that work begins from.',
      });
    case 'DOCS_DIR':
      return input('docs_dir', { type: 'string', default: 'docs/', description: 'Where the documents are.' });
    case 'ARTIFACTS_DIR':
      return early('artifacts_dir');
    case 'STATE_DIR':
      return early('state_dir');
    case 'WORKFLOW_ID':
      return early('workflow_id');
    default: {
      // The names that remain in the pattern.
      const expression = variables[name as 'LOOP_PREV_OUTPUT' | 'LOOP_USER_INPUT' | 'REJECTION_REASON'];
      return expression === undefined ? '' : `\${${expression}}`;
    }
  }
}
