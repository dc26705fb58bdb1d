import type { Plan, PlanBody } from '../../plan/plan.js';
import { joinPath, segmentOf } from '../../plan/plan.js';
import type { Step, WorkflowStep } from '../../plan/step.js';
import { isBlockStep } from '../../plan/step.js';
import { targetOf, usesOf, usesOfStep } from '../expressions/references.js';
import type { Use } from '../expressions/references.js';

/** A name that many steps use is told by its first few. */
const MAX_PATHS = 5;

/** For each input of a Plan, the paths of the steps that need it, nested ones included: `report`, `serve/0`. */
export function inputPathsOf(plan: Plan): Record<string, string[]> {
  const known = new Map<PlanBody, Map<string, string[]>>();

  const pathsIn = (body: PlanBody): Map<string, string[]> => {
    const made = known.get(body);
    if (made !== undefined) return made;
    const paths = new Map<string, string[]>();
    known.set(body, paths);
    const add = (name: string, path: string): void => {
      const list = paths.get(name) ?? [];
      paths.set(name, list);
      if (list.length < MAX_PATHS && !list.includes(path)) list.push(path);
    };
    const visit = (step: Step, segment: string): void => {
      const below =
        step.kind === 'workflow'
          ? passed(step)
          : isBlockStep(step)
            ? []
            : inputsOf(usesOfStep(step)).map((name): [string, string] => [name, '']);
      for (const [name, path] of below) add(name, path === '' ? segment : joinPath(segment, path));
      if (isBlockStep(step))
        for (const inner of step.body.steps)
          visit(inner, step.body.single ? segment : joinPath(segment, segmentOf(inner)));
      // What a step says besides, of a body or of a nested run, is said here.
      for (const name of inputsOf(usesOfStep(step))) if (!paths.has(name)) add(name, segment);
    };
    for (const step of body.steps) visit(step, segmentOf(step));
    return paths;
  };

  /** The caller's inputs that a nested run is passed, each with the paths below that use it. */
  const passed = ({ plan: hash, inputs }: WorkflowStep): [string, string][] => {
    const nested = plan.nested[hash];
    const below = nested === undefined ? new Map<string, string[]>() : pathsIn(nested);
    return Object.entries(inputs).flatMap(([parameter, template]) =>
      inputsOf(usesOf([template])).flatMap((name) =>
        (below.get(parameter) ?? ['']).map((path): [string, string] => [name, path]),
      ),
    );
  };

  return Object.fromEntries(pathsIn(plan));
}

function inputsOf(uses: readonly Use[]): string[] {
  return uses.flatMap(({ root }) => {
    const target = targetOf(root);
    return target.kind === 'input' ? [target.name] : [];
  });
}
