import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { configSchema } from '../../src/compiler/project/config.js';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { packageRoot } from '../../src/compiler/text/disk.js';

const root = packageRoot();
const text = (file: string): string => readFileSync(join(root, 'deploy', file), 'utf8');

const port = z.string().regex(/^127\.0\.0\.1:\d+:\d+$/);
/** What of a compose file is used here; a key that is not in here is a mistake, or has to be looked at. */
const service = z.strictObject({
  image: z.string().regex(/^\$\{[A-Z_]+:-[^}]+\}$/),
  build: z.strictObject({ context: z.string(), dockerfile: z.string() }).optional(),
  command: z.array(z.string()).optional(),
  environment: z.record(z.string(), z.string()).optional(),
  volumes: z.array(z.string()).optional(),
  ports: z.array(port).optional(),
  restart: z.enum(['unless-stopped', 'on-failure']).optional(),
  stop_grace_period: z.string().optional(),
  healthcheck: z.strictObject({ test: z.array(z.string()), interval: z.string(), retries: z.number() }).optional(),
  depends_on: z
    .union([z.array(z.string()), z.record(z.string(), z.strictObject({ condition: z.string() }))])
    .optional(),
});
const composeSchema = z.strictObject({
  name: z.string(),
  'x-perdure': z.unknown(),
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});
const compose = composeSchema.parse(parse(text('compose.yaml'), { merge: true }));
const services = Object.entries(compose.services);

/** Objects of the manifests, as far as they are looked at here: the whole run decodes them strictly. */
interface Manifest {
  kind: string;
  metadata: { name: string };
  data?: Record<string, string>;
  spec?: { template?: { spec: { terminationGracePeriodSeconds: number; containers: Container[]; volumes: Volume[] } } };
}
interface Container {
  name: string;
  args: string[];
  envFrom: { configMapRef?: { name: string }; secretRef?: { name: string } }[];
  securityContext: { readOnlyRootFilesystem: boolean; allowPrivilegeEscalation: boolean };
  ports: { name: string; containerPort: number }[];
  volumeMounts: { name: string; mountPath: string }[];
}
interface Volume {
  name: string;
  configMap?: { name: string };
}
const manifests = readdirSync(join(root, 'deploy', 'kubernetes')).flatMap((file) =>
  parseAllDocuments(text(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);
const deployments = manifests.flatMap(({ metadata, spec }) =>
  spec?.template === undefined ? [] : [{ name: metadata.name, pod: spec.template.spec }],
);

/** What the command line says to these words; empty where it knows them all. */
function unknownWords([name, ...words]: string[]): string[] {
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) return [name ?? ''];
  const flags = new Map(command.options.map(({ flags: said }) => [/--(?:no-)?[a-z-]+/.exec(said)?.[0], said]));
  return words.filter((word, index) => {
    if (word.startsWith('--')) return !flags.has(word);
    const before = flags.get(words[index - 1] ?? '');
    return before === undefined || !before.includes('<'); // only an option that takes a value is followed by one
  });
}

describe('the compose file', () => {
  it('starts commands that there are, with options that they have', () => {
    const started = services.flatMap(([, { command }]) => (command === undefined ? [] : [command]));
    expect(started).not.toEqual([]);
    for (const command of started)
      expect({ command, unknown: unknownWords(command) }).toEqual({ command, unknown: [] });
    expect(unknownWords(['worker', '--no-such', '9'])).toEqual(['--no-such', '9']);
  });

  it('names no variable that is not in its example, has a default, or comes from outside', () => {
    const example = [...text('.env.example').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name);
    const used = [...text('compose.yaml').matchAll(/\$\{([A-Z_]+)(:[-?][^}]*)?\}/g)];
    expect(used.length).toBeGreaterThan(5);
    for (const [whole, name, rest] of used)
      expect({ whole, isKnown: example.includes(name) || rest?.startsWith(':-') === true }).toEqual({
        whole,
        isKnown: true,
      });
    // A secret has no default.
    for (const name of example.filter((one) => one !== 'ANTHROPIC_API_KEY'))
      expect(text('compose.yaml')).toContain(`\${${name ?? ''}:?`);
  });

  it('depends on services, mounts files and volumes, and publishes ports on loopback, that there are', () => {
    for (const [name, { depends_on = [], volumes = [], build }] of services) {
      const needed = Array.isArray(depends_on) ? depends_on : Object.keys(depends_on);
      expect({ name, missing: needed.filter((one) => !(one in compose.services)) }).toEqual({ name, missing: [] });
      for (const volume of volumes) {
        const [from = ''] = volume.split(':');
        expect(from.startsWith('./') ? existsSync(join(root, 'deploy', from)) : from in compose.volumes).toBe(true);
      }
      if (build !== undefined) expect(existsSync(join(root, build.dockerfile))).toBe(true);
    }
    const published = services.flatMap(([, { ports = [] }]) => ports.map((one) => one.split(':')[1]));
    expect(new Set(published).size).toBe(published.length);
  });
});

