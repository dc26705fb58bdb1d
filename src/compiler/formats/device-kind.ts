import { z } from 'zod';
import { IMAGE_FORMATS, MEANINGS, SIMULATED_CHIPS } from '../../plan/devices/device.js';
import { count, filledText, name, text } from './values.js';

const argv = z.array(text, { error: 'a list of texts' }).min(1, { error: 'a list with a program' });
const extension = text.regex(/^\.[A-Za-z0-9]{1,8}$/, { error: 'an extension such as `.c`' });
const placeholder = z.union([text, z.number().transform(String), z.array(text)], {
  error: 'a text or a list of texts',
});

/** Ids as `lsusb` shows them. */
export const usbIds = text.regex(/^[0-9a-fA-F]{4}:[0-9a-fA-F]{4}(?::[\w.-]{1,64})?$/, {
  error: 'USB ids `vendor:product`, such as `2341:0043`, or `vendor:product:serial`',
});

export const simulatedChip = z.enum(SIMULATED_CHIPS, { error: SIMULATED_CHIPS.join(', ') });

const compile = z.strictObject({
  join: z
    .strictObject({
      from: z.array(extension).describe('Extensions that are joined.'),
      to: extension.describe('Extension of the one source.'),
      head: text.describe('What it begins with.'),
    })
    .nullable()
    .default(null)
    .describe('Extensions whose files are joined into one source.'),
  sandbox: z
    .boolean()
    .default(false)
    .describe('Its tools need system folders and what `values` name alone: they run where nothing else is seen.'),
  rules: z
    .array(
      z.strictObject({
        from: z.array(extension).describe('Extensions that it compiles.'),
        run: argv.describe('The compiler and its arguments.'),
      }),
    )
    .describe('`{source}` to `{object}`, by extension.'),
  library: z
    .strictObject({
      folders: z.array(text).describe('Folders whose sources it has.'),
      run: argv.describe('The archiver and its arguments.'),
    })
    .nullable()
    .default(null)
    .describe('Folders that are compiled once: `{objects}` to `{library}`.'),
  link: z.array(argv).describe('What makes the image in `{out}`.'),
  result: filledText.nullable().default(null).describe('The image in `{out}`; null when the sources are the image.'),
});

/** A kind of device: `definitions/devices/*.yml`. */
export const deviceKindSchema = z.strictObject({
  name: name.describe('What `kind:` of a device says.'),
  description: text.optional().describe('What it is, for people.'),
  tools: z.record(text, filledText).default({}).describe('Programs that are needed, and how to get each.'),
  usb: z.array(usbIds).default([]).describe('Ids by which boards of this kind are found.'),
  boards: z
    .record(
      text,
      z
        .object({ target: filledText.describe('The chip.'), max_bytes: count.describe('Room for a program.') })
        .catchall(placeholder),
    )
    .describe('Boards, and their values for the arguments below.'),
  values: z.record(text, placeholder).default({}).describe('Values of all boards; `{name}` in them is another value.'),
  image: z.enum(IMAGE_FORMATS, { error: IMAGE_FORMATS.join(', ') }).describe('What the tool takes.'),
  baud: count.default(115_200).describe("Speed of the program's serial line."),
  compile: compile.nullable().default(null).describe('How sources become an image.'),
  flash: z.array(argv).describe('Writes `{image}` through `{port}`.'),
  verify: z.array(argv).describe('Compares the board with `{image}`; exit code 0 is a match.'),
  files: z
    .strictObject({
      write: z.array(argv).describe('Writes one file, `{name_literal}`, whose bytes are `{data_literal}`.'),
      verify: z.array(argv).describe('Compares that file; exit code 0 is a match.'),
      end: z.array(argv).default([]).describe('What starts the program once all are there.'),
    })
    .nullable()
    .default(null)
    .describe("How files get onto a board's own file system, once its images are there."),
  flash_verifies: z.boolean().default(false).describe('Whether `flash` does that itself.'),
  progress: z
    .strictObject({
      mark: filledText
        .nullable()
        .default(null)
        .describe('What is printed again and again; null where percentages are told.'),
      count: z.number().int().nonnegative().default(0).describe('How often, in each phase.'),
      phases: z
        .record(text, text)
        .default({})
        .describe('Words of the tool by which a phase begins, and what people are told: `writing`, `verifying`.'),
    })
    .default({ mark: null, count: 0, phases: {} })
    .describe('How the tool shows its progress.'),
  texts: z
    .array(
      z.strictObject({
        text: filledText.describe('What the tool says.'),
        means: z.enum(MEANINGS, { error: MEANINGS.join(', ') }).describe('What it means.'),
      }),
    )
    .describe('What texts of the tool mean, the most telling first.'),
  start: text.default('').describe('What is written to an opened serial line to start the program.'),
  by_hand: filledText.describe('What a person can do when the board does not come back.'),
  simulates: simulatedChip.nullable().default(null).describe('The chip that is simulated in place of a board.'),
});

export type AuthoredDeviceKind = z.infer<typeof deviceKindSchema>;
