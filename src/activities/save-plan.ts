import type { Activities } from './contract.js';
import type { Dependencies } from './dependencies.js';

/** Stores a Plan that came inline; one whose content has another hash than it claims is refused (I2). */
export function createSavePlan({ store }: Dependencies): Activities['savePlan'] {
  return (plan) => store.putPlan(plan);
}
