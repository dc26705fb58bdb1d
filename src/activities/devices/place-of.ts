import type { Device, ImageFile } from '../../plan/devices/device.js';

/** Where a binary goes, as tools take it: to where the board has its program, unless it says another place. */
export function placeOf({ values }: Pick<Device, 'values'>, { offset }: Pick<ImageFile, 'offset'>): string {
  if (offset !== undefined) return `0x${offset.toString(16)}`;
  const app = values['app'];
  return typeof app === 'string' ? app : '0x0';
}
