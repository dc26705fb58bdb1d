import { z } from 'zod';
import type { MailSettings } from '../../../plan/gates/mail-way.js';
import type { NotifySettings } from '../../../plan/gates/notice.js';
import { NOTICE_EVENTS, addressVariable, filledAddress } from '../../../plan/gates/notice.js';
import { emailSchema } from './notify-email.js';
import { filledText, variable } from '../values.js';

const isAddress = (written: string): boolean =>
  addressVariable(written) !== null || filledAddress(written, {}) !== null;

/** An address that is posted to; it may be a secret. */
const address = z
  .string({ error: 'an http or https address' })
  .refine(isAddress, { error: 'an http or https address, or `${env.NAME}`' });

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
      webhook: address
        .optional()
        .describe('An address that the notice is posted to as JSON; as `${env.NAME}` it stands in no history.'),
      secret: variable('TEAM_WEBHOOK_SECRET')
        .optional()
        .describe('What is posted to `webhook` is signed by it (Standard Webhooks): `${env.NAME}`, never itself.'),
      slack: address.optional().describe('An incoming webhook of Slack.'),
      teams: address.optional().describe('A webhook of Microsoft Teams.'),
      email: emailSchema.optional().describe('A mail server, and who is told by it.'),
      links: z
        .boolean({ error: 'true or false' })
        .optional()
        .describe('Whether notices of gates have links by which whoever reads them decides; needs `ui: {public_url}`.'),
      on: z
        .array(z.enum(NOTICE_EVENTS, { error: 'waiting, paused or ended' }), {
          error: 'a list of waiting, paused, ended',
        })
        .min(1, { error: 'at least one of waiting, paused, ended' })
        .optional()
        .describe('What is told; all three when left out.'),
    },
    { error: 'a map with command, webhook, slack, teams or email' },
  )
  .superRefine(({ command, webhook, slack, teams, email, secret }, context) => {
    if ([command, webhook, slack, teams, email].every((way) => way === undefined))
      context.addIssue({
        code: 'custom',
        path: ['command'],
        message: 'a program and its arguments, or else a `webhook`, `slack`, `teams` or `email`',
      });
    if (secret !== undefined && webhook === undefined)
      context.addIssue({ code: 'custom', path: ['secret'], message: 'a `webhook` beside it, which is signed by it' });
  });

/** As a run takes it; undefined where nobody is told. */
export function toNotify(written: z.infer<typeof notifySchema> | undefined): NotifySettings | undefined {
  if (written === undefined) return undefined;
  const { command, webhook, secret, slack, teams, email, links, on = [...NOTICE_EVENTS] } = written;
  return {
    on,
    ...(command === undefined ? {} : { command }),
    ...(webhook === undefined ? {} : { webhook }),
    ...(secret === undefined ? {} : { secret }),
    ...(slack === undefined ? {} : { slack }),
    ...(teams === undefined ? {} : { teams }),
    ...(email === undefined ? {} : { email: toMail(email) }),
    ...(links === true ? { links } : {}),
  };
}

function toMail({ server, tls, user, password, from, to }: z.infer<typeof emailSchema>): MailSettings {
  return {
    ...{ server, from, to: [...new Set(to)] },
    ...(tls === undefined ? {} : { tls }),
    ...(user === undefined ? {} : { user }),
    ...(password === undefined ? {} : { password }),
  };
}
