import type { Plan, PlanBody } from '../../plan/plan.js';
import type { KnownTexts } from '../../plan/references/title.js';
import { titleOf, titleTexts } from '../../plan/references/title.js';
import { everyStep } from '../../plan/step.js';
import type { Step } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import type { StepView } from './view/view.js';

/** Of a Plan of thousands of steps nobody reads more. */
const MOST = 200;

/** The stored texts that titles of a body's steps begin with; those that the store lacks are left out. */
export async function readTitleTexts(
  { steps }: Pick<PlanBody, 'steps'>,
  agents: Plan['agents'],
  store: Pick<Store, 'get'>,
): Promise<KnownTexts> {
  const names = [...new Set(titleTexts(everyStep({ steps }), agents))].slice(0, MOST);
  const read = await Promise.all(names.map((name): Promise<[Hash, string][]> => readText(name, store)));
  return new Map(read.flat());
}

/** A step's title as a part of its view. */
export function titled(step: Step, agents: Plan['agents'], known: KnownTexts): Pick<StepView, 'title'> {
  const title = titleOf(step, agents, known);
  return title === null ? {} : { title };
}

async function readText(name: Hash, store: Pick<Store, 'get'>): Promise<[Hash, string][]> {
  try {
    const text = await store.get(name);
    return typeof text === 'string' ? [[name, text]] : [];
  } catch {
    return []; // what is shown of a run does not depend on it
  }
}
