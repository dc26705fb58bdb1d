import type { Expression, Template } from '../../plan/values/expression.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { WrittenReference } from '../expressions/parse-expression.js';
import type { Names } from '../expressions/scope.js';
import type { MovedReference } from '../expressions/references.js';
import { moveUses } from '../expressions/references.js';
import { createScope } from '../expressions/scope.js';
import type { ReadStep } from '../formats/read-step.js';
import type { Finding, Place, RecordFindings, Report } from '../problems/problem.js';
import type { BlockContext, StepMemo } from './block.js';

/** A step as it was compiled, with all that it depends on but its own text. */
interface Compiled {
  step: Step | null;
  index: number;
  isOrdinary: boolean;
  /** Which names there were, as `Named` counts them. */
  names: number;
  /** What each reference came to, in the order in which they were asked for. */
  references: Looked[];
  /** What was found, and what of it the workflow itself told. */
  findings: readonly Finding[];
  own: ReadonlySet<Finding>;
  /** What it gave to the workflow, to be given again. */
  given: ((context: BlockContext) => void)[];
  /** Whether it is the same under other numbers of steps, but for those that it refers to. */
  isMovable: boolean;
}

interface Looked {
  names: Names;
  at: number | null;
  reference: WrittenReference;
  place: Place;
  expression: Expression | null;
}

/** The names of the text before, and how often they have changed. */
interface Named {
  names: Names | null;
  count: number;
  /** Ids that are new, gone or of another step since the last change; null where more than ids has changed. */
  changed: ReadonlySet<string> | null;
}

/**
 * A memo for one file. `report` and `record` are the compiler's own: they see also what is found in agents, tools and
 * nested workflows, which have not changed as long as the memo is used.
 */
export function createStepMemo(file: string, { report, record }: { report: Report; record: RecordFindings }): StepMemo {
  const named: Named = { names: null, count: 0, changed: null };
  /** By what every agent is shown: where inputs are not used, a workflow is compiled twice. */
  const memos = new Map<string, WeakMap<ReadStep, Compiled>>();

  return {
    isOf: (other) => other === file,
    of(names, context) {
      const changed = named.names === null ? null : changedIds(named.names, names);
      if (changed?.size !== 0) Object.assign(named, { count: named.count + 1, changed });
      if (named.names?.mode !== names.mode) memos.clear();
      named.names = names;
      const shown = context.shown.join(' ');
      const memo = memos.get(shown) ?? new WeakMap<ReadStep, Compiled>();
      memos.set(shown, memo);
      const standing = { names, count: named.count, changed: named.changed };

      return (read, index, compile) => {
        const known = memo.get(read);
        if (known === undefined || !holds(known, standing, index)) {
          const compiled = compileRecorded(compile, context, standing, index);
          memo.set(read, compiled);
          return compiled.step;
        }
        for (const give of known.given) give(context);
        for (const finding of known.findings) (known.own.has(finding) ? context.report : report)(finding);
        return known.step;
      };
    },
  };

  function compileRecorded(
    compile: (context: BlockContext) => Step | null,
    context: BlockContext,
    { count, names: { ordinary } }: Standing,
    index: number,
  ): Compiled {
    const references: Looked[] = [];
    const own = new Set<Finding>();
    const given: Compiled['given'] = [];
    let hoists = false;
    const { value: step, findings } = record(() =>
      compile({
        ...context,
        report(finding) {
          own.add(finding);
          context.report(finding);
        },
        scope(names, at, told) {
          const resolve = createScope(names, at, told);
          return (reference, place) => {
            const expression = resolve(reference, place);
            references.push({ names, at, reference, place, expression });
            return expression;
          };
        },
        keepAgents(agents) {
          context.keepAgents(agents);
          given.push((later) => later.keepAgents(agents));
        },
        keepNested(plan) {
          context.keepNested(plan);
          given.push((later) => later.keepNested(plan));
        },
        hoist(wanted, from): Template | null {
          hoists = true;
          given.push((later) => void later.hoist(wanted, from));
          return context.hoist(wanted, from);
        },
      }),
    );
    const isMovable = !hoists && step !== null && canMove(step, findings, file);
    return { step, index, isOrdinary: index < ordinary, names: count, references, findings, own, given, isMovable };
  }
}

