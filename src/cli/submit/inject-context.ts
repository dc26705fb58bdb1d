import type { JsonObject } from '../../plan/values/json.js';
import type { Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { Hash } from '../../plan/values/value.js';
import type { SessionHead } from '../../store/records/session-files.js';
import type { Session } from '../session.js';
import type { WantedSession } from './conversation.js';
import { openConversation } from './conversation.js';

/** A submission, as far as what its agents are told depends on it. */
export interface Submitted {
  plan: Plan;
  input: JsonObject;
  settings: RunSettings;
  session: WantedSession | null;
  /** What the run is about, in a few words: memories that fit it are told. */
  description?: string | undefined;
  /** Of a rerun: what was told the first time. What the session's history was then, it is now. */
  earlier?: Hash | undefined;
}

/** What a run asks in its session. */
export interface Question {
  session: string;
  /** What the session begins with, where the run begins it. */
  head: SessionHead | null;
  content: string;
}

/**
 * Settles what the agents of a run are told beside their prompts, and gives the run's settings with it, and what its
 * session is told once it has been started. Throws a usage error for a session that is not there, or that another
 * program began.
 */
export async function injectContext(
  { plan, input, settings, session: wanted, description, earlier }: Submitted,
  { store, project, config }: Pick<Session, 'store' | 'project' | 'config'>,
): Promise<{ settings: RunSettings; question: Question | null }> {
  const { TOLD, askedOf, storeContext } = await import('../../activities/runs/told-context.js');
  const opened =
    wanted === null
      ? null
      : await openConversation(wanted, { store, plan, settings, days: config.sessions?.expire_days, description });
  const most = {
    memories: config.memory?.inject ?? TOLD.memories,
    messages: config.sessions?.max_history ?? TOLD.messages,
  };
  const session = opened?.session ?? null;
  const told = await storeContext({ plan, input, root: project.root, session, most, description, earlier }, store);
  return {
    settings: { ...settings, ...told },
    question:
      opened === null ? null : { session: opened.session.session_id, head: opened.head, content: askedOf(input) },
  };
}
