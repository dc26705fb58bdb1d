// @module-tag chromium
import type { Browser, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

/** What a model could answer: everything that a page may take for a link, a picture or markup. */
const HOSTILE =
  'see https://evil.example/a?b=c www.evil.example <img src=https://evil.example/p.png> ' +
  '[x](https://evil.example) ![y](https://evil.example/q.png) <script>document.title = "evil"</script>';
/** From the middle of a long output, where no preview reaches. */
const MIDDLE = '1000.1001.1002';
const WAITS = `name: waits
steps:
  - id: long
    command: [seq, "-s.", "2000"]
  - id: said
    command: [printf, "%s", '${HOSTILE}']
  - id: ok
    approval: "Save \${steps.said.output}?"
`;
const LIMITS = { timeout: 90_000 };

let project: Project;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  project = await openProject({ 'waits.yml': WAITS });
  const started = await project.run('run', 'waits.yml', '--id', 'waits', '--detach');
  expect(started.code).toBe(0);
  await until(async () => (await project.run('list', '--waiting')).stdout.includes('waits/ok'));
  // Who watches keeps the host.
  project.start('watch', 'waits');
  const address = /Temporal (http:\S+)/.exec(started.stderr)?.[1] ?? '';
  browser = await chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage'],
  });
  page = await browser.newPage({ viewport: { width: 1600, height: 2000 } });
  await page.goto(address, LIMITS);
});
afterAll(async () => {
  await browser.close();
  await project.close();
});

describe("Temporal's Web UI", () => {
  it('shows the Plan of a run as people can read it', async () => {
    await page
      .getByText(/"kind": "command"/)
      .first()
      .waitFor(LIMITS);
    expect(await page.getByText(/"short":/).count()).toBe(0);
  });

  it('shows a stored output whole', async () => {
    await page.getByText('Activity Task Completed').last().click(LIMITS);
    await page
      .getByText(MIDDLE)
      .first()
      .waitFor({ ...LIMITS, state: 'attached' });
  });

  it('tells what waits, and makes no link of what a model said', async () => {
    await page.goto(page.url().replace(/history.*$/, 'user-metadata'), LIMITS);
    const details = page.frameLocator('iframe[src*="waits"]').last();
    await details.getByText('perdure approve waits/ok').waitFor(LIMITS);
    expect(await details.getByText('evil.example').count()).toBeGreaterThan(0);
    expect(await details.locator('a, img, script').count()).toBe(0);
  });
});
