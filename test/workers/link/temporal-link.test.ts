// @seconds 15
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { UnavailableError } from '../../../src/workers/errors.js';
import { joinHost } from '../../../src/workers/host/host-client.js';
import { openTemporal } from '../../../src/workers/link/temporal-link.js';
import { temporalSettings } from '../../../src/workers/connection/temporal-settings.js';
import { runWorker } from '../../../src/workers/worker-main.js';
import { endWithEachTest, newFolder, openLink, serversOn } from '../helpers/setting.js';

endWithEachTest();

afterEach(() => vi.unstubAllEnvs());

const opening = (stateDir: string): ReturnType<typeof openTemporal> =>
  openTemporal({ project: { stateDir }, config: {}, start: true, onProgress: () => {}, credentials: () => ({}) });

describe('a Temporal server elsewhere', () => {
  it('that refuses connections is reported by its refusal, and nothing is started', async () => {
    const stateDir = newFolder();
    vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
    const error: unknown = await opening(stateDir).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnavailableError);
    expect(String(error)).toContain('The Temporal server at `127.0.0.1:1` is not reachable');
    expect(await serversOn(stateDir)).toEqual([]);
  });

  it('that accepts and never answers is reported when its time is up', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo; // a listening TCP server
    vi.stubEnv('TEMPORAL_ADDRESS', `127.0.0.1:${String(port)}`);
    await expect(opening(newFolder())).rejects.toThrow('is not reachable');
    silent.close();
  });

  it('is used with its namespace and our search attributes where it has them', async () => {
    const host = await joinHost({
      stateDir: newFolder(),
      taskQueue: null,
      start: true,
      credentials: {},
      onProgress: () => {},
    });
    vi.stubEnv('TEMPORAL_ADDRESS', host.host.address);
    const link = await opening(newFolder());
    expect(link).toMatchObject({ embedded: false, searchAttributes: true, namespace: 'default', uiUrl: null });
    await link.close();
    vi.stubEnv('TEMPORAL_NAMESPACE', 'nowhere');
    await expect(opening(newFolder())).rejects.toThrow('has no namespace `nowhere`');
    host.leave();
  });

  it('is what `worker` needs', async () => {
    const worker = {
      project: { root: '', stateDir: newFolder() },
      config: {},
      credentials: () => ({}),
      log: () => {},
      onReady: () => {},
    };
    await expect(runWorker(worker)).rejects.toThrow('No Temporal server is named.');
    vi.stubEnv('TEMPORAL_ADDRESS', '127.0.0.1:1');
    await expect(runWorker(worker)).rejects.toThrow('is not reachable');
  });
});

describe('an embedded link', () => {
  it('refuses another task queue than the one its host serves', async () => {
    const stateDir = newFolder();
    const link = await openLink(stateDir);
    const other = openTemporal({
      project: { stateDir },
      config: { task_queue: 'mine' },
      start: true,
      onProgress: () => {},
      credentials: () => ({}),
    });
    await expect(other).rejects.toThrow(`The host's worker polls the task queue \`${link.taskQueue}\`, not \`mine\`.`);
    await link.close();
  });
});

describe("Temporal's settings", () => {
  const home = (toml: string | null): Record<string, string> => {
    const HOME = newFolder();
    if (toml === null) return { HOME };
    mkdirSync(join(HOME, '.config', 'temporalio'), { recursive: true });
    writeFileSync(join(HOME, '.config', 'temporalio', 'temporal.toml'), toml);
    return { HOME, TEMPORAL_CONFIG_FILE: join(HOME, '.config', 'temporalio', 'temporal.toml') };
  };

  it('name nothing when nothing is set', () => {
    expect(temporalSettings(home(null))).toBeNull();
    expect(temporalSettings({ ...home(null), TEMPORAL_ADDRESS: '' })).toBeNull();
  });

  it('come from TEMPORAL_ADDRESS and its companions', () => {
    expect(temporalSettings({ ...home(null), TEMPORAL_ADDRESS: 'far:7233', TEMPORAL_NAMESPACE: 'ours' })).toMatchObject(
      { address: 'far:7233', namespace: 'ours', source: 'TEMPORAL_ADDRESS' },
    );
  });

  it('come from a profile', () => {
    expect(temporalSettings(home('[profile.default]\naddress = "far:7233"\nnamespace = "ours"\n'))).toMatchObject({
      address: 'far:7233',
      namespace: 'ours',
    });
    const env = home('[profile.work]\naddress = "work:7233"\n');
    expect(temporalSettings({ ...env, TEMPORAL_PROFILE: 'work' })).toMatchObject({
      address: 'work:7233',
      source: 'the Temporal profile `work`',
    });
  });

  it('that cannot be read are an error, not our own server', () => {
    expect(() => temporalSettings(home('address = = nonsense'))).toThrow("Temporal's settings cannot be read");
  });
});
