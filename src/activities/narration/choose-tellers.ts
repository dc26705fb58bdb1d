import type { ModelChoice } from '../../plan/agents/model-choice.js';
import type { Teller } from '../../plan/narration/record.js';
import type { ChooseModels } from '../models/choice/choose.js';
import { chooseModel } from '../models/choice/choose.js';

/** Which model each asks; null where templates or the curriculum are all there is. */
export type Tellers = Record<Teller, ModelChoice | null>;

/**
 * The models of narrator and teacher. A model of this machine answers one question at a time, and the run may be
 * waiting for it: it is asked only where `NARRATOR_MODEL` names it.
 */
export async function chooseTellers(from: Pick<ChooseModels, 'options' | 'providers' | 'env'>): Promise<Tellers> {
  const named = from.env['NARRATOR_MODEL'] || null;
  const [narrator, teacher] = await Promise.all([chooseModel(named ?? 'haiku', from), chooseModel('sonnet', from)]);
  return {
    narrator: narrator?.provider === 'ollama' && named === null ? null : narrator,
    teacher: teacher?.provider === 'ollama' ? null : teacher,
  };
}
