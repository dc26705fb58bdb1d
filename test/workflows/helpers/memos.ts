import { defaultPayloadConverter } from '@temporalio/common';
import type { RunHandle } from './harness.js';

/** All that stood in a run's memo under a key, in order: also what was there for a moment only. */
export async function memosOf(handle: RunHandle, key: string): Promise<unknown[]> {
  const { events } = await handle.fetchHistory();
  return (events ?? []).flatMap(({ workflowPropertiesModifiedEventAttributes: changed }) => {
    const payload = changed?.upsertedMemo?.fields?.[key];
    return payload == null ? [] : [defaultPayloadConverter.fromPayload<unknown>(payload)];
  });
}
