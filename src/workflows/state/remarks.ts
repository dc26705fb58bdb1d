import type { Conversation, Remark } from '../../plan/agents/conversation.js';
import { utf8Bytes } from '../../plan/values/json.js';

/** So many may be said in one conversation: they travel with it when the run continues as new (I12). */
const MOST_REMARKS = 20;

/** Tells why the agent at a path cannot be told anything; null where it can. */
export function remarkRefusal(conversations: ReadonlyMap<string, Conversation>, path: string): string | null {
  const state = conversations.get(path);
  if (state === undefined)
    return (
      `No agent is in a conversation at \`${path}\` now. Expected the path of a running step whose agent uses tools; ` +
      'agents without tools are asked once, and programs that play agents are not spoken to.'
    );
  return (state.remarks?.all.length ?? 0) < MOST_REMARKS
    ? null
    : `The agent at \`${path}\` has been told ${MOST_REMARKS} things already, which is the most.`;
}

/** Keeps what a person says until the agent's next turn. */
export function addRemark(conversations: ReadonlyMap<string, Conversation>, path: string, remark: Remark): void {
  const state = conversations.get(path);
  if (state === undefined) return;
  state.remarks = { told: 0, ...state.remarks, all: [...(state.remarks?.all ?? []), remark] };
}

/** What a turn tells the model of it: fixed when the turn is first asked for, whatever is said afterwards. */
export function remarksFor({ remarks }: Conversation, turn: number): Remark[] {
  if (remarks === undefined) return [];
  if (remarks.telling?.turn !== turn) remarks.telling = { turn, told: remarks.all.length };
  return remarks.all.slice(remarks.told, remarks.telling.told);
}

/** Notes that the model has been told what its turn was to tell. */
export function remarksTold({ remarks }: Conversation): void {
  if (remarks?.telling === undefined) return;
  remarks.told = remarks.telling.told;
  delete remarks.telling;
}

/** How much of it the model has not been told. */
export function untold({ remarks }: Conversation): number {
  return remarks === undefined ? 0 : remarks.all.length - remarks.told;
}

/** Bytes of that: what the next request has more (I8). */
export function untoldBytes({ remarks }: Conversation): number {
  return (remarks?.all ?? []).slice(remarks?.told).reduce((sum, { text }) => sum + utf8Bytes(text), 0);
}

/** What an attempt that begins anew is to be told again: all of it. */
export function remarksAgain({ remarks }: Conversation): Pick<Conversation, 'remarks'> {
  return remarks === undefined ? {} : { remarks: { all: remarks.all, told: 0 } };
}
