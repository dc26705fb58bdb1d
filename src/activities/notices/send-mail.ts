import type { MailWay } from '../../plan/gates/mail-way.js';
import { mailServerAt } from '../../plan/gates/mail-way.js';
import { addressVariable } from '../../plan/gates/notice.js';
import { cutTo } from '../../plan/text/cut-to.js';
import { stepFailure } from '../failures.js';
import type { Credentials } from '../dependencies.js';
import type { NoticeWords } from './notice-words.js';
import { ownOf } from '../../plan/values/own.js';

/** Mails have a title of one line. */
const SUBJECT_CHARACTERS = 150;

/**
 * Sends a mail of plain text to one person. `id` is the same each time that it is sent again, so that who gets it twice
 * can tell; `limitMs` is for each of connecting, greeting and silence. Throws where the server did not take it, without
 * what it said: that may name who signed in.
 */
export async function sendMail(
  way: MailWay,
  words: NoticeWords,
  { id, known, limitMs, signal }: { id: string; known: ReturnType<Credentials>; limitMs: number; signal: AbortSignal },
): Promise<void> {
  const at = mailServerAt(way.server);
  if (at === null) throw stepFailure('provider-missing', `\`${way.server}\` is no address of a mail server`);
  const { createTransport } = await import('nodemailer');
  const transport = createTransport({
    ...{ host: at.host, port: at.port, secure: at.secure },
    ...(way.tls === false && at.isHere ? { ignoreTLS: true } : { requireTLS: true }),
    ...signIn(way, known),
    tls: { minVersion: 'TLSv1.2' },
    ...{ connectionTimeout: limitMs, greetingTimeout: limitMs, socketTimeout: limitMs, dnsTimeout: limitMs },
    ...{ disableFileAccess: true, disableUrlAccess: true },
  });
  const sent = transport.sendMail({
    messageId: `<${id}@${way.from.split('@')[1] ?? ''}>`,
    from: way.from,
    to: way.to,
    subject: cutTo(words.title, SUBJECT_CHARACTERS),
    text: textOf(words),
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  const gone = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true });
  });
  await Promise.race([sent, gone])
    .catch((error: unknown) => {
      throw stepFailure('tool-failed', `the mail server did not take it (${whyOf(error)})`, { afterMs: null });
    })
    .finally(() => transport.close());
}

/** Each line of what others have said is marked: none can pass for one of ours, such as a link to decide by. */
function textOf({ lines, buttons }: NoticeWords): string {
  return [
    ...lines.map((line) => (typeof line === 'string' ? line : line.said.replace(/^/gm, '> '))),
    '',
    ...buttons.map(({ label, url }) => `${label}:\n${url}`),
  ].join('\n');
}

function signIn({ user, password }: MailWay, known: ReturnType<Credentials>): object {
  if (user === undefined || password === undefined) return {};
  return { auth: { user: valueOf(user, known), pass: valueOf(password, known) } };
}

function valueOf(reference: string, known: ReturnType<Credentials>): string {
  const name = addressVariable(reference) ?? '';
  const value = ownOf(known, name);
  if (value !== undefined && value !== '') return value;
  throw stepFailure('provider-missing', `the variable \`${name}\` is not set where the worker runs`);
}

/** Nodemailer's word and the server's number. */
function whyOf(error: unknown): string {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown }; // thrown by nodemailer
  const words = [code, responseCode].filter((one) => typeof one === 'string' || typeof one === 'number');
  return words.length === 0 ? 'no answer' : words.join(', ');
}
