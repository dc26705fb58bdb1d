import type { Device, Image } from '../../plan/devices/device.js';
import type { Gate } from '../../plan/gates/gate.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { FlashStep } from '../../plan/step.js';
import type { Store } from '../../store/store.js';
import type { Activities, ApprovedImage, DeviceCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { withFailures } from '../failures.js';
import { gateHashOf } from '../values/content-hash.js';
import { loadStep } from '../values/load-step.js';
import { locatedCall } from '../workspace/located-call.js';
import { checkImage } from './check-image.js';
import { bytesOf } from './images.js';
import { placeOf } from './place-of.js';
import { toImage } from './to-image.js';
import { loadDevice } from './load-device.js';
import { renderAll, renderText } from '../values/template-scope.js';

/** `checkpoint`: why a person is asked where the step itself does not say so. */
type Asked = DeviceCall & { since: string; checkpoint?: string };

/**
 * Reads the image of a flash step and checks it before anybody is asked. What is shown names the device and the image's
 * hash; what is flashed later is this very image, or nothing. With `only: 'image'` nobody is asked.
 */
export function createPrepareFlash({ store }: Dependencies): Activities['prepareFlash'] {
  const approved = async (image: Image): Promise<ApprovedImage> => ({
    image: await store.putAlways(image as unknown as Json), // JSON-safe, but an interface has no index signature
    sha256: image.sha256,
  });
  const read = withFailures(async (call: DeviceCall) => approved((await readImage(store, call)).image));
  const ask = withFailures(async (call: Asked): Promise<Gate & ApprovedImage> => {
    const { step, device, image } = await readImage(store, call);
    const question = (await renderText(store, call, step.ready)) ?? `Flash ${device.name}?`;
    const message = call.checkpoint === undefined ? question : `${call.checkpoint} ${question}`;
    const content = shownImage(device, image);
    return {
      path: call.path,
      kind: 'ready',
      message,
      content: await store.put(content),
      hash: gateHashOf({ message, content }),
      fallback: 'abort',
      since: call.since,
      ...(await approved(image)),
    };
  });

  function prepare(call: Asked): Promise<Gate & ApprovedImage>;
  function prepare(call: DeviceCall & { only: 'image' }): Promise<ApprovedImage>;
  function prepare(call: Asked | (DeviceCall & { only: 'image' })): Promise<ApprovedImage> {
    return 'only' in call ? read(call) : ask(call);
  }
  return prepare;
}

/** The image that a flash step names, as its files are now. */
export async function stepImage(
  store: Store,
  call: DeviceCall,
  { image, files }: FlashStep,
  { device, workspace }: { device: Device; workspace: string },
): Promise<Image> {
  const values = await renderAll(
    store,
    call,
    [image, files].filter((template) => template !== null),
  );
  const [value = null, named = null] = image === null ? [null, ...values] : values;
  return toImage(value, device, workspace, named);
}

/** What an approval shows of an image: nothing else has this hash. */
export function shownImage({ name, ...device }: Device, image: Image): JsonObject {
  const { format, target, bytes, sha256: hash, files, board_files: boardFiles = [] } = image;
  const shown = { device: name, format, target, bytes, sha256: hash };
  const isPlain = boardFiles.length === 0 && files.every(({ offset }) => offset === undefined);
  if (isPlain) return shown;
  return {
    ...shown,
    images: files.map((file) => ({ offset: placeOf(device, file), bytes: bytesOf(file).length })),
    files: boardFiles.map((file) => ({ name: file.name, bytes: bytesOf(file).length })),
  };
}

async function readImage(store: Store, call: DeviceCall): Promise<{ step: FlashStep; device: Device; image: Image }> {
  const { workspace } = locatedCall(store, call);
  const { step } = await loadStep(store, call, 'flash');
  const device = await loadDevice(store, step.device);
  const image = await stepImage(store, call, step, { device, workspace });
  checkImage(image, device);
  return { step, device, image };
}
