import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, openSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { claimFreePort } from '../../../src/workers/server/ports.js';
import { until } from '../../faults/project.js';
import { startPostgres } from '../../faults/postgres/server.js';
import { clusterBinaries } from './binaries.js';
import type { Certificates } from './certificates.js';
import { createSigner, makeCertificates } from './certificates.js';

const SERVICES = ['frontend', 'internal-frontend', 'history', 'matching', 'worker'] as const;

/** A Temporal cluster with PostgreSQL, a process for each service, TLS with client certificates, and API keys. */
export interface Cluster {
  address: string;
  certificates: Certificates;
  apiKey: (...permissions: string[]) => string;
  /** Stops it; gives all bytes of its database and logs. */
  stop: () => Promise<Buffer[]>;
  close: () => Promise<void>;
}

/** Starts one in a folder of its own, and waits until it serves. */
export async function startCluster(): Promise<Cluster> {
  const folder = mkdtempSync(join(tmpdir(), 'perdure-cluster-'));
  const binaries = clusterBinaries();
  const certificates = makeCertificates(folder);
  const { keySet, apiKey } = createSigner();
  const ports = await freePorts(2 * SERVICES.length);
  const keys = createHttpServer((_, response) => response.end(JSON.stringify(keySet))).listen(0, '127.0.0.1');
  await once(keys, 'listening');
  const postgres = await startPostgres();
  makeSchemas(binaries, postgres.port);
  const keyPort = (keys.address() as AddressInfo).port; // it listens on TCP
  writeConfig(folder, { database: postgres.port, ports, keyPort, certificates });
  const [first, ...others] = SERVICES;
  const services = [startService(folder, binaries.server, first)];
  const requireAll = (): void => {
    const gone = services.findIndex(({ exitCode }) => exitCode !== null);
    if (gone !== -1) throw new Error(`The service ${SERVICES[gone] ?? ''} ended: ${folder}/logs`);
  };
  // Of several that find an empty database one writes what the cluster is, and the others may fail.
  await until(() => {
    requireAll();
    return readFileSync(join(folder, 'logs', first), 'utf8').includes('Use rpc address');
  });
  services.push(...others.map((name) => startService(folder, binaries.server, name)));
  const address = `localhost:${ports[0] ?? 0}`;
  await until(() => {
    requireAll();
    return serves(address, certificates, apiKey('temporal-system:admin'));
  });
  const end = async (): Promise<void> => {
    await Promise.all(services.map(ended));
    keys.close();
  };
  return {
    address,
    certificates,
    apiKey,
    stop: async () => {
      await end();
      await postgres.kill(); // All that it was told is in its log of writes.
      const files = [postgres.folder, join(folder, 'logs')].flatMap((name) =>
        readdirSync(name, { recursive: true, withFileTypes: true }),
      );
      return files.filter((file) => file.isFile()).map((file) => readFileSync(join(file.parentPath, file.name)));
    },
    close: async () => {
      await end();
      await postgres.remove();
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

async function serves(address: string, certificates: Certificates, apiKey: string): Promise<boolean> {
  const read = (file: string): Buffer => readFileSync(file);
  const { authority, client } = certificates;
  const tls = {
    serverRootCACertificate: read(authority),
    clientCertPair: { crt: read(client.certificate), key: read(client.key) },
  };
  try {
    const connection = await Connection.connect({ address, tls, apiKey, connectTimeout: 2000 });
    await connection.workflowService.listNamespaces({});
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

/** Below 32768: Temporal keeps a port in two bytes with a sign. */
async function freePorts(count: number): Promise<number[]> {
  const claims = await Promise.all(Array.from({ length: count }, () => claimFreePort(null)));
  claims.forEach(({ release }) => release());
  return claims.map(({ port }) => port);
}

const DATABASES = { temporal: 'temporal', visibility: 'temporal_visibility' };

function makeSchemas({ sql, schemas }: { sql: string; schemas: string }, port: number): void {
  for (const [schema, name] of Object.entries(DATABASES)) {
    const at = ['--plugin', 'postgres12', '--ep', '127.0.0.1', '-p', String(port), '-u', 'owner', '--db', name];
    const run = (...args: string[]): Buffer => execFileSync(sql, [...at, ...args], { stdio: 'pipe' });
    run('create-database');
    run('setup-schema', '-v', '0.0');
    run('update-schema', '-d', join(schemas, schema, 'versioned'));
  }
}

interface Settings {
  database: number;
  ports: number[];
  keyPort: number;
  certificates: Certificates;
}

/** Temporal's configuration; it is YAML, of which JSON is a part. */
function writeConfig(folder: string, { database, ports, keyPort, certificates }: Settings): void {
  const { authority, server } = certificates;
  const connectAddr = `127.0.0.1:${database}`;
  const store = (databaseName: string): object => ({
    sql: {
      pluginName: 'postgres12',
      databaseName,
      connectAddr,
      connectProtocol: 'tcp',
      user: 'owner',
      password: '',
    },
  });
  const services = SERVICES.map((name, index) => {
    const [grpcPort, membershipPort] = ports.slice(2 * index);
    return [name, { rpc: { grpcPort, membershipPort, bindOnIP: '127.0.0.1' } }];
  });
  const tls = {
    server: {
      certFile: server.certificate,
      keyFile: server.key,
      clientCaFiles: [authority],
      requireClientAuth: true,
    },
    client: { serverName: 'localhost', rootCaFiles: [authority] },
  };
  const active = { enabled: true, initialFailoverVersion: 1, rpcName: 'frontend', rpcAddress: `127.0.0.1:${ports[0]}` };
  const config = {
    log: { stdout: true, level: 'info' },
    persistence: {
      defaultStore: 'main',
      visibilityStore: 'visibility',
      numHistoryShards: 4,
      datastores: { main: store(DATABASES.temporal), visibility: store(DATABASES.visibility) },
    },
    global: {
      membership: { maxJoinDuration: '30s', broadcastAddress: '127.0.0.1' },
      tls: { frontend: tls },
      authorization: {
        jwtKeyProvider: { keySourceURIs: [`http://127.0.0.1:${keyPort}/`] },
        permissionsClaimName: 'permissions',
        authorizer: 'default',
        claimMapper: 'default',
      },
    },
    services: Object.fromEntries(services) as object,
    clusterMetadata: {
      failoverVersionIncrement: 10,
      masterClusterName: 'active',
      currentClusterName: 'active',
      clusterInformation: { active },
    },
    dcRedirectionPolicy: { policy: 'noop' },
  };
  for (const name of ['config', 'logs']) mkdirSync(join(folder, name));
  writeFileSync(join(folder, 'config', 'test.yaml'), JSON.stringify(config));
}

function startService(folder: string, server: string, name: string): ChildProcess {
  const log = openSync(join(folder, 'logs', name), 'w');
  const where = ['--root', folder, '--config', 'config', '--env', 'test'];
  return spawn(server, [...where, 'start', '--service', name], { stdio: ['ignore', log, log] });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
