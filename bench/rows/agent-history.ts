import { AGENT_TURNS } from '../answers.js';
import { reader } from '../definitions.js';
import { pairOf } from '../measure.js';
import type { Row } from '../row.js';
import { sizeOf } from './history-size.js';

/** A transcript that grows to a megabyte: ours is a chain of stored messages, of which history has the hashes (I7). */
export const agentHistory: Row = {
  name: 'agent-history',
  workload: `history bytes of an agent with ${AGENT_TURNS} turns, 20 KB read in each`,
  against: 'passing messages through activities',
  unit: 'bytes',
  target: { atMost: 0.05 },
  // The same every time: sizes do not vary.
  rounds: 1,
  async measure({ ours, byHand, folder }) {
    const mine = await ours.run(await ours.compile(reader()));
    const other = await byHand.run('agent', ['Read it all.', folder]);
    return pairOf([[await sizeOf(mine, 'bytes'), await sizeOf(other, 'bytes')]]);
  },
};
