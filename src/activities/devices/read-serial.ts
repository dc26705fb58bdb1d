import { ACCESS_BYTES } from '../../plan/calls/store-questions.js';
import type { SerialStep } from '../../plan/step.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import { recordedEnd } from '../attempt/recorded-end.js';
import type { Activities, DeviceCall, StepOutput } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { createHomeStore } from '../far-store/home-store.js';
import { writeDown } from '../attempt/left-to-write.js';
import { endWithin } from './end-within.js';
import { loadDevice, portSetting } from './load-device.js';
import { renderText } from '../values/template-scope.js';
import { withPort } from './port/open-port.js';
import type { Heard } from './read-line.js';
import { listen } from './read-line.js';

/**
 * What is kept must fit a question to the run's store, which a host elsewhere sends it in; the rest is for the question
 * itself.
 */
const KEPT_BYTES = ACCESS_BYTES - 1024;

/** Listens on a device's serial line, and sends what is to be sent. Its output is what was read. */
export function createReadSerial(deps: Dependencies): Activities['readSerial'] {
  return (call) => {
    const store = createHomeStore(deps.store, call.home);
    return attempt(store, call, 'serial', (current) => read({ ...deps, store }, call, current));
  };
}

async function read(deps: Dependencies, call: DeviceCall, current: Attempt<SerialStep>): Promise<StepOutput> {
  const { step } = current;
  const recorded = call.rehearsal ? await recordedEnd(deps.store, call, 'device') : null;
  if (recorded !== null) return recorded;
  const { text, line } = call.rehearsal ? await rehearse(deps, call, step) : await hear(deps, call, current);
  const output = endWithin(step.capture === 'line' ? line : text, KEPT_BYTES);
  return writeDown(step, async () => ({
    output: await deps.store.put(output),
    spend: { usd: 0, tokens: 0, steps: 1 },
    note: `${call.rehearsal ? 'rehearsal: ' : ''}${line.slice(0, 80)}`,
    reused: false,
  }));
}

async function hear(deps: Dependencies, call: DeviceCall, { step, signal, log }: Attempt<SerialStep>): Promise<Heard> {
  const { store } = deps;
  const device = await loadDevice(store, step.device);
  const [expect, write, after] = await Promise.all(
    [step.expect, step.write, step.after].map((template) => renderText(store, call, template)),
  );
  return withPort(device, portSetting(deps, call), signal, (port) =>
    listen(
      device,
      port,
      { expect: expect ?? null, write: write ?? null, after: after ?? null, timeoutMs: step.listen_ms },
      { signal, log },
    ),
  );
}

/** The definition's own answer, else what was expected. */
async function rehearse({ store }: Dependencies, call: DeviceCall, { rehearsal, expect }: SerialStep): Promise<Heard> {
  const said = (await renderText(store, call, rehearsal ?? expect)) ?? '';
  return { text: said, line: said.split('\n').at(-1) ?? '' };
}
