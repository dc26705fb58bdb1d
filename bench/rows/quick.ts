import { PAGE, READ_FIVE, FIVE_TURNS } from '../answers.js';
import type { Durability } from '../definitions.js';
import { asks, commands, quickReader, reads } from '../definitions.js';
import { measureInTurn, milliseconds } from '../measure.js';
import type { Row } from '../row.js';

export const STEPS = 20;
/** As of other rows of latency. */
export const WARM_UPS = 10;

/** What takes a moment, as both sides do it: by hand as local activities, with no journal. */
export interface QuickWork {
  name: string;
  workload: string;
  definition: (durability?: Durability) => Record<string, unknown>;
  byHand: (folder: string) => { workflow: string; args: unknown[] };
}

export const QUICK_WORK: QuickWork[] = [
  {
    name: 'commands',
    workload: `${STEPS} sequential quick commands (\`true\`), latency`,
    definition: (durability) => commands(STEPS, '5s', durability),
    byHand: () => ({ workflow: 'commandsLocally', args: [STEPS] }),
  },
  {
    name: 'reads',
    workload: `${STEPS} sequential tool steps (\`read_file\`, 20 KB), latency`,
    definition: (durability) => reads(STEPS, PAGE.path, durability),
    byHand: (folder) => ({ workflow: 'readsLocally', args: [STEPS, folder, PAGE.path] }),
  },
  {
    name: 'asks',
    workload: `${STEPS} sequential model calls with \`quick: true\`, latency`,
    definition: (durability) => asks(STEPS, durability),
    byHand: () => ({ workflow: 'asksLocally', args: [STEPS] }),
  },
  {
    name: 'turns',
    workload: `an agent of ${FIVE_TURNS} quick turns, five files of 20 KB read in each but the last, latency`,
    definition: (durability) => quickReader(READ_FIVE, durability),
    byHand: (folder) => ({ workflow: 'agentLocally', args: [READ_FIVE, folder] }),
  },
];

/** Each against local activities by hand; and one that waits for the disk after each step, as nothing by hand does. */
export const quickRows: Row[] = [
  ...QUICK_WORK.map((work) => byHandRow(work)),
  ...QUICK_WORK.slice(0, 1).map((work) => byHandRow(work, 'synced')),
];

function byHandRow({ name, workload, definition, byHand }: QuickWork, durability?: Durability): Row {
  const synced = durability === undefined ? '' : ' with `durability: synced`';
  return {
    name: `quick-${name}${durability === undefined ? '' : '-synced'}-by-hand`,
    workload: `${workload}${synced}`,
    against: 'local activities by hand, without a journal',
    unit: 'ms',
    target: null,
    rounds: 15,
    async measure({ ours, pairs, folder }, rounds) {
      const plan = await ours.compile(definition(durability));
      const { workflow, args } = byHand(folder);
      return measureInTurn(
        pairs,
        (pair) => milliseconds(() => pair.ours.run(plan)),
        (pair) => milliseconds(() => pair.byHand.run(workflow, args)),
        { rounds, warmUps: WARM_UPS },
      );
    },
  };
}
