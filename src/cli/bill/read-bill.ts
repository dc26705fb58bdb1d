import type { PastRun } from '../../compiler/forecast/past.js';
import type { OpenGate, RunView } from '../observe/view/view.js';
import type { Session } from '../session.js';
import type { GateBill } from './gate-bill.js';
import { billOf } from './gate-bill.js';

/** Where what a bill is made from comes from. */
interface Sources {
  session: Pick<Session, 'store' | 'config'>;
  env: Record<string, string | undefined>;
  past: readonly PastRun[];
}

/** The bill of an open gate of a root run, whose Plan is read: that of a run made while another one ran is its own. */
export async function readBill(view: RunView, open: OpenGate, { session, env, past }: Sources): Promise<GateBill> {
  const { store, config } = session;
  return billOf(view, open, { plan: await store.getPlan(view.plan), config, env, past });
}
