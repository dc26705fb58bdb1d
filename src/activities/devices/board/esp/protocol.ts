/**
 * Commands of Espressif's serial protocol (esptool's documentation, "Serial Protocol"): those of the loader in ROM, and
 * from 0xD0 on those that only the stub knows, which tools upload into memory.
 */
export const COMMAND = {
  FLASH_BEGIN: 0x02,
  FLASH_DATA: 0x03,
  FLASH_END: 0x04,
  MEM_BEGIN: 0x05,
  MEM_END: 0x06,
  MEM_DATA: 0x07,
  SYNC: 0x08,
  WRITE_REG: 0x09,
  READ_REG: 0x0a,
  SPI_SET_PARAMS: 0x0b,
  SPI_ATTACH: 0x0d,
  CHANGE_BAUDRATE: 0x0f,
  DEFLATED_BEGIN: 0x10,
  DEFLATED_DATA: 0x11,
  DEFLATED_END: 0x12,
  FLASH_MD5: 0x13,
  SECURITY_INFO: 0x14,
  ERASE_FLASH: 0xd0,
  ERASE_REGION: 0xd1,
  READ_FLASH: 0xd2,
  RUN_USER_CODE: 0xd3,
} as const;

/** Errors that a loader answers with. */
export const INVALID_MESSAGE = 5;
export const FAILED_WRITE = 6;
export const BAD_CHECKSUM = 7;

/** The words at the head of a command's data, four at most. */
export function wordsOf(data: Buffer): number[] {
  return Array.from({ length: Math.min(4, Math.floor(data.length / 4)) }, (_, index) => data.readUInt32LE(index * 4));
}
