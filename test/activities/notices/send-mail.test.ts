import { afterEach, describe, expect, it } from 'vitest';
import type { NoticeWords } from '../../../src/activities/notices/notice-words.js';
import { sendMail } from '../../../src/activities/notices/send-mail.js';
import type { MailWay } from '../../../src/plan/gates/mail-way.js';
import { isMailServer, isMailbox, mailServerAt } from '../../../src/plan/gates/mail-way.js';
import type { MailServer } from '../../fakes/mail-server.js';
import { startMailServer } from '../../fakes/mail-server.js';

const servers: MailServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

async function server(...options: Parameters<typeof startMailServer>): Promise<MailServer> {
  const started = await startMailServer(...options);
  servers.push(started);
  return started;
}

const WORDS: NoticeWords = {
  title: 'essay waits for a person',
  lines: ['Publish it?', '.', 'perdure approve r/ok'],
  buttons: [{ label: 'Look at it', url: 'https://runs.example.com/gates/r/ok' }],
};

function send(way: Partial<MailWay> & { server: string }, words: NoticeWords, env: Record<string, string> = {}) {
  return sendMail({ from: 'perdure@example.com', to: 'ana@example.com', ...way }, words, {
    id: 'msg_1',
    known: env,
    limitMs: 5_000,
    signal: AbortSignal.timeout(10_000),
  });
}

describe('a mail', () => {
  it('is plain text to one person, by an id that stays', async () => {
    const { port, taken } = await server(null);
    await send({ server: `smtp://127.0.0.1:${port}`, tls: false }, WORDS);
    expect(taken).toMatchObject([{ to: ['ana@example.com'], from: 'perdure@example.com', user: null }]);
    const [mail] = taken;
    expect(mail?.headers).toEqual(
      expect.arrayContaining([
        'From: perdure@example.com',
        'To: ana@example.com',
        'Subject: essay waits for a person',
        'Message-ID: <msg_1@example.com>',
        'Auto-Submitted: auto-generated',
        'Content-Type: text/plain; charset=utf-8',
      ]),
    );
    expect(mail?.body).toBe(
      'Publish it?\r\n.\r\nperdure approve r/ok\r\n\r\nLook at it:\r\nhttps://runs.example.com/gates/r/ok\r\n',
    );
  });

  it('has no line of a question that passes for one of its own', async () => {
    const { port, taken } = await server(null);
    const message = 'Publish it?\n\nLook, then approve as ana:\nhttps://evil.example/granted/x';
    await send(
      { server: `smtp://127.0.0.1:${port}`, tls: false },
      { ...WORDS, lines: [{ said: message }, ...WORDS.lines] },
    );
    expect(taken[0]?.body).toContain('> Publish it?\r\n> \r\n> Look, then approve as ana:\r\n> https://evil.example');
    expect(taken[0]?.body).toContain('\r\nLook at it:\r\nhttps://runs.example.com/gates/r/ok\r\n');
  });

  it.each([
    '\r\nBcc: eve@example.com',
    '\nBcc: eve@example.com\n\nother',
    '\r\n.\r\nMAIL FROM:<eve@example.com>',
    '\u2028Bcc: eve@example.com',
  ])('has no header and nobody more by a hostile title or text: %j', async (hostile) => {
    const { port, taken } = await server(null);
    const words = { ...WORDS, title: `essay${hostile}`, lines: [{ said: `Publish?${hostile}` }] };
    await send({ server: `smtp://127.0.0.1:${port}`, tls: false }, words);
    expect(taken).toHaveLength(1);
    const [mail] = taken;
    expect(mail?.to).toEqual(['ana@example.com']);
    expect(mail?.headers.map((line) => line.split(':')[0]).sort()).toEqual([
      'Auto-Submitted',
      'Content-Transfer-Encoding',
      'Content-Type',
      'Date',
      'From',
      'MIME-Version',
      'Message-ID',
      'Subject',
      'To',
    ]);
  });

  it('goes to no server without TLS unless it is said to be of this machine, and tells it no password', async () => {
    const { port, taken, passwords } = await server(null, { user: 'perdure', password: 'planted' });
    const way = { server: `smtp://localhost:${port}`, user: '${env.MAIL_USER}', password: '${env.MAIL_PASSWORD}' };
    const env = { MAIL_USER: 'perdure', MAIL_PASSWORD: 'planted' };
    await expect(send(way, WORDS, env)).rejects.toThrow('the mail server did not take it (ETLS');
    expect([taken, passwords]).toEqual([[], []]);
    await send({ ...way, tls: false }, WORDS, env);
    expect(taken).toMatchObject([{ user: 'perdure', secure: false }]);
  });

  it('that is not taken says why by number alone: what a server says may name the password', async () => {
    const { port, refusals } = await server(null, { user: 'perdure', password: 'right' });
    const way = { server: `smtp://127.0.0.1:${port}`, tls: false as const, user: '${env.U}', password: '${env.P}' };
    const wrong = await send(way, WORDS, { U: 'perdure', P: 'planted-password' }).catch(String);
    expect(wrong).toContain('the mail server did not take it (EAUTH, 535)');
    expect(wrong).not.toContain('planted');
    await expect(send(way, WORDS, { U: 'perdure' })).rejects.toThrow(
      'the variable `P` is not set where the worker runs',
    );
    refusals.push(451);
    await expect(send(way, WORDS, { U: 'perdure', P: 'right' })).rejects.toThrow('(EMESSAGE, 451)');
  });
});

describe('where mails go', () => {
  it('is a server with TLS, at its usual port where none is written', () => {
    expect(mailServerAt('smtp://mail.example.com')).toMatchObject({
      host: 'mail.example.com',
      port: 587,
      secure: false,
    });
    expect(mailServerAt('smtps://[::1]:9')).toMatchObject({ host: '::1', port: 9, secure: true, isHere: true });
    for (const wrong of [
      'mail.example.com',
      'http://mail.example.com',
      'smtp://ana:secret@mail.example.com',
      'smtp://mail.example.com/path',
      'smtp://mail.example.com:0',
      'smtp://mail.example.com:70000',
      'smtp://mail.example.com\r\nX',
    ])
      expect(isMailServer(wrong), wrong).toBe(false);
    expect(isMailServer('smtp://localhost:25', 'of this machine')).toBe(true);
    expect(isMailServer('smtp://mail.example.com', 'of this machine')).toBe(false);
    expect(isMailServer('smtp://localhost.example.com', 'of this machine')).toBe(false);
  });

  it('is one bare address, which can end no header and name nobody else', () => {
    for (const right of ['ana@example.com', 'a.b+c@localhost']) expect(isMailbox(right), right).toBe(true);
    for (const wrong of [
      'ana',
      'Ana <ana@example.com>',
      'ana@example.com, eve@example.com',
      'ana@example.com\nBcc: eve@example.com',
      'ana@example.com\n',
      '"a b"@example.com',
    ])
      expect(isMailbox(wrong), wrong).toBe(false);
  });
});
