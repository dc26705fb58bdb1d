// @module-tag openssl
// @seconds 60
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';
import type { MailServer } from '../fakes/mail-server.js';
import { makeCertificate, startMailServer } from '../fakes/mail-server.js';

const ASKS = 'name: asks\nsteps:\n  - {id: ok, approval: "Save this?", content: "a report"}\n';
const ACCOUNT = { user: 'perdure', password: 'planted-password' };

let server: MailServer;
let project: Project;
beforeAll(async () => {
  const certificate = makeCertificate();
  server = await startMailServer({ ...certificate, secure: false }, ACCOUNT);
  project = await openProject(
    {
      'perdure.yml': [
        'notify:',
        '  on: [waiting]',
        '  email:',
        `    server: "smtp://localhost:${server.port}"`,
        '    user: "${env.MAIL_USER}"',
        '    password: "${env.MAIL_PASSWORD}"',
        '    from: perdure@example.com',
        '    to: [ana@example.com, bo@example.com]',
        '',
      ].join('\n'),
      'asks.yml': ASKS,
    },
    {
      MAIL_USER: ACCOUNT.user,
      MAIL_PASSWORD: ACCOUNT.password,
      NODE_EXTRA_CA_CERTS: certificate.file,
    },
  );
});
afterAll(async () => {
  await project.close();
  await server.close();
});

const mailsOf = (run: string) => server.taken.filter(({ body }) => body.includes(`${run}/ok`));
const people = (run: string): string[] =>
  mailsOf(run)
    .flatMap(({ to }) => to)
    .sort();

it('a gate is told of by a mail to each, over TLS, by who signs in with what is only named', async () => {
  const run = project.start('run', 'asks.yml', '--id', 'first');
  await until(() => mailsOf('first').length === 2 || undefined);
  expect(people('first')).toEqual(['ana@example.com', 'bo@example.com']);
  for (const mail of mailsOf('first')) {
    expect(mail).toMatchObject({ user: 'perdure', secure: true });
    expect(mail.headers).toContain('Subject: asks waits for a person');
    expect(mail.body).toContain('perdure approve first/ok');
  }
  expect((await project.run('approve', 'first/ok')).code).toBe(0);
  expect((await run.finished).code).toBe(0);
  const { stdout } = await project.run('show', 'first', '--json');
  expect(stdout).not.toContain(ACCOUNT.password);
});

it('what the server does not take is sent again over a killed host, and what it took is not', async () => {
  // It takes none before the host is killed: what it has taken a moment before, nobody would know of.
  server.refusals.push(...Array.from({ length: 20 }, () => 451));
  const run = project.start('run', 'asks.yml', '--id', 'killed', '--detach');
  expect((await run.finished).code).toBe(0);
  await until(() => server.refusals.length <= 18);
  const { host } = await project.pids();
  kill(host ?? 0);
  await until(() => server.connected() === 0);
  server.refusals.splice(0, Infinity, 451);
  expect((await project.run('server', 'start')).code).toBe(0);
  await until(() => mailsOf('killed').length >= 2 || undefined);
  expect((await project.run('approve', 'killed/ok')).code).toBe(0);
  expect((await project.run('watch', 'killed')).code).toBe(0);
  expect(people('killed')).toEqual(['ana@example.com', 'bo@example.com']);
  const ids = mailsOf('killed').map(({ headers }) => headers.find((line) => line.startsWith('Message-ID')));
  expect(new Set(ids).size).toBe(1);
  expect((await project.run('logs', 'killed')).stdout).toContain('the mail server did not take it (EMESSAGE, 451)');
});
