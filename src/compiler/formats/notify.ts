import { z } from 'zod';
import type { NotifySettings } from '../../plan/gates/notice.js';
import { NOTICE_EVENTS, addressVariable, filledAddress } from '../../plan/gates/notice.js';
import { filledText } from './values.js';

const isAddress = (written: string): boolean =>
  addressVariable(written) !== null || filledAddress(written, {}) !== null;

/** `notify` of `perdure.yml`. */
export const notifySchema = z
  .strictObject(
    {
      command: z
        .array(filledText, { error: 'a list of texts' })
        .min(1, { error: 'a program and its arguments' })
        .optional()
        .describe(
          'A program and its arguments, one item each; it gets the notice as JSON on stdin. No shell stands between.',
        ),
      webhook: z
        .string({ error: 'an http or https address' })
        .refine(isAddress, { error: 'an http or https address, or `${env.NAME}`' })
        .optional()
        .describe('An address that the notice is posted to as JSON; as `${env.NAME}` it stands in no history.'),
      on: z
        .array(z.enum(NOTICE_EVENTS, { error: 'waiting, paused or ended' }), {
          error: 'a list of waiting, paused, ended',
        })
        .min(1, { error: 'at least one of waiting, paused, ended' })
        .optional()
        .describe('What is told; all three when left out.'),
    },
    { error: 'a map with command or webhook' },
  )
  .superRefine(({ command, webhook }, context) => {
    if (command === undefined && webhook === undefined)
      context.addIssue({
        code: 'custom',
        path: ['command'],
        message: 'a program and its arguments, or else a `webhook`',
      });
  });

/** As a run takes it; undefined where nobody is told. */
export function toNotify(written: z.infer<typeof notifySchema> | undefined): NotifySettings | undefined {
  if (written === undefined) return undefined;
  const { command, webhook, on = [...NOTICE_EVENTS] } = written;
  return { on, ...(command === undefined ? {} : { command }), ...(webhook === undefined ? {} : { webhook }) };
}
