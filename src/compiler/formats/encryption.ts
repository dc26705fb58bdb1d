import { z } from 'zod';
import { filledText, variable } from './values.js';

const place = { error: 'a reference to a variable, such as ${env.PERDURE_KEY}, or a map with file or command' };

/** A key, as a reference to it: never the key itself (I13). */
const key = z.union(
  [
    variable('PERDURE_KEY'),
    z.strictObject({ file: filledText.describe('A file of mode 0600 that is yours, outside the project.') }),
    z.strictObject({
      command: z
        .array(filledText)
        .min(1, { error: 'a list with a program' })
        .describe('A program that prints the key, and its arguments, one item each. No shell stands between.'),
    }),
  ],
  place,
);

/** `encryption` of `perdure.yml`. */
export const encryptionSchema = z.strictObject(
  {
    keys: z
      .array(key, { error: 'a list of keys' })
      .min(1, { error: 'at least one key' })
      .describe('Keys of 32 bytes in base64 or hexadecimal, by reference: the first one writes, all of them read.'),
  },
  { error: 'a map with keys' },
);
