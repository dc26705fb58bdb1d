import type { Amounts, Limited } from '../../../src/plan/budget/amounts.js';
import { ENDLESS, NONE, RESOURCES, amounts, atMost, plus, sum } from '../../../src/plan/budget/amounts.js';
import type { Downward, Ledger, Upward } from '../../../src/plan/budget/ledger.js';
import {
  acquire,
  collect,
  giveAllBack,
  receiveFromAbove,
  receiveFromBelow,
  lend,
  openLedger,
  raise,
  settle,
} from '../../../src/plan/budget/ledger.js';
import { flow } from '../../../src/plan/budget/ledger-flow.js';

/** A step of the simulated tree: what it reserves and what it then uses. */
export interface Job {
  need: Amounts;
  used: Amounts;
}
/** A run of the simulated tree: its own limits, its steps, its nested runs. */
export interface Run {
  own: Limited;
  jobs: Job[];
  nested: Run[];
  asks: Amounts;
}

interface Node {
  run: Run;
  name: string;
  parent: Node | null;
  ledger: Ledger;
  ended: number;
  open: number;
  started: Set<number>;
  closed: boolean;
}
type Message = { to: Node; from: string; up: Upward } | { to: Node; down: Downward };

/** A tree of ledgers whose messages arrive in their order, but at any time: `pick` chooses what happens next. */
export interface Tree {
  root: Ledger;
  started: () => number;
  exhausted: { name: string; resource: string }[];
  /**
   * What all steps have used that have ended, by hand; `assumed` is what was reserved for those of which nobody knows.
   */
  used: Amounts;
  assumed: Amounts;
  /** Most slots that were in use at once. */
  mostSlots: number;
  messages: number;
}

interface Chances {
  topUps?: { resource: 'nanousd' | 'tokens' | 'steps'; by: number }[];
  /**
   * One event in so many cancels a nested run with all below it; some of what ran then tells what it has used. Absent
   * for never.
   */
  cutOneIn?: number;
}

