import { render } from '../plan/evaluate.js';
import { canonicalJson, toText } from '../plan/json.js';
import { sha256 } from '../store/hash.js';
import type { Activities } from './contract.js';
import type { Dependencies } from './dependencies.js';
import { loadStep } from './load-step.js';
import { createScope } from './rendering.js';

/**
 * Renders what an approval shows. Its hash is the SHA-256 of the canonical JSON of `{message, content}` with the
 * content itself, stored or not, so that a person approves exactly what was shown (decision 4).
 */
export function createRenderGate({ store }: Dependencies): Activities['renderGate'] {
  return async (call) => {
    if (call.question !== undefined) return { message: call.question, content: null, hash: sha256(canonicalJson({ message: call.question, content: null })) };
    const { step } = await loadStep(store, call, 'approval');
    const scope = await createScope(store, call.environment, step.content === null ? [step.message] : [step.message, step.content]);
    const message = toText(render(step.message, scope));
    const content = step.content === null ? null : render(step.content, scope);
    return { message, content: step.content === null ? null : await store.put(content), hash: sha256(canonicalJson({ message, content })) };
  };
}
