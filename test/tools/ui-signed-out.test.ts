// @module-tag chromium
// @seconds 20
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { ServedUi } from './pages.js';
import { openPages, seriousFindings, startUi } from './pages.js';

const GATED = 'name: gated\nsteps:\n  - {id: ok, approval: "Publish?", content: "a text"}\n';
const REASON = 'two lines\n<b>with</b> a tag';

/** What of an element is used here: tests know no browser. */
interface Field {
  setAttribute: (name: string, value: string) => void;
}

let project: Project;
let ui: ServedUi;
let browser: Browser;
let context: BrowserContext;
let page: Page;
beforeAll(async () => {
  project = await openProject({ 'gated.yml': GATED });
  for (const id of ['one', 'two'])
    expect((await project.run('run', 'gated.yml', '--id', id, '--no-wait')).code).toBe(4);
  ({ ui, browser, context, page } = await openPages(project));
});
afterAll(async () => {
  await browser.close();
  await project.close();
});

/** The same pages, served anew where they were: nobody is signed in any more. */
async function serveAnew(): Promise<ServedUi> {
  ui.running.process.kill('SIGINT');
  await ui.running.finished;
  return startUi(project, '--as', 'ana', '--port', new URL(ui.origin).port);
}

async function writeReason(on: Page, run: string): Promise<void> {
  await on.goto(`${ui.origin}/gates/${run}/ok`);
  await on.getByText('Reject…').click();
  await on.getByLabel('Reason').fill(REASON);
}

describe('where a session has ended, what somebody has typed', () => {
  it('stays in its form, which says so, and is sent once they have signed in again', async () => {
    await writeReason(page, 'one');
    ui = await serveAnew();
    const note = page.getByRole('alert');
    await note.waitFor();
    expect(await note.innerText()).toContain('You are signed out');
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    expect(await page.getByLabel('Reason').inputValue()).toBe(REASON);
    const other = await context.newPage();
    await other.goto(ui.link);
    await other.getByRole('button', { name: 'Sign in' }).click();
    await other.getByRole('navigation', { name: 'Main' }).waitFor();
    await note.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Reject', exact: true }).click();
    await page.getByText('This gate is not open').waitFor();
    await until(async () => (await project.run('show', 'one')).stdout.includes('rejected by ana: two lines'));
    await other.close();
  });

  it('is on the page that answers, without script too, to be copied', async () => {
    const still = await browser.newContext({
      javaScriptEnabled: false,
      storageState: await context.storageState(),
      bypassCSP: true,
    });
    const late = await still.newPage();
    await writeReason(late, 'two');
    await page.goto(`${ui.origin}/you`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await late.getByRole('button', { name: 'Reject', exact: true }).click();
    await late.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(await late.locator('figure pre').innerText()).toBe(REASON);
    await still.close();
    expect((await project.run('show', 'two')).stdout).toContain('waits for approval');
  });

  it('is on the page that refuses it for another reason', async () => {
    ui = await serveAnew();
    const signed = await browser.newContext({ bypassCSP: true });
    const one = await signed.newPage();
    await one.goto(ui.link);
    await one.getByRole('button', { name: 'Sign in' }).click();
    await one.getByRole('navigation', { name: 'Main' }).waitFor();
    await writeReason(one, 'two');
    await one
      .locator('details.reject input[name=since]')
      .evaluate((field: Field) => field.setAttribute('value', 'before'));
    await one.getByRole('button', { name: 'Reject', exact: true }).click();
    await one.getByText('was asked anew').waitFor();
    expect(await one.locator('figure pre').innerText()).toBe(REASON);
    expect(await seriousFindings(one)).toEqual([]);
    await signed.close();
  });
});