describe('the manifests', () => {
  it('start commands that there are, as nobody, with a root that cannot be written', () => {
    expect(deployments.map(({ name }) => name).sort()).toEqual([
      'perdure-codec-server',
      'perdure-ui',
      'perdure-worker',
    ]);
    for (const { name, pod } of deployments)
      for (const { args, securityContext } of pod.containers) {
        expect({ name, unknown: unknownWords(args) }).toEqual({ name, unknown: [] });
        expect(securityContext).toMatchObject({ readOnlyRootFilesystem: true, allowPrivilegeEscalation: false });
      }
  });

  it('refer to maps and volumes that there are, and hold no secret', () => {
    const maps = manifests.filter(({ kind }) => kind === 'ConfigMap').map(({ metadata }) => metadata.name);
    expect(manifests.some(({ kind }) => kind === 'Secret')).toBe(false);
    for (const { pod } of deployments) {
      for (const { configMap } of pod.volumes) if (configMap !== undefined) expect(maps).toContain(configMap.name);
      const volumes = pod.volumes.map(({ name }) => name);
      for (const { envFrom, volumeMounts } of pod.containers) {
        for (const { name } of volumeMounts) expect(volumes).toContain(name);
        for (const { configMapRef } of envFrom)
          if (configMapRef !== undefined) expect(maps).toContain(configMapRef.name);
      }
    }
  });

  it('give a worker more time to end than it takes', () => {
    // What runs has ten seconds, the worker is forced to end after fifteen, and telemetry has two and two.
    const [worker] = deployments.filter(({ name }) => name === 'perdure-worker');
    expect(worker?.pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(25);
    expect(compose.services['worker']?.stop_grace_period).toBe('30s');
  });

  it('have the same configuration of the project as the compose file, and it is right', () => {
    const [map] = manifests.filter(({ metadata }) => metadata.name === 'perdure-project');
    const own = parse(text('perdure.yml')) as unknown;
    expect(parse(map?.data?.['perdure.yml'] ?? '')).toEqual(own);
    expect(configSchema.safeParse(own).success).toBe(true);
  });
});

describe('the Dockerfile', () => {
  const lines = text('Dockerfile')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));

  it('installs by the lock file, runs as nobody, and names no registry', () => {
    expect(lines.some((line) => /npm ci --ignore-scripts --cache/.test(line))).toBe(true);
    expect(lines.filter((line) => line.startsWith('USER ')).at(-1)).toBe('USER 10001:10001');
    expect(lines.join('\n')).not.toMatch(/https?:\/\/|\.io\/|registry/);
  });

  it('copies files that there are, and starts the worker with options that it has', () => {
    for (const line of lines.filter((one) => /^COPY (?!--from)/.test(one)))
      for (const file of line.split(' ').slice(1, -1)) expect(existsSync(join(root, file))).toBe(true);
    const start = lines.find((line) => line.startsWith('CMD '))?.slice('CMD '.length) ?? '[]';
    expect(unknownWords(JSON.parse(start) as string[])).toEqual([]);
  });
});