/** Where steps stand now. */
interface Standing extends Pick<Named, 'count' | 'changed'> {
  names: Names;
}

/**
 * Tells whether a compiled step is what its text comes to where it stands now. Where only the numbers of steps have
 * changed, of which it refers to some, they are put right in it.
 */
function holds(compiled: Compiled, standing: Standing, index: number): boolean {
  const { names, count } = standing;
  if (compiled.isOrdinary !== index < names.ordinary) return false;
  if (compiled.names === count && compiled.index === index) return true;
  const { step, isMovable, references } = compiled;
  if (step === null || !isMovable) return false;
  const moved = isUntouched(compiled, standing, index) ? [] : findMoved(references, names, index);
  if (moved === null) return false;
  if (moved.length > 0) moveUses(step, moved);
  for (const { expression, root } of moved) expression.root = root;
  step.index = index;
  compiled.index = index;
  compiled.names = count;
  return true;
}

/** Tells whether no reference of a step can mean anything else: it stands where it stood, and names no changed id. */
function isUntouched({ names, index, references }: Compiled, { count, changed }: Standing, now: number): boolean {
  if (references.length === 0) return true;
  if (index !== now || names !== count - 1 || changed === null) return false;
  return !references.some(({ reference: { path } }) => path.some((part) => changed.has(String(part))));
}

/**
 * What was found in this file may name steps; what has steps inside stands around their names; gates keep numbers of
 * steps.
 */
function canMove(step: Step, findings: readonly Finding[], file: string): boolean {
  return !isBlockStep(step) && !GATES.has(step.kind) && !findings.some(({ at }) => at.source.absolute === file);
}

/** The references that have other roots where the step stands now; null where one means anything else. */
function findMoved(references: readonly Looked[], names: Names, index: number): MovedReference[] | null {
  let isSound = true;
  const resolve = createScope(names, index, () => (isSound = false));
  const moved: MovedReference[] = [];
  for (const { reference, place, expression } of references) {
    const now = resolve(reference, place);
    if (!isSound || expression?.kind !== 'reference' || now?.kind !== 'reference') return null;
    if (now.path.length !== expression.path.length || now.path.some((part, at) => part !== expression.path[at]))
      return null;
    if (now.root !== expression.root) moved.push({ expression, root: now.root });
  }
  return moved;
}

const GATES = new Set<Step['kind']>(['approval', 'ask', 'plan']);

/** The ids by which two texts differ: none where they have the same names, null where other names differ too. */
function changedIds(a: Names, b: Names): ReadonlySet<string> | null {
  const isSameElse =
    a.mode === b.mode &&
    a.steps === b.steps &&
    a.ordinary === b.ordinary &&
    sameEntries(a.outputs, b.outputs) &&
    sameEntries(a.hidden, b.hidden) &&
    JSON.stringify([...a.groups]) === JSON.stringify([...b.groups]) &&
    JSON.stringify([...a.inputs]) === JSON.stringify([...b.inputs]);
  if (!isSameElse) return null;
  const changed = new Set<string>();
  for (const [id, index] of a.ids) if (b.ids.get(id) !== index) changed.add(id);
  for (const id of b.ids.keys()) if (!a.ids.has(id)) changed.add(id);
  return changed;
}

/** Also in the same order: of names that are near, the first is proposed. */
function sameEntries(a: Map<string, number>, b: Map<string, number>): boolean {
  if (a.size !== b.size) return false;
  const others = b.entries();
  for (const [name, index] of a) {
    const [other, at] = others.next().value ?? [];
    if (name !== other || index !== at) return false;
  }
  return true;
}
