import type { Plan, PlanBody } from '../plan/plan.js';
import { joinPath, segmentOf } from '../plan/plan.js';
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
      const nested = step.kind === 'workflow' ? plan.nested[step.plan] : undefined;
      if (step.kind === 'workflow' && nested !== undefined) {
        const below = pathsIn(nested);
        for (const [parameter, template] of Object.entries(step.inputs)) {
          for (const name of inputsOf([template])) for (const path of below.get(parameter) ?? ['']) add(name, path === '' ? segmentOf(step) : joinPath(segmentOf(step), path));
        }
        for (const name of inputsOf([], [step.when])) add(name, segmentOf(step));
      } else for (const name of inputsOf(templatesOf(step), [step.when])) add(name, segmentOf(step));
    }
    return paths;
  };

  return Object.fromEntries(pathsIn(plan));
}

function inputsOf(...uses: Parameters<typeof usesOf>): string[] {
  return usesOf(...uses).flatMap(({ root }) => {
    const target = targetOf(root);
    return target.kind === 'input' ? [target.name] : [];
  });
}
