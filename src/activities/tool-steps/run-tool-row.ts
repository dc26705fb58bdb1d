import { Context } from '@temporalio/activity';
import type { ShortCall } from '../../plan/calls/short-call.js';
import type { ShortOutput, Withheld } from '../contract.js';
import type { ToolRow, ToolStepCall } from '../../plan/calls/tool-step-call.js';

/** A workflow task waits for a row, and hears nothing meanwhile: no call is begun later than this. */
const ROW_MS = 250;

/**
 * Makes the calls of several steps one after another; each has its own place in the journal and in the log, as if it
 * had been made by itself. The row ends before the first that does not succeed or is withheld: its step makes that call
 * by itself, which tells what is the matter. Only where it is the head of the row its failure is thrown; a cancellation
 * always. `now` tells milliseconds.
 */
export function createRunToolRow(
  runTool: (call: ShortCall<ToolStepCall>) => Promise<ShortOutput | Withheld>,
  now: () => number = () => performance.now(),
): (row: ToolRow) => Promise<ShortOutput[]> {
  return async ({ calls }) => {
    const { cancellationSignal: cancelled } = Context.current();
    const outputs: ShortOutput[] = [];
    const begun = now();
    for (const call of calls) {
      const started = now();
      if (outputs.length > 0 && (cancelled.aborted || started - begun > ROW_MS)) break;
      try {
        const came = await runTool(call);
        if ('withheld' in came) break;
        outputs.push({ ...came, duration_ms: Math.round(now() - started) });
      } catch (error) {
        if (outputs.length === 0 || cancelled.aborted) throw error;
        break;
      }
    }
    return outputs;
  };
}
