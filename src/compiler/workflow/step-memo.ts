import type { Expression, Template } from '../../plan/values/expression.js';
import type { Step } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import type { WrittenReference } from '../expressions/parse-expression.js';
import type { Names } from '../expressions/scope.js';
import { renumberUses } from '../expressions/references.js';
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
  /** Whether it took inputs from the caller: names say whether it can. */
  hoists: boolean;
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
}

/**
 * A memo for one file. `report` and `record` are the compiler's own: they see also what is found in agents, tools and
 * nested workflows, which have not changed as long as the memo is used.
 */
export function createStepMemo(file: string, { report, record }: { report: Report; record: RecordFindings }): StepMemo {
  const named: Named = { names: null, count: 0 };
  /** By what every agent is shown: where inputs are not used, a workflow is compiled twice. */
  const memos = new Map<string, WeakMap<ReadStep, Compiled>>();

  return {
    isOf: (other) => other === file,
    of(names, context) {
      if (named.names === null || !areSame(named.names, names)) named.count += 1;
      if (named.names?.mode !== names.mode) memos.clear();
      named.names = names;
      const shown = context.shown.join(' ');
      const memo = memos.get(shown) ?? new WeakMap<ReadStep, Compiled>();
      memos.set(shown, memo);
      const standing = { names, count: named.count, file };

      return (read, index, compile) => {
        const known = memo.get(read);
        const here = { ...standing, index, isOrdinary: index < names.ordinary };
        if (known === undefined || !holds(known, here)) {
          const compiled = compileRecorded(compile, context, here);
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
    { count, index, isOrdinary }: Standing,
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
    return { step, index, isOrdinary, names: count, references, findings, own, given, hoists };
  }
}

/** Where a step stands now. */
interface Standing {
  names: Names;
  count: number;
  index: number;
  isOrdinary: boolean;
  file: string;
}

/**
 * Tells whether a compiled step is what its text comes to where it stands now. Where only the numbers of steps have
 * changed, of which it refers to some, they are put right in it.
 */
function holds(compiled: Compiled, standing: Standing): boolean {
  if (compiled.isOrdinary !== standing.isOrdinary) return false;
  if (compiled.names === standing.count && compiled.index === standing.index) return true;
  const { step } = compiled;
  const renumbered = step === null || !isMovable(step, compiled, standing.file) ? null : renumber(compiled, standing);
  if (step === null || renumbered === null) return false;
  if (renumbered.length > 0) renumberUses(step, new Map(renumbered.map(([{ root: before }, root]) => [before, root])));
  for (const [expression, root] of renumbered) expression.root = root;
  step.index = standing.index;
  compiled.index = standing.index;
  compiled.names = standing.count;
  return true;
}

/**
 * What was found in this file may name steps; what has steps inside stands around their names; gates keep numbers of
 * steps.
 */
function isMovable(step: Step, { findings, hoists }: Compiled, file: string): boolean {
  return (
    !hoists && !isBlockStep(step) && !GATES.has(step.kind) && !findings.some(({ at }) => at.source.absolute === file)
  );
}

type Reference = Expression & { kind: 'reference' };

/** The references that have other roots where the step stands now; null where one means anything else. */
function renumber({ references }: Compiled, { names, index }: Standing): [Reference, string][] | null {
  let isSound = true;
  const resolve = createScope(names, index, () => (isSound = false));
  const renumbered: [Reference, string][] = [];
  for (const { reference, place, expression } of references) {
    const now = resolve(reference, place);
    if (!isSound || expression?.kind !== 'reference' || now?.kind !== 'reference') return null;
    if (now.path.length !== expression.path.length || now.path.some((part, at) => part !== expression.path[at]))
      return null;
    if (now.root !== expression.root) renumbered.push([expression, now.root]);
  }
  return renumbered;
}

const GATES = new Set<Step['kind']>(['approval', 'ask', 'plan']);

function areSame(a: Names, b: Names): boolean {
  return (
    a.mode === b.mode &&
    a.steps === b.steps &&
    a.ordinary === b.ordinary &&
    sameEntries(a.ids, b.ids) &&
    sameEntries(a.outputs, b.outputs) &&
    sameEntries(a.hidden, b.hidden) &&
    JSON.stringify([...a.groups]) === JSON.stringify([...b.groups]) &&
    JSON.stringify([...a.inputs]) === JSON.stringify([...b.inputs])
  );
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
