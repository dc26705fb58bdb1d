import type { Device, LastGood } from '../../plan/devices/device.js';
import type { Json } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import { checkImage } from './check-image.js';

/** What a device is known to have held, and well. */
export async function readLastGood(store: Store, device: string): Promise<LastGood | null> {
  return (await store.readDevice(device)) as LastGood | null; // only `writeLastGood` writes it
}

export async function writeLastGood(store: Store, device: string, good: LastGood): Promise<void> {
  await store.writeDevice(device, good as unknown as Json); // JSON-safe, but an interface has no index signature
}

/** Tells whether there is an image to restore: a good one that fits the device as it is configured now. */
export async function hasLastGood(store: Store, device: Device): Promise<boolean> {
  const good = await readLastGood(store, device.name);
  if (good === null) return false;
  try {
    checkImage(good.image, device);
    return true;
  } catch {
    return false;
  }
}
