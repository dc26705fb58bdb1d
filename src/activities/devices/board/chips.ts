import type { SimulatedChip } from '../../../plan/devices/device.js';
import { avrChip } from './avr/avr.js';
import type { Chip } from './chip/chip.js';
import { espChip } from './esp/esp.js';

/** The model of a chip. */
export function chipOf(name: SimulatedChip): Chip {
  return name === 'atmega328p' ? avrChip : espChip(name);
}
