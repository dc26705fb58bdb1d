// @module-tag sandbox
// @seconds 90
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, projectAt, until } from '../faults/project.js';
import { CANARIES, FILES, foundIn, runAll } from './helpers/canaries.js';

let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: `So it is: ${CANARIES.answer}.` }));
});
afterAll(() => endpoint.close());

const model = (): Record<string, string> => ({ ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url });
const newKey = (): string => randomBytes(32).toString('base64');
const ENCRYPTED = 'encryption:\n  keys: ["${env.KEY_ONE}"]\n';

/** All bytes of what a server that others run would have: its database, and its log and the worker's. */
function bytesOfServer({ folder }: Project): Map<string, Buffer> {
  const state = join(folder, '.perdure');
  const files = [
    ...readdirSync(state).filter((name) => name.startsWith('temporal.db')),
    ...readdirSync(join(state, 'logs'))
      .filter((name) => name.endsWith('.log'))
      .map((name) => join('logs', name)),
  ];
  return new Map(files.map((name) => [name, readFileSync(join(state, name))]));
}

describe('a server whose database others can read', () => {
  it('has every canary where nothing is encrypted', async () => {
    const project = await openProject(FILES, model());
    try {
      await runAll(project);
      expect(foundIn(bytesOfServer(project))).toEqual(Object.keys(CANARIES));
    } finally {
      await project.close();
    }
  });

  it('has none of them where payloads are encrypted', async () => {
    const project = await openProject({ ...FILES, 'perdure.yml': ENCRYPTED }, { ...model(), KEY_ONE: newKey() });
    try {
      await runAll(project);
      const files = bytesOfServer(project);
      expect([...files.values()].reduce((sum, bytes) => sum + bytes.length, 0)).toBeGreaterThan(100_000);
      expect(foundIn(files)).toEqual([]);
    } finally {
      await project.close();
    }
  });
});

describe('keys that are missing or others', () => {
  const GATE = 'name: waits\nsteps:\n  - id: gate\n    approval: Go on?\n';
  const exits = async (project: Project, ...args: string[]): Promise<[number | null, string]> => {
    const { code, stderr } = await project.run(...args);
    return [code, stderr];
  };

  it('end commands with an exit code of their own, and a run waits unharmed until they are there', async () => {
    const [one, two] = [newKey(), newKey()];
    const files = { 'waits.yml': GATE, 'perdure.yml': ENCRYPTED };
    const first = await openProject(files, { KEY_ONE: one });
    const withKeys = (env: Record<string, string>): Project => projectAt(first.folder, env);
    try {
      expect(await exits(withKeys({}), 'run', 'waits.yml')).toEqual([5, expect.stringContaining('`KEY_ONE`')]);
      expect((await first.run('run', 'waits.yml', '--id', 'open', '--detach')).code).toBe(0);
      await until(async () => (await first.run('list', '--waiting', '--json')).stdout.includes('open/gate'));
      await first.run('server', 'stop');

      const other = withKeys({ KEY_ONE: two });
      expect(await exits(other, 'server', 'start')).toEqual([
        5,
        expect.stringContaining('The open run `open` is encrypted'),
      ]);
      writeFileSync(join(first.folder, 'perdure.yml'), '{}\n');
      expect(await exits(first, 'server', 'start')).toEqual([
        5,
        expect.stringMatching(/`open` is encrypted .* has none/),
      ]);

      writeFileSync(join(first.folder, 'perdure.yml'), 'encryption:\n  keys: ["${env.KEY_TWO}", "${env.KEY_ONE}"]\n');
      const both = withKeys({ KEY_ONE: one, KEY_TWO: two });
      expect((await both.run('approve', 'open/gate')).code).toBe(0);
      expect((await both.run('watch', 'open')).code).toBe(0);
      expect((await both.run('run', 'waits.yml', '--id', 'later', '--yes')).code).toBe(0);
      await both.run('server', 'stop');
      writeFileSync(join(first.folder, 'perdure.yml'), 'encryption:\n  keys: ["${env.KEY_TWO}"]\n');
      const { code, stdout } = await withKeys({ KEY_TWO: two }).run('show', 'later', '--json');
      expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ status: 'success' })]);
    } finally {
      await first.close();
    }
  });
});
