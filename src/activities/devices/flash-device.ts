import type { Device, Image } from '../../plan/devices/device.js';
import type { JsonObject } from '../../plan/values/json.js';
import type { FlashStep } from '../../plan/step.js';
import { loadValue } from '../../store/transcript.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import { recordedEnd } from '../attempt/recorded-end.js';
import type { Activities, FlashCall, StepOutput } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import type { HomeStore } from '../far-store/home-store.js';
import { createHomeStore } from '../far-store/home-store.js';
import { writeDown } from '../attempt/left-to-write.js';
import { describeImage } from './compile-image.js';
import { checkImage } from './check-image.js';
import { toImage } from './to-image.js';
import { readLastGood, writeLastGood } from './last-good.js';
import { inWorkspace, loadDevice, portSetting } from './load-device.js';
import { renderText } from '../values/template-scope.js';
import type { HeldPort } from './port/open-port.js';
import { withPort } from './port/open-port.js';
import { shownImage, stepImage } from './prepare-flash.js';
import { listen } from './read-line.js';
import type { WriteContext } from './write-image.js';
import { holdsImage, writeImage } from './write-image.js';

/**
 * Writes an image to a device: checked before the device is touched, read back and compared after, and kept as the
 * device's last good one. One process of a group of its own writes, under the port's lock; a time limit ends it.
 */
export function createFlashDevice(deps: Dependencies): Activities['flashDevice'] {
  return (call) => {
    const store = createHomeStore(deps.store, call.home);
    return attempt(store, call, 'flash', (current) => flash({ ...deps, store }, call, current));
  };
}

interface AtHome extends Dependencies {
  store: HomeStore;
}

async function flash(deps: AtHome, call: FlashCall, current: Attempt<FlashStep>): Promise<StepOutput> {
  const recorded = call.rehearsal ? await recordedEnd(deps.store, call, 'device') : null;
  if (recorded !== null) return recorded;
  const device = await loadDevice(deps.store, current.step.device);
  const image = await imageFor(deps, call, current.step, device);
  checkImage(image, device);
  if (call.rehearsal) return done(`rehearsal: ${describeImage(image)} not written`, shownImage(device, image));
  return withPort(device, portSetting(deps, call), current.signal, (port) =>
    inWorkspace(deps.store, call, (folder) => act(deps, call, current, { device, image, port, folder })),
  );
}

interface Held {
  device: Device;
  image: Image;
  port: HeldPort;
  /** Where tools run. */
  folder: string;
}

async function act(
  { store }: AtHome,
  call: FlashCall,
  { step, signal, log, progress }: Attempt<FlashStep>,
  { device, image, port, folder }: Held,
): Promise<StepOutput> {
  const owner = { store: store.id, run: call.root.run };
  const bench = { owner, state: store.folder, cwd: folder, signal, log };
  const context: WriteContext = { port, bench, progress };
  if (call.act === 'inspect') return inspect(store, device, image, context);
  const what = `${call.act === 'restore' ? 'restoring' : 'writing'} ${describeImage(image)}`;
  log.write('note', `${what} to ${device.name} by ${port.path}, sha256 ${image.sha256}`);
  await writeImage(device, image, context);
  if (call.act === 'write' && step.boot !== null) {
    const expect = await renderText(store, call, step.boot.expect);
    progress['phase'] = 'booting';
    await listen(device, port, { expect, write: null, after: null, timeoutMs: step.boot.timeout_ms }, { signal, log });
  }
  // A program that does not start is not a good one, however well it was written.
  return writeDown(step, async () => {
    await writeLastGood(store, device.name, { image, run: call.root.run, at: new Date().toISOString() });
    return done(`${describeImage(image)} verified`, shownImage(device, image));
  });
}

/**
 * Finds out what a lost worker has left: the new image is success; the last good one tells that nothing was written, so
 * that another try is the first; anything else leaves the device in doubt.
 */
async function inspect(
  store: Dependencies['store'],
  device: Device,
  image: Image,
  context: WriteContext,
): Promise<StepOutput> {
  if (await holdsImage(device, image, context)) {
    await writeLastGood(store, device.name, { image, run: context.bench.owner.run, at: new Date().toISOString() });
    return done(`${describeImage(image)} verified after its worker was lost`, shownImage(device, image));
  }
  const good = await readLastGood(store, device.name);
  if (good !== null && (await holdsImage(device, good.image, context)))
    throw stepFailure(
      'not-written',
      `The worker was lost before it wrote to \`${device.name}\`, which still holds the last good image.`,
    );
  throw stepFailure(
    'device-doubt',
    `The worker was lost while \`${device.name}\` was flashed: it holds neither the new image nor the last good one.`,
  );
}

/** The image that is to be written: the last good one, the one that was approved, or what the step names. */
async function imageFor({ store }: AtHome, call: FlashCall, step: FlashStep, device: Device): Promise<Image> {
  if (call.act === 'restore') {
    const good = await readLastGood(store, device.name);
    if (good === null)
      throw stepFailure(
        'image-invalid',
        `No image of \`${device.name}\` is known to be good; there is nothing to restore.`,
      );
    return good.image;
  }
  // The run's files are where its store is: for another host they were read there just now.
  const now =
    call.image !== null && (await store.isElsewhere())
      ? await toImage(await loadValue(call.image.image, store), device, call.workspace)
      : await stepImage(store, call, step, { device, workspace: call.workspace });
  if (call.image === null) return now;
  if (now.sha256 !== call.image.sha256) {
    throw stepFailure(
      'image-invalid',
      `The image was changed after it was approved: sha256 ${call.image.sha256} was approved, and it is ` +
        `${now.sha256} now. \`${device.name}\` was not touched.`,
    );
  }
  const { image } = call.image;
  return toImage(await loadValue(image, store), device, call.workspace);
}

function done(note: string, shown: JsonObject): StepOutput {
  return { output: { value: shown }, spend: { usd: 0, tokens: 0, steps: 1 }, note, reused: false };
}
