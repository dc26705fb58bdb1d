import { toRunError } from '../failures.js';
import type { Json } from '../../plan/values/json.js';
import type { StoreRequest } from '../../plan/calls/store-questions.js';
import { quick } from '../activities.js';

/** One question to a store that the asker does not have (decision 11). */
export async function perdureStore(request: StoreRequest): Promise<Json> {
  try {
    return await quick.accessStore(request);
  } catch (error) {
    throw toRunError(error);
  }
}
