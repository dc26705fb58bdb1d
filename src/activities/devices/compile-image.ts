import type { Image } from '../../plan/devices/device.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import { attempt } from '../attempt/attempt.js';
import { recordedEnd } from '../attempt/recorded-end.js';
import type { Activities } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { writeDown } from '../attempt/left-to-write.js';
import { buildImage } from './build-image.js';
import { checkImage } from './check-image.js';
import { loadDevice } from './load-device.js';
import { renderAll } from '../values/template-scope.js';

/** Builds an image with a real toolchain. The device itself is not needed. */
export function createCompileImage({ store }: Dependencies): Activities['compileImage'] {
  return (call) =>
    attempt(store, call, 'compile', async ({ step, signal, log }) => {
      const recorded = call.rehearsal ? await recordedEnd(store, call, 'compile') : null;
      if (recorded !== null) return recorded;
      const device = await loadDevice(store, step.device);
      const sources = (await renderAll(store, call, step.sources)).flatMap((source) =>
        (Array.isArray(source) ? source : [source ?? '']).map(toText),
      );
      const image = await buildImage(device, sources, {
        owner: { store: store.id, run: call.root.run },
        state: store.folder,
        cwd: call.workspace,
        signal,
        log,
      });
      checkImage(image, device);
      return writeDown(step, async () => ({
        output: await store.put(image as unknown as Json),
        spend: { usd: 0, tokens: 0, steps: 1 },
        note: describeImage(image),
        reused: false,
      }));
    });
}

/** For people: what it is and how much. */
export function describeImage({ target, bytes }: Image): string {
  return `${bytes} bytes${target === null ? '' : ` for ${target}`}`;
}
