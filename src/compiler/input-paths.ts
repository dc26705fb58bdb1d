import type { Plan, PlanBody } from '../plan/plan.js';
import { joinPath, segmentOf } from '../plan/plan.js';
import type { WorkflowStep } from '../plan/step.js';
import { targetOf, templatesOf, usesOf } from './uses.js';

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
    for (const step of body.steps) {
      const segment = segmentOf(step);
      for (const name of inputsOf([], [step.when])) add(name, segment);
      if (step.kind === 'workflow') passed(step).forEach(([name, path]) => add(name, path === '' ? segment : joinPath(segment, path)));
      else for (const name of inputsOf(templatesOf(step))) add(name, segment);
    }
    return paths;
  };

  /** The caller's inputs that a nested run is passed, each with the paths below that use it. */
  const passed = ({ plan: hash, inputs }: WorkflowStep): [string, string][] => {
    const nested = plan.nested[hash];
    const below = nested === undefined ? new Map<string, string[]>() : pathsIn(nested);
    return Object.entries(inputs).flatMap(([parameter, template]) =>
      inputsOf([template]).flatMap((name) => (below.get(parameter) ?? ['']).map((path): [string, string] => [name, path])),
    );
  };

  return Object.fromEntries(pathsIn(plan));
}

function inputsOf(...uses: Parameters<typeof usesOf>): string[] {
  return usesOf(...uses).flatMap(({ root }) => {
    const target = targetOf(root);
    return target.kind === 'input' ? [target.name] : [];
  });
}
