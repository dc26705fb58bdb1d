// @seconds 60
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finding } from '../../src/workers/doctor/finding.js';
import type { Project } from '../faults/project.js';
import { openProject, projectAt, until } from '../faults/project.js';
import { FULL } from '../faults/seed.js';
import type { Cluster } from './cluster/cluster.js';
import { startCluster } from './cluster/cluster.js';

const CANARY = 'qzkwvxyj';
const RUN = 'of-the-cluster';
const FILES = {
  'perdure.yml': 'encryption:\n  keys: ["${env.KEY}"]\n',
  'waits.yml':
    'name: waits\ninputs:\n  word: {type: string}\nsteps:\n  - id: say\n    command: [printf, "%s", "${word}"]\n' +
    '  - id: gate\n    approval: "Is ${steps.say.output} right?"\noutput: "${steps.say.output}"\n',
};
const TEAM = ['team:read', 'team:write', 'team:worker'];

describe.each(FULL ? ['with a real cluster'] : [])('%s', { tags: ['cluster'] }, () => {
  let cluster: Cluster;
  let project: Project;
  // The server is built once, which takes minutes.
  beforeAll(async () => {
    cluster = await startCluster();
    project = await openProject(FILES);
  }, 1_800_000);
  afterAll(async () => {
    await project.close();
    await cluster.close();
  });

  const key = randomBytes(32).toString('base64');

  /** The project with what its user has: a client certificate, and an API key with these permissions. */
  function withRights(permissions: string[], other: Record<string, string> = {}): Project {
    const { authority, client } = cluster.certificates;
    return projectAt(project.folder, {
      KEY: key,
      TEMPORAL_ADDRESS: cluster.address,
      TEMPORAL_NAMESPACE: 'team',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.key,
      ...(permissions.length === 0 ? {} : { TEMPORAL_API_KEY: cluster.apiKey(...permissions) }),
      ...other,
    });
  }

  async function finding(of: Project, name: string): Promise<Finding | undefined> {
    const { findings } = JSON.parse((await of.run('doctor', '--json')).stdout) as { findings: Finding[] };
    return findings.find((one) => one.name === name);
  }

  it('setup makes what a cluster lacks, once, for who may; doctor says what is missing', async () => {
    const elsewhere = 'temporal elsewhere';
    const refused = { ok: false, detail: expect.stringContaining('does not let this user into') as string };
    expect(await finding(withRights([]), elsewhere)).toMatchObject(refused);
    expect(await finding(withRights(['other:admin']), elsewhere)).toMatchObject(refused);
    const { authority } = cluster.certificates;
    const plain = projectAt(project.folder, {
      KEY: key,
      TEMPORAL_ADDRESS: cluster.address,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority,
      TEMPORAL_API_KEY: cluster.apiKey('temporal-system:admin'),
    });
    expect(await finding(plain, elsewhere)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('not reachable'),
    });

    const admin = withRights(['temporal-system:admin']);
    expect(await finding(admin, elsewhere)).toMatchObject({ ok: false, fix: 'Make it: perdure setup' });
    const without = await withRights(['other:admin']).run('setup');
    expect([without.code, without.stderr]).toEqual([3, expect.stringContaining('does not let this user')]);
    const made = await admin.run('setup', '--json', '--retention', '3');
    expect(JSON.parse(made.stdout)).toMatchObject({
      namespace: 'team',
      made: {
        namespace: true,
        search_attributes: ['PerdureDefinition', 'PerdurePlan', 'PerdureRoot', 'PerdureStatus'],
      },
    });
    const again = await admin.run('setup', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ made: { namespace: false, search_attributes: [] } });

    const team = withRights(TEAM);
    expect(await finding(team, elsewhere)).toMatchObject({ ok: true, detail: expect.stringContaining('server 1.29') });
    expect(await finding(team, 'search attributes')).toMatchObject({ ok: true });
  });

  it('runs go there, by variables and by a profile, and the cluster can read none of them', async () => {
    const team = withRights(TEAM);
    const worker = team.start('worker');
    let said = '';
    worker.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('Ready: '));

    const submitted = await team.run('run', 'waits.yml', '-i', `word=${CANARY}`, '--id', RUN, '--detach');
    expect(submitted.code, submitted.stderr).toBe(0);
    const toml = join(project.folder, 'temporal.toml');
    const { authority, client } = cluster.certificates;
    writeFileSync(
      toml,
      [
        '[profile.team]',
        `address = "${cluster.address}"`,
        'namespace = "team"',
        `api_key = "${cluster.apiKey(...TEAM)}"`,
        '[profile.team.tls]',
        `server_ca_cert_path = "${authority}"`,
        `client_cert_path = "${client.certificate}"`,
        `client_key_path = "${client.key}"`,
      ].join('\n'),
    );
    const profiled = projectAt(project.folder, { KEY: key, TEMPORAL_CONFIG_FILE: toml, TEMPORAL_PROFILE: 'team' });
    await until(async () => (await profiled.run('list', '--waiting', '--json')).stdout.includes(`${RUN}/gate`));
    const approved = await profiled.run('approve', `${RUN}/gate`, '--comment', CANARY);
    expect(approved.code, approved.stderr).toBe(0);
    const watched = await team.run('watch', RUN);
    expect([watched.code, watched.stdout.trim()], watched.stderr).toEqual([0, CANARY]);

    worker.process.kill('SIGTERM');
    expect((await worker.finished).code).toBe(0);
    const bytes = await cluster.stop();
    const holding = (word: string): number => bytes.filter((file) => file.includes(word)).length;
    expect(holding(RUN)).toBeGreaterThan(0); // ids are plain
    expect(holding(CANARY)).toBe(0);
  });
});
