import { z } from 'zod';
import { simulatedChip, usbIds } from './device-kind.js';
import { count, filledText, id, text } from './values.js';

const REMOTE = /net:[A-Za-z0-9.-]+:\d{1,5}/.source;
const GOES_UP = /.*(?:^|\/)\.\.(?:\/|$)/.source;
/** Disks and memory are no boards. */
const NO_BOARD = /dev\/(?:sd|hd|nvme|mem|kmem|loop|dm-|md|sr|zero|null|random|urandom)/.source;

/** Serial ports have names of their own. */
const port = text.regex(new RegExp(`^(?:${REMOTE}|\\/(?!${GOES_UP})(?!${NO_BOARD}).+|COM\\d+)$`), {
  error: 'a serial port such as `/dev/ttyACM0`, or `net:host:port`',
});

export const deviceSchema = z.strictObject(
  {
    kind: filledText.describe(
      'What it is: a file of `definitions/devices/`, such as `avr-arduino`, `esp32`, `micropython`, `simulated`.',
    ),
    board: filledText.optional().describe("Which board of that kind; the kind's first when left out."),
    port: port.optional().describe('Its serial port: `/dev/ttyACM0`, or `net:host:port`.'),
    usb: usbIds.optional().describe('Its USB ids, `vendor:product` or `vendor:product:serial`, in place of a port.'),
    programmer: filledText.optional().describe('The programmer as the tool calls it.'),
    baud: count.optional().describe("Speed of the program's serial line."),
    task_queue: z
      .string({ error: 'a text' })
      .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/, { error: 'a name of letters, digits, `.`, `_`, `-`' })
      .optional()
      .describe('Task queue of the workers on the host that it hangs on.'),
    values: z
      .record(text, z.union([text, z.array(text)]))
      .optional()
      .describe("Values in place of those of the kind's file."),
    simulates: simulatedChip
      .optional()
      .describe('The chip that this machine simulates in place of a board: `esp32` with `kind: simulated`.'),
    fault: text
      .regex(/^(?:mute|garbage|corrupt|hang|power-cut|wrong-part)(?::\d{1,4})?(?:x\d{1,4})?$/, {
        error: 'mute, garbage, corrupt, hang, power-cut or wrong-part, then perhaps `:block` and `xtimes`',
      })
      .optional()
      .describe('A fault that a simulated board has, to try what a workflow makes of it.'),
  },
  { error: 'a map with kind, board, port' },
);

export const devicesSchema = z.record(id, deviceSchema, { error: 'a map from names to devices' });

export type AuthoredDevice = z.infer<typeof deviceSchema>;
