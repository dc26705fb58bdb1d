import type { Texts } from './say-texts.js';

const SECTOR = 4096;
const HEADER_BYTES = 24;
const MOST_SEGMENTS = 16;
/** Firmware has thousands of texts; these are enough for any test of a line. */
const MOST_BYTES = 256 * 1024;
/** Of what is counted this much is said in each round. */
const MOST_COUNTED = 20;

/** The texts of an image in flash memory, in their order; those with a number's place are counted. */
export function imageTexts(flash: Uint8Array, start: number): Texts & { texts: string[] } {
  const image = Buffer.from(flash.subarray(start, endOf(flash, start))).toString('latin1');
  const texts = [...image.matchAll(/[\t\x20-\x7e]{4,}/g)]
    .map(([text]) => text)
    .filter((text) => /[A-Za-z]{3}/.test(text));
  let bytes = 0;
  const said = texts.filter((text) => (bytes += text.length) <= MOST_BYTES);
  return {
    texts: said,
    once: said.filter((text) => !isCounted(text)),
    counted: said
      .filter(isCounted)
      .slice(0, MOST_COUNTED)
      .map((text) => text.replace(/%l?[dui]/, '#').replace(/ $/, ' #')),
  };
}

/** A format with a number, or a text that something is printed behind. */
function isCounted(text: string): boolean {
  return /%l?[dui]/.test(text) || text.endsWith(' ');
}

/**
 * Where an image ends: the sector in which its last segment does, and at the first erased sector where its header makes
 * no sense. Behind it another image may still stand.
 */
function endOf(flash: Uint8Array, start: number): number {
  const view = new DataView(flash.buffer, flash.byteOffset, flash.byteLength);
  const segments = flash[start + 1] ?? 0;
  let at = start + HEADER_BYTES;
  let isSound = segments > 0 && segments <= MOST_SEGMENTS;
  for (let segment = 0; isSound && segment < segments; segment += 1) {
    isSound = at + 8 <= flash.length;
    if (isSound) at += 8 + view.getUint32(at + 4, true);
    isSound &&= at <= flash.length;
  }
  if (isSound) return Math.ceil((at + 1) / SECTOR) * SECTOR;
  let end = start;
  while (end < flash.length && flash.subarray(end, end + SECTOR).some((byte) => byte !== 0xff)) end += SECTOR;
  return end;
}
