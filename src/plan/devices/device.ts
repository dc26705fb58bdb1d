import type { Text } from '../values/value.js';

/** What flashing tools take: Intel HEX, a raw binary, or files for the board's own file system. */
export const IMAGE_FORMATS = ['ihex', 'bin', 'files'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];

/** What a text of a tool means, and so what is done about it. */
export const MEANINGS = ['mute', 'mismatch', 'wrong-part', 'unreadable', 'missing', 'refused', 'busy'] as const;
export type Meaning = (typeof MEANINGS)[number];

/** Chips that can be simulated in place of a board. */
export const SIMULATED_CHIPS = ['atmega328p', 'esp32', 'esp32s2', 'esp32s3', 'esp32c3'] as const;
export type SimulatedChip = (typeof SIMULATED_CHIPS)[number];

export function isSimulatedChip(name: string): name is SimulatedChip {
  return SIMULATED_CHIPS.some((chip) => chip === name);
}

/** One word of a tool's arguments; `{name}` is one of the device's values, and alone it may be a list. */
export type Argv = string[];

/** How sources become an image. */
export interface CompileRules {
  /** Its tools need the system's folders and what `values` name alone, and run where nothing else is seen. */
  sandbox: boolean;
  /** Extensions whose files are joined into one source, each under its own `#line`, after `head`. */
  join: { from: string[]; to: string; head: string } | null;
  /** One call for each source: `{source}` gives `{object}`. */
  rules: { from: string[]; run: Argv }[];
  /** Folders whose sources are compiled by the same rules once, and kept: `{objects}` gives `{library}`. */
  library: { folders: string[]; run: Argv } | null;
  /** What makes the image in the folder `{out}`. */
  link: Argv[];
  /** The image's file name in `{out}`; null when the sources themselves are the image. */
  result: string | null;
}

/** A kind of device, as its file under `definitions/devices/` says. All knowledge of a tool is in that file. */
export interface DeviceKind {
  name: string;
  /** Programs that are needed, and how to get each. */
  tools: Record<string, string>;
  /** `vendor:product` of boards of this kind, where a device names neither port nor USB ids. */
  usb: string[];
  image: ImageFormat;
  /** Of the sketch's serial line. */
  baud: number;
  compile: CompileRules | null;
  /** `{image}` is the image's file, `{port}` the port; for `files`, `{file}` and `{name}` make a call each. */
  flash: Argv[];
  /** Compares what is on the board with the image; exit code 0 is a match. */
  verify: Argv[];
  /**
   * How files get onto a board whose firmware has a file system, for kinds whose images are binaries: `write` and
   * `verify` once for each file, then `end`. Null where nothing does.
   */
  files: { write: Argv[]; verify: Argv[]; end: Argv[] } | null;
  /** Whether `flash` itself ends with such a comparison. */
  flash_verifies: boolean;
  /**
   * How the tool shows its progress: `mark` is printed `count` times in each phase; without it, percentages are looked
   * for.
   */
  progress: { mark: string | null; count: number; phases: Record<string, string> };
  /** Texts of the tool, the most telling first. */
  texts: { text: string; means: Meaning }[];
  /** What is written to an opened serial line to start the program. */
  start: string;
  /** What a person can do when the board does not come back. */
  by_hand: string;
  /** The chip that is simulated in place of a board; null for real boards. */
  simulates: SimulatedChip | null;
}

/** A device of `perdure.yml`, with everything its steps need to know: closed, as all that a Plan names (I2). */
export interface Device {
  name: string;
  kind: DeviceKind;
  board: string;
  /** What `{name}` stands for in the kind's arguments. */
  values: Record<string, string | string[]>;
  /** The chip that images are for. */
  target: string;
  /** Bytes that a program may have. */
  max_bytes: number;
  /** `/dev/…`, `net:host:port`, or null where USB ids tell. */
  port: string | null;
  /** `vendor:product` or `vendor:product:serial`. */
  usb: string | null;
  /** A fault that a simulated board has. */
  fault: string | null;
}

/** Tells whether a board of its own is simulated for a device; one that has a port is found there. */
export function isSimulated({ kind, port }: Pick<Device, 'kind' | 'port'>): boolean {
  return kind.simulates !== null && port === null;
}

/** A step's device: what the workflow needs in the clear, the rest as the JSON text of a `Device`. */
export interface DeviceRef {
  name: string;
  /** The queue of the workers on the host that it hangs on; null for the run's own. */
  task_queue: string | null;
  /** What is leased: two names of one port are one device. */
  key: string;
  by_hand: string;
  spec: Text;
}

/** What a `compile` step yields and a `flash` step takes: JSON-safe, and named by its hash as any value. */
export interface Image {
  format: ImageFormat;
  /** The chip it was made for; null where nothing says so. */
  target: string | null;
  /** Bytes of program. */
  bytes: number;
  /** SHA-256 of the canonical JSON of `files`, or of both lists: what an approval shows and a flash checks. */
  sha256: string;
  /** Files of the board itself, or binaries in its flash memory. */
  files: ImageFile[];
  /** Files for the file system of the firmware that `files` are, or that is there already. */
  board_files?: ImageFile[];
}

export interface ImageFile {
  name: string;
  encoding: 'utf8' | 'base64';
  data: string;
  /** Byte of flash memory at which a binary begins; the board's usual place when left out. */
  offset?: number;
}

/** The image that was last written to a device and verified. */
export interface LastGood {
  image: Image;
  run: string;
  /** ISO 8601, UTC. */
  at: string;
}
