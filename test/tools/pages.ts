import axe from 'axe-core';
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { chromium } from 'playwright-core';
import type { Project, Running } from '../faults/project.js';
import { until } from '../faults/project.js';

/** `perdure ui` of a project. */
export interface ServedUi {
  /** Without a path. */
  origin: string;
  /** The link that signs in once. */
  link: string;
  /** What it has told the terminal. */
  told: () => string;
  running: Running;
}

export async function startUi(project: Project, ...args: string[]): Promise<ServedUi> {
  const running = project.start('ui', '--no-open', ...args);
  let said = '';
  let told = '';
  running.process.stdout?.on('data', (chunk: Buffer) => (said += chunk.toString()));
  running.process.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()));
  const link = await until(() => /^http\S+\/sign-in\?token=\S+$/m.exec(said)?.[0]);
  return { origin: new URL(link).origin, link, told: () => told, running };
}

export function openChromium(...args: string[]): Promise<Browser> {
  return chromium.launch({
    executablePath: '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
  });
}

/** A browser of its own in which a person is signed in. */
export async function signIn(
  browser: Browser,
  link: string,
  options: Parameters<Browser['newContext']>[0] = {},
): Promise<{ context: BrowserContext; page: Page }> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  return { context, page };
}

/** The pages of a project in a browser in which `ana` is signed in. */
export async function openPages(
  project: Project,
): Promise<{ ui: ServedUi; browser: Browser; context: BrowserContext; page: Page }> {
  const ui = await startUi(project, '--as', 'ana');
  const browser = await openChromium();
  return { ui, browser, ...(await signIn(browser, ui.link)) };
}

/** Signs in by a link without a browser, and gives what reads pages and sends forms then. */
export async function signedIn(link: string): Promise<{
  read: (url: string) => Promise<string>;
  send: (url: string, form: Record<string, string>) => Promise<number>;
}> {
  const { origin, searchParams } = new URL(link);
  const post = (url: string, form: Record<string, string>, cookie = ''): Promise<Response> =>
    fetch(url, { method: 'POST', redirect: 'manual', headers: { origin, cookie }, body: new URLSearchParams(form) });
  const sent = await post(`${origin}/sign-in`, { token: searchParams.get('token') ?? '' });
  const cookie = (sent.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  return {
    read: async (url) => (await fetch(url, { headers: { cookie } })).text(),
    send: async (url, form) => (await post(url, form, cookie)).status,
  };
}

/** Presses Tab until this has the focus, which can be seen there. Nothing else is used. */
export async function tabTo(page: Page, wanted: Locator): Promise<void> {
  for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
    await page.keyboard.press('Tab');
    if (!(await wanted.evaluate((element: { matches: (selector: string) => boolean }) => element.matches(':focus'))))
      continue;
    if ((await page.evaluate('getComputedStyle(document.activeElement).outlineStyle')) !== 'none') return;
    throw new Error(`Expected the focus to be seen at ${String(wanted)}.`);
  }
  throw new Error(`Expected Tab to come to ${String(wanted)}.`);
}

/** No page of a test has more that can be gone to. */
const MOST_TABS = 80;

/** A link for another browser, as the person's own page makes it. */
export async function anotherLink(page: Page, origin: string): Promise<string> {
  await page.goto(`${origin}/you`);
  await page.getByRole('button', { name: 'another device' }).click();
  return (await page.locator('pre').innerText()).trim();
}

/** What axe finds on a page that is serious or critical: `rule: element`. The page's context goes around its CSP. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    // Defined by the script that has just run.
    const { axe: loaded } = globalThis as unknown as {
      axe: { run: () => Promise<{ violations: { id: string; impact: string; nodes: { html: string }[] }[] }> };
    };
    const { violations } = await loaded.run();
    return violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
  });
}
