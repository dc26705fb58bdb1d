// @module-tag chromium
// @module-tag git
// @module-tag sandbox
// @seconds 30
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectAt, until } from '../faults/project.js';
import { COUNTER_SPEC, mendCounter, team } from '../definitions/counter-build.js';
import type { ShippedProject } from '../definitions/shipped-project.js';
import { openShippedProject } from '../definitions/shipped-project.js';

const LIMITS = { timeout: 90_000 };

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
  mkdirSync(join(project.folder, 'definitions', 'builds'), { recursive: true });
  writeFileSync(
    join(project.folder, 'definitions', 'builds', 'counter.yml'),
    JSON.stringify({ ...COUNTER_SPEC, deployment: { target: 'web' } }),
  );
});
afterAll(async () => {
  await project.close();
});

/** The page of a run, served by `build open` until it is interrupted. */
async function servedPage(run: string): Promise<{ address: string; close: () => Promise<number | null> }> {
  const opened = projectAt(project.folder).start('build', 'open', run);
  let said = '';
  opened.process.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const address = await until(() => /^http:\/\/127\.0\.0\.1:\d+\/$/m.exec(said)?.[0]);
  return {
    address,
    close: async () => {
      opened.process.kill('SIGINT');
      return (await opened.finished).code;
    },
  };
}

describe('the page that a build has made', () => {
  it('counts in a browser, as its tests say, once the builder has mended it', async () => {
    const { result, told } = await project.run('../builds/counter.yml', ['--id', 'page'], team(1, mendCounter));
    expect(result, told).toMatchObject({
      status: 'success',
      output: { deploy: { target: 'web', page: { folder: '.' } }, tests: { ok: true } },
    });
    const served = await servedPage('page');
    const browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    try {
      const page = await browser.newPage();
      await page.goto(served.address, LIMITS);
      const button = page.getByRole('button');
      expect(await button.innerText(LIMITS)).toBe('0');
      for (let click = 0; click < 3; click += 1) await button.click(LIMITS);
      expect(await button.innerText()).toBe('3');
      // While the browser is still there.
      expect(await served.close()).toBe(0);
      await expect(fetch(served.address)).rejects.toThrow();
    } finally {
      await browser.close();
    }
  });
});
