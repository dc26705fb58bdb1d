// @module-tag postgres
// @module-tag git
// @module-tag networks
// @seconds 60
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Project } from '../project.js';
import { until } from '../project.js';
import { endOf, holderOf, openMachine, openShared, signalFolder, startWorker } from './machines.js';
import { makeOwnNetwork } from './networks.js';

const FILES = (signals: string): Record<string, string> => ({
  'flow.yml': `name: flow
workspace: worktree
steps:
  - id: first
    command: [sh, -c, "echo one > made.txt"]
    commit: Make a file
  - id: held
    command: [sh, held.sh, "${signals}"]
    timeout: 10m
  - id: last
    command: [cat, made.txt]
`,
  'held.sh': 'hostname -I > $1/at; while [ ! -e $1/go ]; do sleep 0.1; done\n',
});

/** Where the held step said that it is. */
function placeIn(signals: string): string | null {
  const text = existsSync(join(signals, 'at')) ? readFileSync(join(signals, 'at'), 'utf8') : '';
  return text.includes('\n') ? text.trim() : null;
}

it('goes on elsewhere with a run whose worker is parted from all servers; that worker serves again later', async () => {
  const { postgres, address, close } = await openShared();
  onTestFinished(close);
  const url = await postgres.createDatabase();
  const signals = signalFolder();
  const networks = await Promise.all([60, 61].map(makeOwnNetwork));
  const machines = await Promise.all(
    networks.map(async ({ inside, reach }) => {
      const server = new URL(await reach(`tcp://${address}`)).host;
      return openMachine(FILES(signals), { TEAM_STORE: await reach(url), TEMPORAL_ADDRESS: server }, inside);
    }),
  );
  const [one, other] = machines as [Project, Project];
  // Nothing else of this machine is there.
  const [{ inside } = { inside: [] }] = networks;
  const direct = await openMachine(FILES(signals), { TEAM_STORE: url, TEMPORAL_ADDRESS: address }, inside);
  expect(await direct.run('list')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('is not reached') as string,
  });

  for (const machine of machines) await startWorker(machine);
  expect(await one.run('run', 'flow.yml', '--id', 'far', '--detach')).toMatchObject({ code: 0 });
  const before = await until(() => placeIn(signals));
  const folder = (await holderOf(postgres, url, 'far'))?.folder ?? '';
  const lostAt = machines.findIndex((project) => folder.startsWith(project.folder));
  const left = lostAt === 0 ? other : one;
  rmSync(join(signals, 'at'));
  networks[lostAt]?.part();
  expect(await until(() => placeIn(signals))).not.toBe(before);
  writeFileSync(join(signals, 'go'), '');
  expect(await endOf(left, 'far')).toMatchObject({ status: 'success', output: 'one' });

  networks[lostAt]?.join();
  await until(async () => (JSON.parse((await left.run('workers', '--json')).stdout) as unknown[]).length === 2);
  for (const machine of machines) {
    const again = await machine.run('run', 'flow.yml');
    expect([again.code, again.stdout], again.stderr).toEqual([0, 'one\n']);
  }
});
