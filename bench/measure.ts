/** Numbers of one side over all rounds. */
export interface Spread {
  median: number;
  /** Quartiles: half of the rounds lie between them. */
  low: number;
  high: number;
  rounds: number;
}

/** What a row found. `theirs` and `ratio` are null where there is nothing to compare with. */
export interface Measured {
  ours: Spread;
  theirs: Spread | null;
  /** Of each round's ours ÷ theirs. */
  ratio: Spread | null;
  /** What the numbers do not say by themselves. */
  note?: string;
}

/** A pair measured: each round runs both sides, so whatever else the machine does meets both. */
export interface PairResult extends Measured {
  theirs: Spread;
  ratio: Spread;
}

/** One measurement, in a round that is counted from 0; the number is in the row's unit. */
export type Measurement = (round: number) => Promise<number>;

/**
 * Runs both sides in turns, who goes first alternating. The first round warms up and is not counted, unless
 * `warmUp` is false: where each measurement starts from nothing, or counts what does not vary.
 */
export async function measurePair(
  ours: Measurement,
  theirs: Measurement,
  rounds: number,
  warmUp = true,
): Promise<PairResult> {
  const sides: [number, number][] = [];
  for (let round = warmUp ? -1 : 0; round < rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = await (oursFirst ? ours : theirs)(round);
    const second = await (oursFirst ? theirs : ours)(round);
    if (round >= 0) sides.push(oursFirst ? [first, second] : [second, first]);
  }
  return pairOf(sides);
}

/**
 * As `measurePair`, with several workers a side in turn, each of which is warmed up by so many rounds: two workers of
 * one build differ by 8 % from one start to the next, and that is not what a row is about. Each meets all of the other
 * side's, as far as the rounds go.
 */
export async function measureInTurn<Pair>(
  pairs: readonly [Pair, ...Pair[]],
  ours: (pair: Pair) => Promise<number>,
  theirs: (pair: Pair) => Promise<number>,
  { rounds, warmUps = 1 }: { rounds: number; warmUps?: number },
): Promise<PairResult> {
  for (const pair of Array.from({ length: warmUps }, () => pairs).flat()) {
    await ours(pair);
    await theirs(pair);
  }
  const pairAt = (turn: number): Pair => pairs[turn % pairs.length] ?? pairs[0];
  return measurePair(
    (round) => ours(pairAt(round)),
    (round) => theirs(pairAt(round + Math.floor(round / pairs.length))),
    rounds,
    false,
  );
}

/** Medians and quartiles of rounds, each [ours, theirs]. */
export function pairOf(rounds: [number, number][]): PairResult {
  return {
    ours: spreadOf(rounds.map(([mine]) => mine)),
    theirs: spreadOf(rounds.map(([, other]) => other)),
    ratio: spreadOf(rounds.map(([mine, other]) => mine / other)),
  };
}

/** Median and quartiles. Throws on an empty list. */
export function spreadOf(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return {
    median: quantile(sorted, 0.5),
    low: quantile(sorted, 0.25),
    high: quantile(sorted, 0.75),
    rounds: sorted.length,
  };
}

function quantile(sorted: number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)];
  const above = sorted[Math.ceil(position)];
  if (below === undefined || above === undefined) throw new Error('Expected at least one value, got none');
  return below + (above - below) * (position - Math.floor(position));
}

/** Milliseconds that something takes. */
export async function milliseconds(act: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await act();
  return performance.now() - started;
}

/** Runs a second where so many are started at once. */
export async function runsPerSecond(runs: number, run: () => Promise<unknown>): Promise<number> {
  return runs / ((await milliseconds(() => Promise.all(Array.from({ length: runs }, run)))) / 1000);
}
