import { endOfStub, recordedTry, stubAt, USUAL_FAILURE } from '../../plan/agents/recorded-answers.js';
import type { Recorded, RecordedEnd, StubEnd } from '../../plan/agents/recorded-answers.js';
import type { FailureType } from '../../plan/failure.js';
import type { Json } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import type { StepCall, StepOutput } from '../contract.js';
import { stepFailure } from '../failures.js';

/**
 * How a step that acts ended when it was recorded, or ends by its stub, for a run that is a test of that (`perdure
 * test`); null where it is to act, or to have the stand-in of any rehearsal. Fails where others are recorded and this
 * one is not: it may do what nobody looked at. `held` is what the step makes of what it has got, as of what is real.
 */
export async function recordedEnd(
  store: Pick<Store, 'readRecorded' | 'put'>,
  { root, path, try: tried }: Pick<StepCall, 'root' | 'path' | 'try'>,
  kind: Kind,
  held: (output: Json) => Json = (output) => output,
): Promise<StepOutput | null> {
  const recorded = await store.readRecorded(root.run);
  const end = recorded === null ? null : endIn(recorded, { path, tried }, kind);
  if (end === null || 'real' in end) return null;
  if ('failed' in end) throw stepFailure(end.failure ?? USUAL_FAILURE[kind], end.failed);
  const output = await store.put(held(end.output));
  return { output, spend: { usd: 0, tokens: 0, steps: 1 }, note: 'recorded', reused: false };
}

type End = Exclude<StubEnd, { rounds: StubEnd[] }>;

type Kind = Exclude<keyof typeof USUAL_FAILURE, 'agent'>;

function endIn(recorded: Recorded, { path, tried }: { path: string; tried: number }, kind: Kind): End | null {
  const ends = kind === 'command' ? recorded.commands : kind === 'tool' ? undefined : recorded.devices;
  const known = recordedTry(ends ?? [], path, tried);
  if (known !== null) return endOf(known);
  const { stubs } = recorded;
  const stub = stubs === undefined ? null : stubAt(stubs, path);
  if (stub !== null) return endOfStub(stub, path);
  if (stubs !== undefined && recorded.stand_ins === undefined) throw noStub(path);
  // What toolchains make is recorded only where commands are.
  if (ends === undefined || kind === 'compile') return null;
  const what = kind === 'command' ? 'for the command' : 'for';
  throw stepFailure('request-refused', `No result is recorded ${what} \`${path}\`: it is not run.`);
}

function endOf({
  output = null,
  failed,
  failure,
}: RecordedEnd): { output: Json } | { failed: string; failure?: FailureType } {
  return failed === undefined ? { output } : { failed, ...(failure === undefined ? {} : { failure }) };
}

/** The failure of a step in a test with stubs, none of which is for it. */
export function noStub(path: string): Error {
  return stepFailure('request-refused', `There is no stub for \`${path}\`.`);
}
