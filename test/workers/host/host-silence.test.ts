// @seconds 10
import { once } from 'node:events';
import { createConnection, createServer } from 'node:net';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { CLIENT_TYPES, HOST_TYPES, receive, send } from '../../../src/workers/host/control-protocol.js';
import type { ClientMessage, HostMessage, HostStatus } from '../../../src/workers/host/control-protocol.js';
import { diagnose } from '../../../src/workers/doctor/doctor.js';
import type { UnavailableError } from '../../../src/workers/errors.js';
import { hostStatus, stopHost } from '../../../src/workers/host/host-client.js';
import { identifySelf } from '../../../src/workers/host/host-files.js';
import { watchSilence } from '../../../src/workers/host/host-heartbeat.js';
import { endWithEachTest, newFolder, openLink, waitFor } from '../helpers/setting.js';

endWithEachTest();

describe('a host that stands still', () => {
  it('is told of by whoever asks, joins or ends it, and does what it was asked when it goes on', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    const { pid = 0 } = (await hostStatus(stateDir)) ?? {};
    const refused = {
      message: `The host of \`${stateDir}\` (process ${String(pid)}) does not answer: it was stopped and stands still.`,
      hint:
        `Let it go on: kill -CONT ${String(pid)}. Or end it: kill -9 ${String(pid)}; the next command starts ` +
        `another, and open runs go on`,
    };
    const reason = (asked: Promise<unknown>): Promise<unknown> =>
      asked.then(
        () => null,
        (error: unknown) => error,
      );
    process.kill(pid, 'SIGSTOP');
    const findings = diagnose({ root: stateDir, stateDir, configFile: null }, {}, { PATH: process.env['PATH'] });
    expect(await Promise.all([reason(hostStatus(stateDir)), reason(openLink(stateDir))])).toMatchObject([
      refused,
      refused,
    ]);
    expect((await findings).find(({ name }) => name === 'host')).toMatchObject({
      ok: false,
      required: true,
      detail: refused.message,
      fix: refused.hint,
    });
    process.kill(pid, 'SIGCONT');
    expect(await hostStatus(stateDir)).toMatchObject({ phase: 'ready', pid });
    process.kill(pid, 'SIGSTOP');
    expect(await reason(stopHost(stateDir))).toMatchObject(refused);
    process.kill(pid, 'SIGCONT');
    await waitFor('its end', async () => (await hostStatus(stateDir)) === null);
    await link.close();
  });
});

describe('the watch over a conversation', () => {
  /** What is said of a host of ours that answers only as this says, `question` counted from 1. */
  async function told(
    answer: (socket: Socket, question: number) => void,
  ): Promise<{ errors: UnavailableError[]; questions: () => number; socket: Socket }> {
    const path = join(newFolder(), 'sock');
    const errors: UnavailableError[] = [];
    let questions = 0;
    const server = createServer((socket) =>
      receive<ClientMessage>(socket, CLIENT_TYPES, () => answer(socket, (questions += 1))),
    ).listen(path);
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const socket = createConnection(path);
    onTestFinished(() => void socket.destroy());
    const watch = watchSilence(
      socket,
      { stateDir: '/state', host: await identifySelf() },
      (error) => errors.push(error),
      5,
    );
    receive<HostMessage>(socket, HOST_TYPES, watch.heard);
    return { errors, questions: () => questions, socket };
  }

  it('gives up a host that runs and never answers, once, and names its log', async () => {
    const { errors, questions } = await told(() => undefined);
    await waitFor('the error', () => errors.length > 0);
    expect(questions()).toBeGreaterThan(20);
    expect(errors.map(({ message, hint }) => [message, hint])).toEqual([
      [
        `The host of \`/state\` (process ${String(process.pid)}) does not answer.`,
        `Its log is /state/logs/host.log. End it: kill -9 ${String(process.pid)}; the next command starts ` +
          `another, and open runs go on`,
      ],
    ]);
  });

  it('waits for one that answers now and then, however long it takes', async () => {
    const { errors, questions, socket } = await told(
      (to, question) => question % 10 === 0 && send(to, { type: 'status', status: {} as HostStatus }),
    ); // only that it says something matters
    await waitFor('many questions', () => questions() > 100);
    expect(errors).toEqual([]);
    socket.destroy();
    const asked = questions();
    await once(socket, 'close');
    expect(questions() - asked).toBeLessThan(3);
  });
});
