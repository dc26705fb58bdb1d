import type { Store } from '../../store/store.js';
import type { CommandCall, StepOutput } from '../contract.js';
import { stepFailure } from '../failures.js';

/**
 * How a command ended when it was recorded, for a run that is a test of that (`perdure test`); null where commands run.
 * Fails where others are recorded and this one is not: it may do what nobody looked at.
 */
export async function recordedCommand(
  store: Store,
  { root, path }: Pick<CommandCall, 'root' | 'path'>,
): Promise<StepOutput | null> {
  const commands = (await store.readRecorded(root.run))?.commands;
  if (commands === undefined) return null;
  const recorded = commands.find(({ step }) => step === path);
  if (recorded === undefined)
    throw stepFailure('request-refused', `No result is recorded for the command \`${path}\`: it is not run.`);
  if (recorded.failed !== undefined) throw stepFailure('command-failed', recorded.failed);
  const output = await store.put(recorded.output ?? null);
  return { output, spend: { usd: 0, tokens: 0, steps: 1 }, note: 'recorded', reused: false };
}
