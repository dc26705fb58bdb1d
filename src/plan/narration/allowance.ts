import type { Spend } from '../budget/spend.js';
import { addSpend, NO_SPEND } from '../budget/spend.js';
import type { NarrationLine, Teller, Use } from './record.js';

/** What each may use for one run. */
export type Allowances = Record<Teller, Use>;

/** Allowances where `perdure.yml` says nothing. They are no part of a run's own budget. */
export const ALLOWANCES: Allowances = {
  narrator: { usd: 0.1, tokens: 60_000 },
  teacher: { usd: 0.1, tokens: 20_000 },
};

/** Tells whether a call that may use `most` fits what is left of a teller's allowance `of` a run. */
export function isAllowed(by: Teller, lines: NarrationLine[], most: Use, of: Allowances): boolean {
  const used = usedBy(by, lines);
  const { usd, tokens } = of[by];
  return used.usd + most.usd <= usd && used.tokens + most.tokens <= tokens;
}

/** What counts against the allowance: what was used, and where nobody knows that, what a call could use at most. */
function usedBy(by: Teller, lines: NarrationLine[]): Use {
  const answers = answersOf(by, lines);
  const used: Use = { usd: 0, tokens: 0 };
  for (const line of lines) {
    if (line.kind !== 'asked' || line.by !== by) continue;
    const spend = answers.get(line.key);
    used.usd += spend?.usd ?? line.most.usd;
    used.tokens += spend?.tokens ?? line.most.tokens;
  }
  return used;
}

/** What a teller has cost: `steps` are its calls. A call that was cut off by a crash has an unknown price. */
export function spendOf(by: Teller, lines: NarrationLine[]): Spend {
  const answers = answersOf(by, lines);
  return lines.reduce<Spend>((sum, line) => {
    if (line.kind !== 'asked' || line.by !== by) return sum;
    return addSpend(sum, { ...(answers.get(line.key) ?? { usd: null, tokens: line.most.tokens }), steps: 1 });
  }, NO_SPEND);
}

function answersOf(by: Teller, lines: NarrationLine[]): Map<string, { usd: number | null; tokens: number }> {
  return new Map(
    lines.flatMap((line) => (line.kind === 'answered' && line.by === by ? [[line.key, line.spend] as const] : [])),
  );
}
