/** What an Intel HEX text holds. */
export interface HexImage {
  /** Bytes of data. */
  bytes: number;
  /** One above the highest address. */
  end: number;
}

const DATA = 0;
const END_OF_FILE = 1;
/** Types of records that move the base address, and by how many bits their value is shifted. */
const BASE_SHIFT = new Map([
  [2, 4],
  [4, 16],
]);
const KNOWN_TYPES = new Set([0, 1, 2, 3, 4, 5]);

/**
 * Reads an Intel HEX text (Intel Hexadecimal Object File Format, revision A, 1988) as far as its size and soundness:
 * every record's length and checksum, and that the end-of-file record is there and is the last. Gives what is wrong,
 * with its line, in place of a result.
 */
export function readHex(text: string): HexImage | { wrong: string } {
  let base = 0;
  let bytes = 0;
  let end = 0;
  let isOver = false;
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue;
    const at = `line ${index + 1}`;
    if (isOver) return { wrong: `${at} comes after the end-of-file record` };
    const record = readRecord(line.trim());
    if ('wrong' in record) return { wrong: `${at} ${record.wrong}` };
    const shift = BASE_SHIFT.get(record.type);
    if (shift !== undefined) base = ((record.data[0] ?? 0) * 256 + (record.data[1] ?? 0)) * 2 ** shift;
    if (record.type === END_OF_FILE) isOver = true;
    if (record.type !== DATA) continue;
    bytes += record.data.length;
    end = Math.max(end, base + record.address + record.data.length);
  }
  if (!isOver) return { wrong: 'the end-of-file record is missing: the file is cut off' };
  return bytes === 0 ? { wrong: 'it holds no data' } : { bytes, end };
}

type HexRecord = { address: number; type: number; data: Buffer } | { wrong: string };

function readRecord(line: string): HexRecord {
  if (!/^:(?:[0-9A-Fa-f]{2}){5,}$/.test(line))
    return { wrong: 'is no record: expected `:` and pairs of hexadecimal digits' };
  const record = Buffer.from(line.slice(1), 'hex');
  const [length = 0, high = 0, low = 0, type = 0] = record;
  if (record.length !== length + 5) return { wrong: `says ${length} bytes of data and has ${record.length - 5}` };
  if (record.reduce((sum, byte) => sum + byte, 0) % 256 !== 0) return { wrong: 'has a wrong checksum' };
  if (!KNOWN_TYPES.has(type)) return { wrong: `has the unknown type ${type}` };
  return { address: high * 256 + low, type, data: record.subarray(4, -1) };
}
