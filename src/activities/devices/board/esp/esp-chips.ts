import type { SimulatedChip } from '../../../../plan/devices/device.js';

export type EspName = Exclude<SimulatedChip, 'atmega328p'>;

/** What tools tell Espressif's chips apart by, and where they find their flash memory's controller. */
export interface EspModel {
  /** Word at 0x40001000. */
  magic: number;
  /** Answer to GET_SECURITY_INFO: none, without the chip's number (12 bytes), or with it (20 bytes). */
  security: { bytes: 12 | 20; chip: number } | null;
  /** Base of the SPI controller, and of its word W0 from there. */
  spi: number;
  w0: number;
  flashBytes: number;
  /** Where the ROM looks for the boot loader. */
  boot: number;
  /** What `wrong-part` makes of it. */
  other: EspName;
}

const MEBIBYTE = 1024 * 1024;

/** From Espressif's technical reference manuals; esptool reads the same numbers. */
export const ESP_MODELS: Record<EspName, EspModel> = {
  esp32: {
    magic: 0x00f01d83,
    security: null,
    spi: 0x3ff42000,
    w0: 0x80,
    flashBytes: 4 * MEBIBYTE,
    boot: 0x1000,
    other: 'esp32s2',
  },
  esp32s2: {
    magic: 0x000007c6,
    security: { bytes: 12, chip: 2 },
    spi: 0x3f402000,
    w0: 0x58,
    flashBytes: 4 * MEBIBYTE,
    boot: 0x1000,
    other: 'esp32',
  },
  esp32s3: {
    magic: 0x9,
    security: { bytes: 20, chip: 9 },
    spi: 0x60002000,
    w0: 0x58,
    flashBytes: 8 * MEBIBYTE,
    boot: 0,
    other: 'esp32c3',
  },
  esp32c3: {
    magic: 0x6921506f,
    security: { bytes: 20, chip: 5 },
    spi: 0x60002000,
    w0: 0x58,
    flashBytes: 4 * MEBIBYTE,
    boot: 0,
    other: 'esp32s3',
  },
};
