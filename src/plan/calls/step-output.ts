import type { Json } from '../values/json.js';
import type { Spend } from '../budget/spend.js';
import type { ShortValue } from '../packing/short-value.js';
import { longValue, shortValue } from '../packing/short-value.js';
import type { Value } from '../values/value.js';
import { isStored } from '../values/value.js';

/** What an acting activity returns. Failures are thrown: `ApplicationFailure` whose type is a `FailureType`. */
export interface StepOutput {
  output: Value;
  spend: Spend;
  /** One line for people: `exit 0`, `1,204 tokens`. */
  note: string | null;
  reused: boolean;
  /** Of a quick step, whose history event does not name it. */
  path?: string;
  /** Of a step in a row, whose times history does not tell. */
  duration_ms?: number;
}

/** What a step has begun within a workflow task goes on. */
export interface Working {
  working: true;
}

/** A call was not made: nobody had looked at it, and it is not simply allowed; or one of several did not end. */
export interface Withheld {
  withheld: true;
}

/** `[usd, tokens]`, and steps where it is not one. */
type ShortSpend = [usd: number | null, tokens: number, steps?: number];

/** A step's output as it travels into history: what has its usual value is left out. */
export interface ShortOutput extends Omit<Partial<StepOutput>, 'spend' | 'output'> {
  /** A stored value; of a step that uses a device any other too. */
  output?: ShortValue;
  value?: Json;
  /** In full of a step that uses a device. */
  spend?: ShortSpend | Spend;
}

/** Leaves out of an output what `wholeOutput` knows. */
export function shortOutput({ output, spend, note, reused, ...others }: StepOutput): ShortOutput {
  const { usd, tokens, steps } = spend;
  return {
    ...(isStored(output) ? { output: shortValue(output) } : { value: output.value }),
    ...others,
    ...(steps !== 1 ? { spend: [usd, tokens, steps] } : usd !== 0 || tokens !== 0 ? { spend: [usd, tokens] } : {}),
    ...(note === noteOf(spend) ? {} : { note }),
    ...(reused ? { reused } : {}),
  };
}

/** The output that was shortened; that of a step that uses a device was not, and stays as it is. */
export function wholeOutput({
  value = null,
  output = { value },
  spend: said = [0, 0],
  note,
  reused = false,
  ...others
}: ShortOutput): StepOutput {
  const spend = Array.isArray(said) ? { usd: said[0], tokens: said[1], steps: said[2] ?? 1 } : said;
  return { output: longValue(output), ...others, spend, note: note === undefined ? noteOf(spend) : note, reused };
}

/** What is noted of a model call, and of nothing else. */
export function noteOf({ tokens }: Spend): string | null {
  return tokens === 0 ? null : tokensText(tokens);
}

/** `18,204 tokens`. Made by hand: `Intl` takes longer than everything else about a note. */
export function tokensText(tokens: number): string {
  return `${String(tokens).replace(/\B(?=(\d{3})+$)/g, ',')} tokens`;
}
