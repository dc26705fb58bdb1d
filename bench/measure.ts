/** Numbers of one side over all rounds. */
export interface Spread {
  median: number;
  /** Quartiles: half of the rounds lie between them. */
  low: number;
  high: number;
  rounds: number;
}

/** A pair measured: each round runs both sides, so whatever else the machine does meets both. */
export interface PairResult {
  ours: Spread;
  theirs: Spread;
  /** Of each round's ours ÷ theirs. */
  ratio: Spread;
}

/** One measurement; the number is in the row's unit. */
export type Measurement = () => Promise<number>;

/** Runs both sides in turns, who goes first alternating; the first round warms up and is not counted. */
export async function measurePair(ours: Measurement, theirs: Measurement, rounds: number): Promise<PairResult> {
  const sides: [number, number][] = [];
  for (let round = 0; round <= rounds; round++) {
    const oursFirst = round % 2 === 0;
    const first = await (oursFirst ? ours : theirs)();
    const second = await (oursFirst ? theirs : ours)();
    if (round > 0) sides.push(oursFirst ? [first, second] : [second, first]);
  }
  return {
    ours: spreadOf(sides.map(([mine]) => mine)),
    theirs: spreadOf(sides.map(([, other]) => other)),
    ratio: spreadOf(sides.map(([mine, other]) => mine / other)),
  };
}

/** Median and quartiles. Throws on an empty list. */
export function spreadOf(values: number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  return { median: quantile(sorted, 0.5), low: quantile(sorted, 0.25), high: quantile(sorted, 0.75), rounds: sorted.length };
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
