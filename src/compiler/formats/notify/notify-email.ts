import { z } from 'zod';
import { isMailServer, isMailbox } from '../../../plan/gates/mail-way.js';
import { variable } from '../values.js';

const mailbox = z
  .string({ error: 'an address such as ana@example.com' })
  .refine(isMailbox, { error: 'an address such as ana@example.com, without a name' });

/** `notify: {email: …}` of `perdure.yml`. */
export const emailSchema = z
  .strictObject(
    {
      server: z
        .string({ error: 'an address such as smtp://mail.example.com:587' })
        .refine((written) => isMailServer(written), {
          error: 'smtp://HOST[:PORT], or smtps://HOST[:PORT], and nothing else in it',
        })
        .describe('smtps:// speaks TLS from the start, at port 465; smtp:// begins it with STARTTLS, at port 587.'),
      tls: z
        .literal(false, { error: 'false, or nothing: TLS is the rule' })
        .optional()
        .describe('false: without TLS, which only a server of this machine may be.'),
      user: variable('MAIL_USER').optional().describe('Who signs in: `${env.NAME}`, never itself.'),
      password: variable('MAIL_PASSWORD').optional().describe('`${env.NAME}`, never itself.'),
      from: mailbox.describe('The sender.'),
      to: z
        .array(mailbox, { error: 'a list of addresses' })
        .min(1, { error: 'at least one address' })
        .max(20, { error: 'at most 20 addresses' })
        .describe('Who is told; each gets a mail of their own.'),
    },
    { error: 'a map with server, from and to' },
  )
  .superRefine(({ server, tls, user, password }, context) => {
    if (tls === false && !isMailServer(server, 'of this machine'))
      context.addIssue({
        code: 'custom',
        path: ['tls'],
        message: 'TLS but for smtp:// at localhost, 127.0.0.1 or [::1]',
      });
    if ((user === undefined) !== (password === undefined))
      context.addIssue({
        code: 'custom',
        path: [user === undefined ? 'password' : 'user'],
        message: '`user` and `password` together',
      });
  });
