import { CliError, EXIT } from '../exit-codes.js';
import type { Interrupts } from '../follow/input/interrupt.js';

/**
 * Waits for a part of a submission. Ctrl-C meanwhile ends the command, which says how things stand: nobody shall wonder
 * whether a run was started that costs money. Throws with exit code 130 then.
 */
export async function unlessInterrupted<T>(
  work: Promise<T>,
  interrupts: Interrupts,
  standing: { message: string; hint: string | null },
): Promise<T> {
  const interrupted = new Promise<never>((_, reject) => {
    interrupts.signal.addEventListener('abort', () =>
      reject(new CliError(`Interrupted. ${standing.message}`, EXIT.interrupted, standing.hint)),
    );
  });
  try {
    return await Promise.race([work, interrupted]);
  } finally {
    interrupts.close();
  }
}
