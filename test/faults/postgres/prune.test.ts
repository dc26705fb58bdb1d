// @module-tag postgres
// @seconds 30
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { sha256 } from '../../../src/store/hash.js';
import { openPostgresStore } from '../../../src/store/postgres/postgres-store.js';
import { openProject, projectAt } from '../project.js';
import type { PostgresServer } from './server.js';
import { startPostgres } from './server.js';

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.remove());

const OUTER = 'name: outer\nsteps:\n  - {id: says, command: [echo, said]}\n  - {id: below, workflow: ./inner.yml}\n';
const INNER = 'name: inner\nsteps:\n  - {id: says, command: [echo, below]}\n';
const LOOKS = 'name: looks\nsteps:\n  - {command: [echo, below], effect: none}\n';
const ASKS = 'name: asks\nsteps:\n  - ask: Which?\n  - command: [echo, "${steps[0].output}"]\n';

describe('prune of a store on PostgreSQL', () => {
  it('leaves nothing of a run that has closed but its values, and all of one that is open', async () => {
    const url = await server.createDatabase();
    const project = await openProject(
      {
        'perdure.yml': 'store: {postgres: "${env.TEAM_STORE}"}\n',
        'outer.yml': OUTER,
        'inner.yml': INNER,
        'asks.yml': ASKS,
      },
      { TEAM_STORE: url },
    );
    onTestFinished(() => project.close());
    const rowsOf = async (run: string): Promise<string[]> => {
      const told = await server.query(
        url,
        `select 'log' as what from perdure.logs where run = $1
         union all select 'record' from perdure.runs where run = $1 or starts_with(run, $1 || '/')
         union all select kind from perdure.records where name = $1`,
        [run],
      );
      return [...new Set(told.map(({ what }) => String(what)))].sort();
    };
    expect((await project.run('run', 'outer.yml', '--id', 'old')).code).toBe(0);
    expect((await project.run('run', 'asks.yml', '--id', 'waits', '--no-wait')).code).toBe(4);
    expect(await rowsOf('old')).toEqual(expect.arrayContaining(['log', 'record', 'submitted']));
    const pruned = () => project.run('prune', '--older-than', '0', '--json', '--dry-run');
    // The server lists a run as open for a moment after it has closed.
    await expect
      .poll(async () => JSON.parse((await pruned()).stdout) as unknown)
      .toEqual({ runs: ['old'], journals: 0, open: 1 });
    expect((await project.run('prune', '--older-than', '0')).code).toBe(0);
    expect(await rowsOf('old')).toEqual([]);
    expect(await rowsOf('waits')).toContain('submitted');
    expect((await project.run('answer', 'waits', 'this')).code).toBe(0);
    expect((await project.run('watch', 'waits')).code).toBe(0);
    await expect
      .poll(async () => JSON.parse((await pruned()).stdout) as unknown)
      .toMatchObject({ runs: ['waits'], open: 0 });
    expect((await project.run('prune', '--older-than', '0')).code).toBe(0);
    expect(await server.query(url, 'select scope from perdure.journal')).toEqual([]);
    expect((await project.run('store', 'verify')).code).toBe(0);
  });

  it('takes what the database has, and no history of a server elsewhere', async () => {
    const url = await server.createDatabase();
    const files = { 'perdure.yml': 'store: {postgres: "${env.TEAM_STORE}"}\n', 'inner.yml': INNER };
    const project = await openProject(files, { TEAM_STORE: url });
    onTestFinished(() => project.close());
    expect((await project.run('run', 'inner.yml', '--id', 'far')).code).toBe(0);
    const { address } = JSON.parse((await project.run('server', 'status', '--json')).stdout) as { address: string };
    const elsewhere = projectAt(project.folder, { TEAM_STORE: url, TEMPORAL_ADDRESS: address });
    const prune = async (): Promise<unknown> => {
      const { code, stdout, stderr } = await elsewhere.run('prune', '--older-than', '0', '--json');
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    await expect.poll(prune).toMatchObject({ runs: ['far'], open: 0 });
    expect(await prune()).toMatchObject({ runs: [], open: 0 });
    expect(await server.query(url, 'select run from perdure.runs')).toEqual([]);
    expect((await project.run('list', '--json')).stdout).toContain('"far"');
  });

  it('leaves what waits at the own server of another machine, however long ago it was submitted', async () => {
    const url = await server.createDatabase();
    const files = {
      'perdure.yml': 'store: {postgres: "${env.TEAM_STORE}"}\n',
      'asks.yml': `${ASKS}    effect: none\n`,
      'inner.yml': LOOKS,
    };
    const [waiting, other] = [
      await openProject(files, { TEAM_STORE: url }),
      await openProject(files, { TEAM_STORE: url }),
    ];
    onTestFinished(async () => {
      await Promise.all([waiting.close(), other.close()]);
    });
    const begun = await waiting.run('run', 'asks.yml', '--id', 'waits', '--no-wait');
    expect(begun.code, begun.stderr).toBe(4);
    const ended = await other.run('run', 'inner.yml', '--id', 'old');
    expect(ended.code, ended.stderr).toBe(0);
    await server.query(
      url,
      `update perdure.records set content = (content::jsonb || '{"submitted_at": "2020-01-01T00:00:00.000Z"}')::text
       where kind = 'submitted'`,
    );
    const prune = async (): Promise<unknown> =>
      JSON.parse((await other.run('prune', '--older-than', '0', '--json')).stdout);
    await expect.poll(prune).toEqual({ runs: ['old'], journals: 0, open: 1 });
    expect((await waiting.run('answer', 'waits', 'this')).code).toBe(0);
    expect((await waiting.run('watch', 'waits')).code).toBe(0);
    expect(JSON.parse((await waiting.run('show', 'waits', '--json')).stdout)).toMatchObject({ output: 'this' });
  });

  it('takes journals alone that nobody has written to since, and that no kept run may reuse', async () => {
    const url = await server.createDatabase();
    const folder = mkdtempSync(join(tmpdir(), 'perdure-prune-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const store = await openPostgresStore(url, folder);
    const entry = { request: sha256('q'), response: 'a', at: '2026-01-01T00:00:00.000Z' };
    for (const scope of ['kept', 'old', 'written'])
      for (const key of ['a', 'b']) await store.writeJournal({ scope, key }, entry);
    await server.query(url, `update perdure.journal set written = '2026-01-01' where scope <> 'written' or key = 'a'`);
    const wanted = { before: new Date('2026-02-01'), keep: ['kept'] };
    expect(await store.listOldJournals(wanted)).toEqual(['old']);
    await store.removeJournals(['old']);
    expect((await store.listJournal('old')).length).toBe(0);
    expect((await store.listJournal('kept')).length).toBe(2);
    expect(await store.listOldJournals(wanted)).toEqual([]);
    expect(existsSync(folder)).toBe(true);
  });
});
