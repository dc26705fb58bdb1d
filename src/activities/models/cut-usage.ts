import { ApplicationFailure } from '@temporalio/common';
import type { Usage } from './protocol/provider.js';
import { believedUsage, tokensIn } from './believed-usage.js';
import { wasSent } from './model-failures.js';
import { NO_USAGE } from './protocol/provider.js';

/** How far a call has come. */
export interface CallSoFar {
  /** It was on its way to the provider. */
  isSent: boolean;
  /** The provider has taken it. */
  isAccepted: boolean;
  /** What the provider has counted so far, as a total; null where it has not said. */
  told: Usage | null;
  /** Bytes of what it has said. */
  said: number;
}

export function nothingSoFar(): CallSoFar {
  return { isSent: false, isAccepted: false, told: null, said: 0 };
}

/**
 * What a call is paid for that came to no whole answer: what the provider told before, and where it told nothing what
 * was asked, by bytes, rather too high. What it has said counts, too: providers count that at an answer's end. Null
 * where nothing was taken: it was refused, or nobody was reached. `asked` measures the question.
 */
export function cutUsage(
  { isSent, isAccepted, told, said }: CallSoFar,
  error: unknown,
  asked: () => number,
): Usage | null {
  const isCut = error instanceof ApplicationFailure ? wasSent(error) : isSent;
  if (told === null && !isAccepted && !isCut) return null;
  const usage = believedUsage({ text: '', stop: 'end', usage: told ?? NO_USAGE }, asked);
  return { ...usage, output: Math.max(usage.output, tokensIn(said)) };
}
