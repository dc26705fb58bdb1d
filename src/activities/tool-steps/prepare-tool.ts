import { isForAutonomy, judgeToolStep } from '../../plan/gates/autonomy.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure, toFailure, withPath } from '../failures.js';
import { gateHashOf, shownAgain } from '../values/content-hash.js';
import { loadStep } from '../values/load-step.js';
import { createToolRequest, reusedCall, shownOfStep } from './tool-request.js';

/**
 * Finds out what a tool step would do, and renders the gate at which that is allowed, where a person is to be asked.
 * Throws `tool-refused` where nobody can allow it, and `value-invalid` where the inputs do not fit the tool.
 */
export function createPrepareTool({ store }: Dependencies): Activities['prepareTool'] {
  const prepare: Activities['prepareTool'] = async (call) => {
    const { step } = await loadStep(store, call, 'tool');
    const request = await createToolRequest(store, call, step);
    const { action } = request;
    const verdict = judgeToolStep(step, call.autonomy ?? [], action);
    if (verdict.verdict === 'deny') throw stepFailure('tool-refused', `Not allowed: ${verdict.reason}`);
    if (verdict.verdict === 'allow') return { action };
    // A result that is taken over is no call, and nobody is asked about it (decision 14).
    if ((await reusedCall(store, call, step, request)).known !== null) return { action, reused: true };
    const plain = shownOfStep(step, request, call.autonomy);
    const shown = call.renewed === true ? shownAgain(plain) : plain;
    return {
      action,
      path: call.path,
      kind: 'tool',
      message: shown.message,
      content: await store.put(shown.content),
      hash: gateHashOf(shown),
      fallback: 'abort',
      fixed: true,
      ...(isForAutonomy(step.permissions, action) ? { people: true } : {}),
      since: call.since,
    };
  };
  return (call) =>
    prepare(call).catch((error: unknown) => {
      throw withPath(toFailure(error), call.path);
    });
}
