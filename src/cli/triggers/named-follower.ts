import type { Follower } from '../../plan/triggers/follow.js';
import type { Store } from '../../store/store.js';
import { usageError } from '../exit-codes.js';

/**
 * Pauses what a definition starts when runs end, for a reason, goes on with it, or removes it. Throws a usage error
 * where what should be paused or go on was removed meanwhile.
 */
export async function changeFollower(
  known: Follower,
  action: { kind: 'pause'; note: string } | { kind: 'resume' | 'remove' },
  store: Pick<Store, 'changeFollowers'>,
): Promise<void> {
  const { definition, project } = known;
  if (action.kind === 'remove') {
    await store.changeFollowers({ remove: [{ definition, project }] });
    return;
  }
  const note = action.kind === 'pause' ? action.note : null;
  const now = await store.changeFollowers({ pause: { definition, project, note } });
  if (!now.some((one) => one.definition === definition && one.project === project))
    throw usageError(`\`${definition}\` was removed meanwhile.`, '`perdure schedules list` says what is there now.');
}