/** Runs a tree until nothing can happen any more. Throws where cash appears or vanishes. */
export function runTree(run: Run, pick: (choices: number) => number, { topUps = [], cutOneIn }: Chances = {}): Tree {
  const nodes: Node[] = [];
  const mail: Message[] = [];
  const tree: Tree = {
    root: openLedger(ENDLESS, run.own),
    started: () => nodes.reduce((count, node) => count + node.started.size, 0),
    exhausted: [],
    used: NONE,
    assumed: NONE,
    mostSlots: 0,
    messages: 0,
  };
  const todo: (() => void)[] = [];

  const open = (child: Run, parent: Node | null, name: string): void => {
    const ledger =
      parent === null ? tree.root : openLedger(lend(parent.ledger, name, atMost(child.asks, child.own)), child.own);
    const node: Node = {
      run: child,
      name,
      parent,
      ledger,
      ended: 0,
      open: child.jobs.length + child.nested.length,
      started: new Set(),
      closed: false,
    };
    nodes.push(node);
    child.jobs.forEach((job, index) => {
      acquire(node.ledger, index, job.need);
    });
    child.nested.forEach((below, index) =>
      todo.push(() => {
        if (!node.closed) open(below, node, `${name}/${index}`);
      }),
    );
    step(node);
    close(node);
  };
  const step = (node: Node): void => {
    for (const effect of flow(node.ledger)) {
      if (effect.kind === 'start') {
        node.started.add(effect.id);
        todo.push(() => {
          if (node.closed) return; // it was cut
          const { used } = node.run.jobs[effect.id]!;
          settle(node.ledger, effect.id, used);
          tree.used = plus(tree.used, used);
          node.open -= 1;
          step(node);
          close(node);
        });
      } else if (effect.kind === 'up') mail.push({ to: node.parent!, from: node.name, up: effect.message });
      else if (effect.kind === 'down') {
        const to = nodes.find(({ name }) => name === effect.run);
        if (to !== undefined && !to.closed) mail.push({ to, down: effect.message });
      } else {
        tree.exhausted.push({ name: node.name, resource: effect.resource });
        const more = topUps.shift();
        if (more !== undefined && raise(node.ledger, more.resource, more.by)) step(node);
      }
    }
  };
  // A run ends when nothing is left to do and all that was said to it has been heard: Temporal completes none before.
  const close = (node: Node): void => {
    if (
      node.open > 0 ||
      node.closed ||
      mail.some((message) => 'down' in message && message.to === node) ||
      node.parent === null
    )
      return;
    node.closed = true;
    const { parent } = node;
    const ending = (): void => {
      if (mail.some((message) => 'up' in message && message.from === node.name)) {
        todo.push(ending);
        return;
      }
      if (parent.closed) return; // it has taken the last word before
      collect(parent.ledger, node.name, node.ledger.charged, node.ledger.assumed);
      parent.open -= 1;
      step(parent);
      close(parent);
    };
    todo.push(ending);
  };
  // What is cancelled is told down first; each run's last word is heard before it has ended.
  const cut = (node: Node): void => {
    node.closed = true;
    for (const below of nodes.filter(({ parent, ended }) => parent === node && ended === 0))
      if (node.ledger.borrowers.has(below.name)) cut(below);
    for (const [id, need] of [...node.ledger.reserved]) {
      const isTold = pick(2) === 0;
      const { used } = node.run.jobs[id]!;
      const counted = isTold ? used : { ...need, slots: 0 };
      const unknown = isTold ? NONE : counted;
      settle(node.ledger, id, counted, unknown);
      tree.used = plus(tree.used, counted);
      tree.assumed = plus(tree.assumed, unknown);
    }
    node.ledger.queue = [];
    for (let at = mail.length - 1; at >= 0; at -= 1)
      if ('down' in mail[at]! && mail[at]!.to === node) mail.splice(at, 1);
    for (const message of mail.filter((one) => 'up' in one && one.from === node.name))
      mail.splice(mail.indexOf(message), 1);
    const { parent } = node;
    if (parent === null) return;
    receiveFromBelow(parent.ledger, node.name, giveAllBack(node.ledger));
    collect(parent.ledger, node.name, node.ledger.charged, node.ledger.assumed);
    parent.open -= 1;
  };
  const deliver = (): void => {
    const ready = mail.filter(
      (message, index) => mail.findIndex((other) => lineOf(other) === lineOf(message)) === index,
    );
    const message = ready[pick(ready.length)]!;
    mail.splice(mail.indexOf(message), 1);
    tree.messages += 1;
    if ('up' in message) receiveFromBelow(message.to.ledger, message.from, message.up);
    else receiveFromAbove(message.to.ledger, message.down);
    step(message.to);
    close(message.to);
  };

  open(run, null, 'root');
  for (let turn = 0; todo.length + mail.length > 0; turn += 1) {
    if (turn > 4_000) throw new Error('the tree does not come to rest');
    const open =
      cutOneIn === undefined || pick(cutOneIn) > 0 ? [] : nodes.filter((node) => node.parent !== null && !node.closed);
    if (open.length > 0) {
      const { parent } = open[pick(open.length)]!;
      const victim = open.find((node) => node.parent === parent)!;
      cut(victim);
      step(parent!);
      close(parent!);
    } else if (mail.length > 0 && (todo.length === 0 || pick(2) === 0)) deliver();
    else todo.splice(pick(todo.length), 1)[0]!();
    nodes.forEach(conserve);
    tree.mostSlots = Math.max(
      tree.mostSlots,
      nodes.reduce((count, { ledger }) => count + sum([...ledger.reserved.values()]).slots, 0),
    );
  }
  return tree;
}

function lineOf(message: Message): string {
  return 'up' in message ? `up ${message.from}` : `down ${message.to.name}`;
}

/** drawn = cash + reserved + charged + lent, and no more than the run's own limit. */
function conserve({ name, ledger }: Node): void {
  const held = plus(
    plus(sum([...ledger.reserved.values()]), ledger.charged),
    sum([...ledger.borrowers.values()].map(({ lent }) => lent)),
  );
  const wrong = RESOURCES.find(
    (resource) =>
      ledger.cash[resource] !== null && ledger.drawn[resource] !== (ledger.cash[resource] ?? 0) + held[resource],
  );
  if (wrong !== undefined)
    throw new Error(
      `${name}: ${wrong}: drawn ${ledger.drawn[wrong]}, cash ${ledger.cash[wrong]} and ${held[wrong]} elsewhere`,
    );
  const over = RESOURCES.find((resource) => ledger.drawn[resource] > (ledger.cap[resource] ?? Infinity));
  if (over !== undefined) throw new Error(`${name}: ${over}: drew ${ledger.drawn[over]} of ${ledger.cap[over]}`);
}

export const job = (need: Partial<Amounts>, used: Partial<Amounts> = need): Job => ({
  need: { ...NONE, ...need },
  used: { ...NONE, ...used, slots: 0 },
});
export const node = (jobs: Job[], nested: Run[] = [], own: Partial<Limited> = {}): Run => ({
  own: { ...ENDLESS, ...own },
  jobs,
  nested,
  asks: amounts((resource) =>
    Math.min(resource === 'slots' ? 1 : Infinity, sum(jobs.map(({ need }) => need))[resource]),
  ),
});
