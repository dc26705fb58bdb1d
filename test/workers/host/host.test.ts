// @seconds 65
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Client } from '@temporalio/client';
import type { RunOutcome } from '../../../src/plan/result.js';
import { hostStatus, joinHost, stopHost } from '../../../src/workers/host/host-client.js';
import type { HostConnection, JoinOptions } from '../../../src/workers/host/host-client.js';
import { hostLog, readHostFile } from '../../../src/workers/host/host-files.js';
import { isRunning } from '../../../src/workers/processes/processes.js';
import { openTemporal } from '../../../src/workers/link/temporal-link.js';
import { pollersOf } from '../../../src/workers/connection/task-queue.js';
import { WORKER_FLAGS } from '../../../src/workers/worker/worker-options.js';
import { endWithEachTest, newFolder, readText, serversOn, waitFor, watchServers } from '../helpers/setting.js';

endWithEachTest();

function joining(stateDir: string, more: Partial<JoinOptions> = {}): Promise<HostConnection> {
  return joinHost({ stateDir, taskQueue: null, start: true, credentials: {}, onProgress: () => {}, ...more });
}

describe('the host', () => {
  it('is started by the first command, tells how far it is, and is joined by the next', async () => {
    const stateDir = newFolder();
    const lines: string[] = [];
    const first = await joining(stateDir, { onProgress: (line) => lines.push(line) });
    expect(lines).toEqual(['starting the host', 'starting the Temporal server']);
    const second = await joining(stateDir, { start: false });
    expect(second.host).toEqual(first.host);
    expect(Object.keys(first.host.phases)).toEqual(['process', 'server', 'worker']);
    expect(await hostStatus(stateDir)).toMatchObject({
      phase: 'ready',
      clients: 2,
      restarts: 0,
      serverPid: (await serversOn(stateDir))[0],
    });
    first.leave();
    second.leave();
  });

  it('is one for ten commands at once', async () => {
    const stateDir = newFolder();
    const servers = watchServers(stateDir);
    const seats = await Promise.all(Array.from({ length: 10 }, () => joining(stateDir)));
    expect(new Set(seats.map(({ host }) => host.pid)).size).toBe(1);
    servers.end();
    expect(servers.most()).toBe(1);
    seats.forEach((seat) => seat.leave());
  });

  it('has the flags of Node that workers are measured with', async () => {
    const folder = newFolder();
    const entry = join(folder, 'entry.mjs');
    writeFileSync(entry, 'console.error(process.execArgv.join(" ")); process.exit(9);');
    await expect(joining(folder, { entry })).rejects.toThrow(`\n  ${WORKER_FLAGS.join(' ')}`);
  });

  it('keeps its files and its socket from other users', async () => {
    const stateDir = newFolder();
    const seat = await joining(stateDir);
    const file = await readHostFile(stateDir);
    const modes = [`${stateDir}/host.json`, file?.socket ?? '', `${stateDir}/host`].map(
      (path) => statSync(path).mode & 0o777,
    );
    expect(modes).toEqual([0o600, 0o600, 0o700]);
    seat.leave();
  });

  it('keeps what it is told of providers in memory only', async () => {
    const stateDir = newFolder();
    const secret = 'canary-5f0c';
    process.env['ANTHROPIC_API_KEY'] = secret;
    const seat = await joining(stateDir, { credentials: { ANTHROPIC_API_KEY: secret } }).finally(
      () => delete process.env['ANTHROPIC_API_KEY'],
    );
    const places = [
      readText(hostLog(stateDir)),
      readText(stateDir, 'host.json'),
      ...['environ', 'cmdline'].map((name) => readText(`/proc/${String(seat.host.pid)}/${name}`)),
    ];
    expect(places.filter((text) => text.includes(secret))).toEqual([]);
    seat.leave();
  });

  it('ends when it is asked to, with its server', async () => {
    const stateDir = newFolder();
    const seat = await joining(stateDir);
    expect(await stopHost(stateDir)).toBe(true);
    expect(await seat.gone).toBe('it was asked to stop');
    expect(await serversOn(stateDir)).toEqual([]);
    expect(await stopHost(stateDir)).toBe(false);
    expect(await hostStatus(stateDir)).toBeNull();
  });

  it('ends by itself when nobody is joined and no run has work', async () => {
    const stateDir = newFolder();
    process.env['PERDURE_HOST_IDLE_MS'] = '50';
    const seat = await joining(stateDir).finally(() => delete process.env['PERDURE_HOST_IDLE_MS']);
    const file = await readHostFile(stateDir);
    seat.leave();
    await waitFor('its end', async () => file !== null && !(await isRunning(file.host)));
    expect(readText(hostLog(stateDir))).toContain('ends: nobody needs it');
    expect(await serversOn(stateDir)).toEqual([]);
  });

  it.each(['SIGTERM', 'SIGHUP'])('ends gracefully on %s', async (signal) => {
    const stateDir = newFolder();
    const seat = await joining(stateDir);
    process.kill(seat.host.pid, signal);
    expect(await seat.gone).toBe(`it got ${signal}`);
    await waitFor('its end', async () => (await serversOn(stateDir)).length === 0);
  });

  it('makes place for another build when nobody else needs it, and stays when somebody does', async () => {
    const stateDir = newFolder();
    const first = await joining(stateDir);
    const lines: string[] = [];
    const second = await joining(stateDir, { build: 'another', onProgress: (line) => lines.push(line) });
    expect(second.host.pid).toBe(first.host.pid);
    expect(lines.join()).toContain('the host runs another build of Perdure');
    first.leave();
    second.leave();
    await waitFor('both to leave', async () => (await hostStatus(stateDir))?.clients === 0);
    const third = joining(stateDir, { build: 'another', onProgress: (line) => lines.push(line) });
    third.catch(() => {});
    await waitFor(
      'another host',
      async () =>
        (await hostStatus(stateDir).catch(() => null))?.pid !== first.host.pid && lines.includes('starting the host'),
    );
    expect(await first.gone).toBeNull();
    expect(readText(hostLog(stateDir))).toContain('ends: another build, or other keys, take its place');
    (await third).leave();
  });

  it('is neither started nor ended by a command that only looks, also by one of another build', async () => {
    const stateDir = newFolder();
    await expect(joining(stateDir, { start: false })).rejects.toThrow('No host runs');
    const first = await joining(stateDir);
    first.leave();
    await waitFor('it to leave', async () => (await hostStatus(stateDir))?.clients === 0);
    const looking = await joining(stateDir, { start: false, build: 'another' });
    expect(looking.host.pid).toBe(first.host.pid);
    looking.leave();
  });

  it('keeps closed runs for 90 days, knows our search attributes, and its worker polls', async () => {
    const stateDir = newFolder();
    const link = await openTemporal({
      project: { stateDir },
      config: {},
      start: true,
      onProgress: () => {},
      credentials: () => ({}),
    });
    const { config } = await link.connection.workflowService.describeNamespace({ namespace: link.namespace });
    expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(90 * 24 * 3600);
    const { customAttributes } = await link.connection.operatorService.listSearchAttributes({
      namespace: link.namespace,
    });
    expect(Object.keys(customAttributes ?? {})).toEqual(
      expect.arrayContaining(['PerdureDefinition', 'PerdurePlan', 'PerdureRoot', 'PerdureStatus']),
    );
    expect(await pollersOf(link, { id: 'x' })).toHaveLength(1);
    const elsewhere = { ...link, taskQueue: 'nobody-here', embedded: false };
    await expect(pollersOf(elsewhere, { id: 'abc' })).rejects.toThrow(
      'No worker polls the task queue `nobody-here`, which needs the store `abc`.',
    );
    // Where our clock is ahead of the server's, a worker that is there seems gone.
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 3_600_000);
    await expect(pollersOf({ ...link, embedded: false }, { id: 'x' })).rejects.toMatchObject({
      hint: expect.stringContaining("One polled it 60 min ago by this machine's clock") as string,
    });
    clock.mockRestore();
    const outcome: Promise<RunOutcome> = new Client({ connection: link.connection }).workflow.execute(
      'no-such-workflow',
      { taskQueue: link.taskQueue, workflowId: 'w', workflowExecutionTimeout: '1s' },
    );
    await expect(outcome).rejects.toThrow();
    await link.close();
  });

  it('is waited for when its server was restarted and its worker does not poll yet', async () => {
    const link = await openTemporal({
      project: { stateDir: newFolder() },
      config: {},
      start: true,
      onProgress: () => {},
      credentials: () => ({}),
    });
    const later = { ...link, taskQueue: 'later' };
    const pollers = pollersOf(later, { id: 'x' });
    const over = new AbortController();
    const poll = link.connection.withAbortSignal(over.signal, () =>
      link.connection.withDeadline(Date.now() + 60_000, () =>
        link.connection.workflowService.pollWorkflowTaskQueue({
          namespace: link.namespace,
          taskQueue: { name: 'later' },
          identity: 'late',
        }),
      ),
    );
    expect(await pollers).toEqual(['late']);
    over.abort();
    await expect(poll).rejects.toThrow('CANCELLED');
    await link.close();
  });
});
