import type { AgentCall, Ask, Condition, FlowExpression, Mark, Name } from '../formats/flow/ast.js';
import { stepsOf } from '../formats/flow/ast.js';
import type { CapturingStep } from './names.js';
import type { Place, Report } from '../problems/problem.js';

/** A flow whose labels and jumps have become loops. */
export type Region =
  | AgentCall
  | Ask
  | { kind: 'gate'; mark: Mark }
  | { kind: 'label'; name: string }
  | { kind: 'jump'; name: string; at: Place }
  | { kind: 'sequence'; items: Region[] }
  | { kind: 'parallel'; branches: Region[] }
  | { kind: 'group'; body: Region }
  | { kind: 'conditional'; source: Region | null; branches: Branch[] }
  | { kind: 'loop'; name: string; body: Region };

export interface Branch {
  condition: Condition;
  body: Region;
}

export type MarkRole = 'gate' | 'label' | 'jump' | 'gate and label';

/**
 * What each `@name` is: the first of a name that comes again without a question is a label, those that come again jump
 * to it; all else are gates. A label with a question is both.
 */
export function rolesOf(expression: FlowExpression): Map<Mark, MarkRole> {
  const marks = [...stepsOf(expression)].filter((step) => step.kind === 'mark');
  const roles = new Map<Mark, MarkRole>();
  const firsts = new Map<string, Mark>();
  for (const mark of marks) {
    const { text } = mark.name;
    const first = firsts.get(text);
    if (first === undefined) firsts.set(text, mark);
    if (first === undefined || mark.question !== null || mark.fallback !== null) roles.set(mark, 'gate');
    else {
      roles.set(mark, 'jump');
      roles.set(first, first.question === null && first.fallback === null ? 'label' : 'gate and label');
    }
  }
  return roles;
}

/** Each label is a loop, and loops may stand in each other: more would make a Plan that nobody could run or read. */
const MOST_LABELS = 200;

/**
 * The regions of a flow. A loop goes from its label to the last jump to it. Null where there are too many, which is
 * reported.
 */
export function arrange(expression: FlowExpression, report: Report): Region | null {
  const roles = rolesOf(expression);
  const beyond = [...roles].filter(([, role]) => role === 'label' || role === 'gate and label')[MOST_LABELS]?.[0];
  if (beyond !== undefined) {
    report({
      code: 'too-deep',
      at: beyond.at,
      message: `Expected at most ${MOST_LABELS} labels in a flow.`,
      suggestion: 'make several flows of it',
    });
    return null;
  }

  const visit = (part: FlowExpression, inBranch = false): Region => {
    switch (part.kind) {
      case 'agent':
      case 'ask':
        return part;
      case 'mark':
        return ofMark(part);
      case 'group':
        return { kind: 'group', body: visit(part.body) };
      case 'parallel':
        return { kind: 'parallel', branches: part.branches.map((branch) => visit(branch)) };
      case 'sequence':
        part.items.slice(0, -1).forEach((item) => {
          if (item.kind === 'mark' && roles.get(item) === 'jump')
            report({
              code: 'unexpected-text',
              at: item.at,
              message: `Nothing that is written after the jump \`@${item.name.text}\` would run.`,
              suggestion: inBranch
                ? `put the loop into brackets, and behind them what comes after it: \`[@${item.name.text} -> …] -> …\``
                : 'give a gate a name of its own',
            });
        });
        return wrapSequence(part.items.flatMap((item) => flatten(visit(item))));
      case 'conditional': {
        const branches = part.branches.map(({ condition, body }) => ({ condition, body: visit(body, true) }));
        return wrapConditional(part.source === null ? null : visit(part.source), branches);
      }
    }
  };

  const ofMark = (mark: Mark): Region => {
    const name = mark.name.text;
    switch (roles.get(mark)) {
      case 'jump':
        return { kind: 'jump', name, at: mark.at };
      case 'label':
        return { kind: 'label', name };
      case 'gate and label':
        return {
          kind: 'sequence',
          items: [
            { kind: 'label', name },
            { kind: 'gate', mark },
          ],
        };
      default:
        return { kind: 'gate', mark };
    }
  };

  return visit(expression);
}

/** A label that is a gate too is two items of the sequence that it stands in. */
function flatten(region: Region): Region[] {
  return region.kind === 'sequence' && region.items[0]?.kind === 'label' ? region.items : [region];
}

