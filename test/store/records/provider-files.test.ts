import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProviderFiles } from '../../../src/store/records/provider-files.js';
import { temporaryFolder } from '../helpers/harness.js';

const pause = (until: number, reason = 'Slow down.'): { until: number; reason: string } => ({ until, reason });

describe('what a provider said about when it may be asked', () => {
  it('is known to all workers of the store, and of two the later moment holds', async () => {
    const folder = join(await temporaryFolder(), 'providers');
    const [one, other] = [createProviderFiles(folder), createProviderFiles(folder)];
    expect(await one.readPause('openai')).toBeNull();
    await one.writePause('openai', pause(2_000));
    await other.writePause('openai', pause(1_000, 'Sooner.'));
    expect(await other.readPause('openai')).toEqual(pause(2_000));
    await other.writePause('openai', pause(3_000, 'Later.'));
    expect(await one.readPause('openai')).toEqual(pause(3_000, 'Later.'));
    expect(await one.readPause('anthropic')).toBeNull();
  });

  it('is over with all that was claimed for it, and nothing of another provider is', async () => {
    const folder = await temporaryFolder();
    const files = createProviderFiles(folder);
    for (const provider of ['openai', 'openai.eu']) {
      await files.writePause(provider, pause(2_000));
      expect(await files.claimProbe(provider, pause(2_000), 1)).toBe(true);
    }
    await files.writePause('openai', null);
    expect(await files.readPause('openai')).toBeNull();
    expect(await files.readPause('openai.eu')).toEqual(pause(2_000));
    expect(readdirSync(folder).filter((name) => name.endsWith('.probe'))).toHaveLength(1);
    expect(await files.claimProbe('openai.eu', pause(2_000), 1)).toBe(false);
  });

  it('is over where there never was any', async () => {
    const files = createProviderFiles(join(await temporaryFolder(), 'providers'));
    await files.writePause('openai', null);
    expect(await files.readPause('openai')).toBeNull();
  });

  it.each(['', 'null', '7', '{"until":"soon"}', '{"reason":"x"}', '{'])(
    'is nothing where it is damaged: %j',
    async (text) => {
      const folder = await temporaryFolder();
      const files = createProviderFiles(folder);
      writeFileSync(join(folder, 'openai.json'), text);
      expect(await files.readPause('openai')).toBeNull();
      await files.writePause('openai', pause(1_000));
      expect(await files.readPause('openai')).toEqual(pause(1_000));
    },
  );

  it('counts where only its reason is damaged', async () => {
    const folder = await temporaryFolder();
    writeFileSync(join(folder, 'openai.json'), '{"until":5,"reason":7}');
    expect(await createProviderFiles(folder).readPause('openai')).toEqual(pause(5, ''));
  });

  it('gives each chance to ask first to one of those who want it at once', async () => {
    const folder = join(await temporaryFolder(), 'providers');
    const workers = Array.from({ length: 8 }, () => createProviderFiles(folder));
    for (const turn of [1, 2]) {
      const claims = await Promise.all(workers.map((worker) => worker.claimProbe('openai', pause(2_000), turn)));
      expect(claims.filter(Boolean)).toHaveLength(1);
    }
    expect(await workers[0]!.claimProbe('openai', pause(3_000), 1)).toBe(true);
  });
});
