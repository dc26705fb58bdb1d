// @seconds 15
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, linkSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { Server } from 'node:net';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openRoot } from '../../../src/store/folders/root.js';
import { UnavailableError } from '../../../src/workers/errors.js';
import { hostStatus, joinHost, stopHost } from '../../../src/workers/host/host-client.js';
import { checkDatabase } from '../../../src/workers/server/server-database.js';
import { findTemporal } from '../../../src/workers/temporal-binary/find.js';
import { endWithEachTest, newFolder, openLink, serversOn, waitFor } from '../helpers/setting.js';

endWithEachTest();

const listeners: Server[] = [];
afterEach(() => {
  for (const listener of listeners.splice(0)) listener.close();
});

/** A program that is no server of ours, on a port; false where the port is taken already. */
function occupy(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const listener = createServer((socket) => socket.destroy());
    listener.once('error', () => resolve(false));
    listener.listen(port, '127.0.0.1', () => {
      listeners.push(listener);
      resolve(true);
    });
  });
}

const join1 = (stateDir: string, onProgress: (line: string) => void = () => {}): Promise<unknown> =>
  joinHost({ stateDir, taskQueue: null, start: true, credentials: {}, onProgress });

async function refusal(stateDir: string): Promise<UnavailableError> {
  const error: unknown = await join1(stateDir).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UnavailableError)) throw new Error(`Expected an UnavailableError, got ${String(error)}`);
  expect(await serversOn(stateDir)).toEqual([]);
  return error;
}

/** Has hosts that start meanwhile use this Temporal program. */
async function withProgram(path: string, act: () => Promise<void>): Promise<void> {
  const before = process.env['PERDURE_TEMPORAL_BIN'];
  process.env['PERDURE_TEMPORAL_BIN'] = path;
  try {
    await act();
  } finally {
    if (before === undefined) delete process.env['PERDURE_TEMPORAL_BIN'];
    else process.env['PERDURE_TEMPORAL_BIN'] = before;
  }
}

