// @seconds 65
import { describe, expect, it } from 'vitest';
import { findServer } from '../../../src/workers/server/embedded-server.js';
import { hostStatus, stopHost } from '../../../src/workers/host/host-client.js';
import { readHostFile } from '../../../src/workers/host/host-files.js';
import { takeLock } from '../../../src/workers/processes/lock.js';
import { isRunning } from '../../../src/workers/processes/processes.js';
import { claimFreePort } from '../../../src/workers/server/ports.js';
import {
  endWithEachTest,
  kill,
  leaveRun,
  newFolder,
  openLink,
  runsAt,
  serversOn,
  waitFor,
  watchServers,
} from '../helpers/setting.js';

endWithEachTest();

describe('after kill -9', () => {
  it.each([
    ['of the host alone', ['host']],
    ['of the server alone', ['server']],
    ['of both', ['host', 'server']],
    ['of both, the server first', ['server', 'host']],
  ])('%s, the next command finds one server with all its data', async (_, victims) => {
    const stateDir = newFolder();
    const servers = watchServers(stateDir);
    const before = await openLink(stateDir);
    await leaveRun(before, 'kept');
    const pids: Record<string, number | undefined> = {
      host: (await readHostFile(stateDir))?.host.pid,
      server: (await findServer(stateDir))?.identity.pid,
    };
    await before.close();
    for (const victim of victims) kill(pids[victim]);
    const after = await openLink(stateDir);
    await waitFor('the run', async () => (await runsAt(after).catch((): string[] => [])).includes('kept'));
    expect(await serversOn(stateDir)).toHaveLength(1);
    expect((await serversOn(stateDir))[0] === pids['server']).toBe(!victims.includes('server'));
    servers.end();
    expect(servers.most()).toBe(1);
    await after.close();
  });

  it('of the host, who asks it to end ends the server that it left', async () => {
    const stateDir = newFolder();
    await (await openLink(stateDir)).close();
    const file = await readHostFile(stateDir);
    kill(file?.host.pid);
    await waitFor('its end', async () => file !== null && !(await isRunning(file.host)));
    expect(await stopHost(stateDir)).toBe(true);
    expect(await serversOn(stateDir)).toEqual([]);
    expect(await stopHost(stateDir)).toBe(false);
  });

  it('of the host, whose lock something holds for a moment more, its server is ended too', async () => {
    const stateDir = newFolder();
    await (await openLink(stateDir)).close();
    const file = await readHostFile(stateDir);
    kill(file?.host.pid);
    await waitFor('its end', async () => file !== null && !(await isRunning(file.host)));
    const lock = await takeLock(stateDir, 'host');
    setTimeout(() => void lock?.release(), 300);
    expect(await stopHost(stateDir)).toBe(true);
    expect(await serversOn(stateDir)).toEqual([]);
  });

  it('of the server under an open link, the link goes on at the same address', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    await leaveRun(link, 'kept');
    kill((await findServer(stateDir))?.identity.pid);
    await waitFor('the run', async () => (await runsAt(link).catch((): string[] => [])).includes('kept'));
    // The server answers a moment before the host has taken note of it.
    const [server] = await serversOn(stateDir);
    await waitFor('the host file', async () => (await readHostFile(stateDir))?.server?.pid === server);
    expect(await hostStatus(stateDir)).toMatchObject({ restarts: 1, serverPid: server });
    await link.close();
  });

  it('of the server, its ports stay its own until it is there again', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    const dead = await findServer(stateDir);
    const ports = [dead?.ports.grpc ?? 0, dead?.ports.ui ?? 0];
    kill(dead?.identity.pid);
    const taken: number[] = [];
    await waitFor('another server', async () => {
      for (const port of ports) {
        const claim = await claimFreePort(port);
        if (claim.port === port) taken.push(port);
        claim.release();
      }
      const now = await findServer(stateDir);
      return now !== null && now.identity.pid !== dead?.identity.pid;
    });
    expect(taken).toEqual([]);
    await link.close();
  });

  it('of the host under an open link, the link starts another one', async () => {
    const stateDir = newFolder();
    const lines: string[] = [];
    const link = await openLink(stateDir, (line) => lines.push(line));
    const first = (await hostStatus(stateDir))?.pid;
    kill(first);
    const second = await waitFor('another host', async () => {
      const status = await hostStatus(stateDir);
      return status?.phase === 'ready' && status.pid !== first && status.clients === 1 && status;
    });
    expect(second.address).toBe((await findServer(stateDir))?.address);
    expect(lines.join('\n')).toContain('the host ended: it was killed');
    await link.close();
  });

  it('of a host that makes its first database, nothing half-made is left to trip over', async () => {
    const stateDir = newFolder();
    const opening = openLink(stateDir);
    opening.catch(() => {});
    const server = await waitFor('the server', () => findServer(stateDir));
    const host = await readHostFile(stateDir);
    kill(server.identity.pid);
    kill(host?.host.pid);
    const link = await opening.catch(() => openLink(stateDir));
    await leaveRun(link, 'kept');
    // What is listed follows what was started by a moment.
    await waitFor('the run', async () => (await runsAt(link)).includes('kept'));
    await link.close();
  });
});
