import { PAGE, READ_FIVE } from '../answers.js';
import type { Durability } from '../definitions.js';
import { measureInTurn, milliseconds } from '../measure.js';
import type { PeerName } from '../peer.js';
import type { Row } from '../row.js';
import type { QuickWork } from './quick.js';
import { QUICK_WORK, STEPS, WARM_UPS } from './quick.js';

/** Ours waits for the disk where the peer does. */
const PEERS: { name: PeerName; title: string; durability?: Durability }[] = [
  { name: 'restate', title: 'Restate, whose log syncs', durability: 'synced' },
  { name: 'dbos', title: 'DBOS over PostgreSQL, which syncs', durability: 'synced' },
  { name: 'langgraph', title: 'LangGraph over SQLite, which does not sync' },
];

/** The same work by the nearest systems, on the same machine at the same time. */
export const peerRows: Row[] = PEERS.flatMap((peer) => QUICK_WORK.map((work) => peerRow(peer, work)));

function peerRow({ name, title, durability }: (typeof PEERS)[number], work: QuickWork): Row {
  return {
    name: `${name}-${work.name}`,
    workload: work.workload + (durability === undefined ? '' : ' with `durability: synced`'),
    against: title,
    unit: 'ms',
    target: targetOf(name, work),
    rounds: 10,
    async measure({ ours, pairs, folder, startPeer }, rounds) {
      const plan = await ours.compile(work.definition(durability));
      const job = { work: work.name, steps: STEPS, folder, path: PAGE.path, prompt: READ_FIVE };
      const peer = await startPeer(name);
      try {
        return await measureInTurn(
          pairs,
          (pair) => milliseconds(() => pair.ours.run(plan)),
          () => milliseconds(() => peer.run(job)),
          { rounds, warmUps: WARM_UPS },
        );
      } finally {
        await peer.end();
      }
    },
  };
}

function targetOf(peer: PeerName, { name }: QuickWork): Row['target'] {
  if (name === 'commands' || name === 'reads') return { atMost: 1.2 };
  return name === 'asks' && peer === 'restate' ? { atMost: 2 } : null;
}
