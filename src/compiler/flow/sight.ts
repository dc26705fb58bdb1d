import type { AgentCall, Ask, FlowExpression, FlowTree, Mark, Quoted } from '../formats/flow/ast.js';
import { capturesOf, conditionsIn, constantsOf, stepsOf } from '../formats/flow/ast.js';
import { cutInstruction } from '../formats/flow/instruction.js';
import type { Fix } from '../problems/fix.js';
import type { Place, Report } from '../problems/problem.js';
import type { Test, TestReader } from './condition.js';
import { testsIn } from './condition.js';
import { rolesOf } from './regions.js';
import { variablesOf } from './tests.js';

/** Warns of steps that see nothing of the steps before them, and of captures that nothing reads. */
export function warnOfSight(tree: FlowTree, testOf: TestReader, report: Report): void {
  if (tree.body === null) return;
  const offered = warnOfBlindSteps(tree.body, report);
  warnOfUnread(tree, { body: tree.body, offered, testOf }, report);
}

/** What stands before a step: whether anything yields an output, and the name of the last that has one. */
interface Before {
  any: boolean;
  capture: string | null;
}

/**
 * Agents see their own text and nothing else: without a reference in it, what was found before is lost on them. Returns
 * the names that the warnings offer.
 */
function warnOfBlindSteps(body: FlowExpression, report: Report): Set<string> {
  const offered = new Set<string>();
  const captures = capturesOf(body);
  const roles = rolesOf(body);
  let number = 0;

  const step = (piece: AgentCall | Ask | Mark, before: Before): Before => {
    if (piece.kind === 'mark' && (roles.get(piece) === 'label' || roles.get(piece) === 'jump')) return before;
    number += 1;
    if (piece.kind === 'agent' && before.any && isBlind(piece, captures)) {
      reportBlind(piece, number, before, report);
      if (before.capture !== null) offered.add(before.capture);
    }
    return {
      any: before.any || piece.kind !== 'mark',
      capture: piece.capture?.text ?? before.capture,
    };
  };

  const walk = (part: FlowExpression, before: Before): Before => {
    switch (part.kind) {
      case 'group':
        return walk(part.body, before);
      case 'sequence':
        return part.items.reduce((here, item) => walk(item, here), before);
      case 'parallel':
        return part.branches.map((branch) => walk(branch, before)).reduce(joined, before);
      case 'conditional': {
        const source = part.source === null ? before : walk(part.source, before);
        return part.branches.map(({ body: inner }) => walk(inner, source)).reduce(joined, source);
      }
      default:
        return step(part, before);
    }
  };
  walk(body, { any: false, capture: null });
  return offered;
}

function joined(one: Before, other: Before): Before {
  return { any: one.any || other.any, capture: other.capture ?? one.capture };
}

function isBlind({ instruction }: AgentCall, captures: Set<string>): boolean {
  return instruction !== null && !referencesOf(instruction).some((name) => captures.has(name));
}

function reportBlind({ at, name }: AgentCall, number: number, { capture }: Before, report: Report): void {
  report({
    code: 'blind-step',
    severity: 'warning',
    at: { ...at, end: Math.min(at.end, name.at.end) },
    message: `Step ${number} sees only its own text, and nothing of the steps before it.`,
    suggestion:
      capture === null
        ? 'capture what it needs, `agent:"…":result`, and write `{result}` into its text'
        : `write \`{${capture}}\` into its text where it needs that`,
  });
}

/** Names in braces; those with a `-` are text, and warned of where that is seen. */
function referencesOf({ raw }: Quoted): string[] {
  const names = cutInstruction(raw).flatMap((part) => (part.kind === 'reference' ? [part.name] : []));
  const meant = [...raw.matchAll(/\{([A-Za-z_]\w*(?:-\w+)+)\}/g)].flatMap(([, name = '']) => [
    name,
    name.replaceAll('-', '_'),
  ]);
  return [...names, ...meant];
}

/** The output of the last step is that of the flow, and what stands before a gate or a bare agent is shown to it. */
function warnOfUnread(
  tree: FlowTree,
  { body, offered, testOf }: { body: FlowExpression; offered: Set<string>; testOf: TestReader },
  report: Report,
): void {
  const read = readNames(tree, body, testOf);
  const shown = shownSteps(body, testOf);
  for (const step of stepsOf(body)) {
    const { capture } = step;
    if (capture === null || read.has(capture.text) || offered.has(capture.text) || shown.has(step)) continue;
    report({
      code: 'unread-capture',
      severity: 'warning',
      at: capture.at,
      message: `Nothing reads \`${capture.text}\`.`,
      suggestion: `write \`{${capture.text}}\` into the text of a later step, or leave \`:${capture.text}\` out`,
      fix: withoutCapture(capture.at),
    });
  }
}

/** Nothing in place of a name and the colon before it. */
function withoutCapture(at: Place): Fix | null {
  const colon = at.source.text.slice(0, at.start).trimEnd().length - 1;
  return at.source.text[colon] === ':' ? { at: { ...at, start: colon }, text: '' } : null;
}

function readNames(tree: FlowTree, body: FlowExpression, testOf: TestReader): Set<string> {
  const texts = [...stepsOf(body)].flatMap((step) => (step.kind === 'agent' ? step.instruction : step.question) ?? []);
  const names = [...texts, ...constantsOf(tree).map(({ value }) => value)].flatMap(referencesOf);
  const tested = [...conditionsIn(body)].flatMap((condition) => {
    const test = testOf(condition);
    const issues = [...testsIn(test)].some(({ kind }) => kind === 'issues') ? ['issues'] : [];
    return [...variablesOf(test).map(({ name }) => name), ...issues];
  });
  return new Set([...names, ...tested]);
}

/** The steps whose output is seen without its name. */
function shownSteps(body: FlowExpression, testOf: TestReader): Set<AgentCall | Ask | Mark> {
  const shown = new Set<AgentCall | Ask | Mark>();
  const walk = (part: FlowExpression, isShown: boolean): void => {
    switch (part.kind) {
      case 'group':
        walk(part.body, isShown);
        return;
      case 'sequence':
        part.items.forEach((item, index) => {
          const next = part.items[index + 1];
          walk(item, next === undefined ? isShown : looksBack(next, testOf));
        });
        return;
      case 'parallel':
        for (const branch of part.branches) walk(branch, isShown);
        return;
      case 'conditional':
        if (part.source !== null) walk(part.source, isShown || looksBack({ ...part, source: null }, testOf));
        for (const { body: inner } of part.branches) walk(inner, isShown);
        return;
      default:
        if (isShown) shown.add(part);
    }
  };
  walk(body, true);
  return shown;
}

/** Tells whether a piece is shown what stands before it, or has a condition that looks at its text. */
function looksBack(part: FlowExpression, testOf: TestReader): boolean {
  switch (part.kind) {
    case 'agent':
      return part.instruction === null;
    case 'mark':
      return true;
    case 'ask':
      return false;
    case 'group':
      return looksBack(part.body, testOf);
    case 'sequence':
      return part.items[0] !== undefined && looksBack(part.items[0], testOf);
    case 'parallel':
      return part.branches.some((branch) => looksBack(branch, testOf));
    case 'conditional':
      if (part.source !== null) return looksBack(part.source, testOf);
      return part.branches.some(({ condition, body }) => readsText(testOf(condition)) || looksBack(body, testOf));
  }
}

function readsText(test: Test): boolean {
  return [...testsIn(test)].some(
    (one) => one.kind === 'judged' || one.kind === 'issues' || (one.kind === 'mentions' && one.name === null),
  );
}