describe('a host in trouble', () => {
  it('does not join a foreign server on the usual ports, and takes others', async () => {
    for (let isOther = false; !isOther;) {
      const isForeign = await occupy(8233);
      await occupy(7233);
      const link = await openLink(newFolder());
      expect(link.uiUrl).not.toBeNull();
      isOther = link.uiUrl?.includes(':8233') !== true;
      // A server of another test serves as well; where it has ended by now, its port was free.
      expect(isOther || !isForeign).toBe(true);
      expect((await link.connection.workflowService.getSystemInfo({})).serverVersion).toMatch(/^1\./);
      await link.close();
    }
  });

  it('is not started where a state folder was that this process has open and somebody has moved', async () => {
    const stateDir = newFolder();
    openRoot(stateDir);
    renameSync(stateDir, `${stateDir}-moved`);
    const { message, hint } = await refusal(stateDir);
    expect(message).toBe(`The state folder \`${stateDir}\` was moved or removed: nothing is written there.`);
    expect(hint).toContain('start the command there');
    expect(existsSync(stateDir)).toBe(false);
  });

  it('refuses a database that is none, and leaves it as it is', async () => {
    const stateDir = newFolder();
    writeFileSync(join(stateDir, 'temporal.db'), 'my diary\n'.repeat(1000));
    expect((await refusal(stateDir)).message).toBe(`The server's database \`${stateDir}/temporal.db\` is corrupt.`);
  });

  it('refuses a database whose inside is damaged, with what the server said behind it', async () => {
    const stateDir = newFolder();
    writeFileSync(
      join(stateDir, 'temporal.db'),
      Buffer.concat([Buffer.from('SQLite format 3\0'), Buffer.alloc(8000, 7)]),
    );
    expect((await refusal(stateDir)).message).toContain('corrupt');
  });

  it('refuses a read-only database, also for root', async () => {
    const stateDir = newFolder();
    writeFileSync(join(stateDir, 'temporal.db'), '');
    chmodSync(join(stateDir, 'temporal.db'), 0o444);
    expect((await refusal(stateDir)).message).toBe(`The server's database \`${stateDir}/temporal.db\` is read-only.`);
  });

  it('refuses a database that another folder has too, by a hard link, and leaves its server alone', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    const copy = newFolder();
    linkSync(join(stateDir, 'temporal.db'), join(copy, 'temporal.db'));
    expect((await refusal(copy)).message).toBe(
      `The server's database \`${copy}/temporal.db\` is in another folder too, by a hard link.`,
    );
    expect(await serversOn(stateDir)).toHaveLength(1);
    await link.close();
  });

  it.each([
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['no JSON', (file: string) => writeFileSync(file, '{')],
  ])('is found by its socket, and ended, where its file is %s', async (_what, spoil) => {
    const stateDir = newFolder();
    const { leave } = await joinHost({ stateDir, taskQueue: null, start: true, credentials: {}, onProgress: () => {} });
    rmSync(join(stateDir, 'host.json'));
    spoil(join(stateDir, 'host.json'));
    expect(await hostStatus(stateDir)).toMatchObject({ phase: 'ready' });
    leave();
    expect(await stopHost(stateDir)).toBe(true);
    expect(await serversOn(stateDir)).toEqual([]);
  });

  it('is found again where somebody has removed its socket, and keeps who has joined', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    const { pid } = (await hostStatus(stateDir)) ?? {};
    rmSync(join(stateDir, 'host'), { recursive: true });
    const status = await waitFor('its socket', () => hostStatus(stateDir));
    expect(status).toMatchObject({ phase: 'ready', pid, clients: 1 });
    await link.close();
    expect(await stopHost(stateDir)).toBe(true);
    expect(existsSync(join(stateDir, 'host', 'control.sock'))).toBe(false);
  });

  it('refuses a state folder that is a file', async () => {
    const stateDir = join(newFolder(), 'state');
    writeFileSync(stateDir, '');
    await expect(join1(stateDir)).rejects.toThrow('Expected a folder at');
  });

  // /proc has no free space, whoever asks and without anything to mount.
  it('refuses a full disk before the server meets it', async () => {
    await expect(checkDatabase('/proc/self')).rejects.toThrow('The disk of the state folder `/proc/self` is full.');
  });

  it('says what is wrong when there is no Temporal program', () =>
    withProgram('/nowhere/temporal', async () => {
      const stateDir = newFolder();
      expect((await refusal(stateDir)).message).toContain('`/nowhere/temporal`');
      // What is brought back there afterwards is no database that a server has begun.
      expect(existsSync(join(stateDir, 'temporal.db.making'))).toBe(false);
    }));

  it('takes other ports when one was taken since its look, also by somebody who has left it again', async () => {
    const { path } = await findTemporal();
    const folder = newFolder();
    const program = join(folder, 'temporal');
    const taken = 'listen tcp 127.0.0.1:8233: bind: address already in use';
    writeFileSync(
      program,
      `#!/bin/sh\ncase "$*" in *start-dev*) if [ ! -e ${folder}/once ]; then : > ${folder}/once; echo ` +
        `'${taken}' >&2; exit 1; fi;; esac\nexec ${path} "$@"\n`,
      { mode: 0o755 },
    );
    await withProgram(program, async () => {
      const link = await openLink(newFolder());
      expect(existsSync(join(folder, 'once'))).toBe(true);
      await link.close();
    });
  });

  it('shows the tail of its log when its process dies at once', async () => {
    const folder = newFolder();
    const entry = join(folder, 'entry.mjs');
    writeFileSync(entry, "console.error('out of luck'); process.exit(9);");
    const joining = joinHost({
      stateDir: folder,
      taskQueue: null,
      start: true,
      credentials: {},
      onProgress: () => {},
      entry,
    });
    await expect(joining).rejects.toThrow(/ended at its start \(exit 9\)[^]*out of luck/);
  });

  it('is given up when one after another takes a command in and dies without a word', async () => {
    const folder = newFolder();
    const entry = join(folder, 'entry.mjs');
    mkdirSync(join(folder, 'host'));
    writeFileSync(
      entry,
      "import { createServer } from 'node:net'; import { rmSync } from 'node:fs';\n" +
        "rmSync('host/control.sock', { force: true });\n" +
        "createServer(() => { console.error('out of luck'); process.exit(9); }).listen('host/control.sock');\n",
    );
    const lines: string[] = [];
    const onProgress = (line: string): void => void lines.push(line);
    const joining = joinHost({ stateDir: folder, taskQueue: null, start: true, credentials: {}, onProgress, entry });
    await expect(joining).rejects.toThrow(/ended at its start \(exit 9\)[^]*out of luck/);
    expect(lines).toEqual(Array(4).fill('starting the host'));
  });

  it('works where the path of the state folder is too long for a socket', async () => {
    const stateDir = join(newFolder(), 'x'.repeat(120));
    mkdirSync(stateDir);
    const link = await openLink(stateDir);
    expect(link.embedded).toBe(true);
    await link.close();
    const { stopHost } = await import('../../../src/workers/host/host-client.js');
    expect(await stopHost(stateDir)).toBe(true);
  });
});