/** Makes loops of the labels that later items jump to, the innermost first. */
function wrapSequence(items: Region[]): Region {
  let current = items;
  for (let at = items.length - 1; at >= 0; at--) {
    const label = current[at];
    if (label?.kind !== 'label') continue;
    const last = current.findLastIndex((item, index) => index > at && jumpsTo(item, label.name));
    if (last === -1) continue;
    const loop: Region = { kind: 'loop', name: label.name, body: sequenceOf(current.slice(at + 1, last + 1)) };
    current = [...current.slice(0, at), loop, ...current.slice(last + 1)];
  }
  return sequenceOf(current);
}

/** The branches of a condition may jump into what stands before it: then all of it is the loop. */
function wrapConditional(source: Region | null, branches: Branch[]): Region {
  const items = source === null ? [] : source.kind === 'sequence' ? source.items : [source];
  const at = items.findLastIndex(
    (item) => item.kind === 'label' && branches.some(({ body }) => jumpsTo(body, item.name)),
  );
  const label = items[at];
  if (label?.kind !== 'label') return { kind: 'conditional', source, branches };
  const rest = items.slice(at + 1);
  const body: Region = { kind: 'conditional', source: rest.length === 0 ? null : sequenceOf(rest), branches };
  return wrapSequence([...items.slice(0, at), { kind: 'loop', name: label.name, body }]);
}

function sequenceOf(items: Region[]): Region {
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { kind: 'sequence', items };
}

/** Tells whether a jump to a label stands anywhere in a region. */
export function jumpsTo(region: Region, name: string): boolean {
  switch (region.kind) {
    case 'jump':
      return region.name === name;
    case 'sequence':
      return region.items.some((item) => jumpsTo(item, name));
    case 'parallel':
      return region.branches.some((branch) => jumpsTo(branch, name));
    case 'group':
    case 'loop':
      return jumpsTo(region.body, name);
    case 'conditional':
      return (
        (region.source !== null && jumpsTo(region.source, name)) ||
        region.branches.some(({ body }) => jumpsTo(body, name))
      );
    default:
      return false;
  }
}

/** Every step in a region that captures its output, in the order of the text. */
export function* capturesIn(region: Region): Generator<CapturingStep & { capture: Name }> {
  switch (region.kind) {
    case 'agent':
    case 'ask':
    case 'gate': {
      const step = region.kind === 'gate' ? region.mark : region;
      if (step.capture !== null) yield step as CapturingStep & { capture: Name }; // just looked at
      return;
    }
    case 'group':
    case 'loop':
      yield* capturesIn(region.body);
      return;
    case 'sequence':
      for (const item of region.items) yield* capturesIn(item);
      return;
    case 'parallel':
      for (const branch of region.branches) yield* capturesIn(branch);
      return;
    case 'conditional':
      if (region.source !== null) yield* capturesIn(region.source);
      for (const { body } of region.branches) yield* capturesIn(body);
      return;
    default:
  }
}

/** The names that are captured before each condition; in a loop, those of its last round too. */
export function namesBefore(region: Region): Map<Condition, Set<string>> {
  const before = new Map<Condition, Set<string>>();
  const visit = (part: Region, names: Set<string>): void => {
    const visitBranch = (branch: Region): Set<string> => {
      const own = new Set(names);
      visit(branch, own);
      return own;
    };
    const merge = (layers: Set<string>[]): void => {
      for (const layer of layers) for (const name of layer) names.add(name);
    };
    switch (part.kind) {
      case 'group':
        visit(part.body, names);
        return;
      case 'loop':
        merge([new Set([...capturesIn(part.body)].map(({ capture }) => capture.text))]);
        visit(part.body, names);
        return;
      case 'sequence':
        for (const item of part.items) visit(item, names);
        return;
      case 'parallel':
        merge(part.branches.map(visitBranch));
        return;
      case 'conditional':
        if (part.source !== null) visit(part.source, names);
        merge(
          part.branches.map(({ condition, body }) => {
            before.set(condition, new Set(names));
            if (condition.capture !== null) names.add(condition.capture.text);
            return visitBranch(body);
          }),
        );
        return;
      default:
        for (const { capture } of capturesIn(part)) names.add(capture.text);
    }
  };
  visit(region, new Set());
  return before;
}
