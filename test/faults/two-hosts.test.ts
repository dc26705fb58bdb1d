// @seconds 50
import { describe, expect, it } from 'vitest';
import { findServer } from '../../src/workers/server/embedded-server.js';
import { readHostFile } from '../../src/workers/host/host-files.js';
import {
  endWithEachTest,
  kill,
  leaveRun,
  newFolder,
  openLink,
  runsAt,
  waitFor,
  watchServers,
} from '../workers/helpers/setting.js';

endWithEachTest();

describe('hosts that are killed with -9', () => {
  it('at any moment, two commands that race never end up with two servers', async () => {
    const stateDir = newFolder();
    const servers = watchServers(stateDir);
    const left: string[] = [];
    for (let round = 0; round < 20; round++) {
      const links = await Promise.all([openLink(stateDir), openLink(stateDir)]);
      const [link] = links;
      const id = `round-${String(round)}`;
      await waitFor('a start', () =>
        leaveRun(link, id).then(
          () => true,
          (error: unknown) => String(error).includes('already'),
        ),
      );
      left.push(id);
      await Promise.all(links.map((each) => each.close()));
      const pids = [(await readHostFile(stateDir))?.host.pid, (await findServer(stateDir))?.identity.pid];
      if (round % 3 !== 1) kill(pids[0]);
      if (round % 3 !== 0) kill(pids[1]);
    }
    const link = await openLink(stateDir);
    await waitFor('all runs', async () => (await runsAt(link).catch((): string[] => [])).length === left.length);
    expect(await runsAt(link)).toEqual(left.sort());
    servers.end();
    expect(servers.most()).toBe(1);
    await link.close();
  });
});
