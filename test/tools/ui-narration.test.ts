// @module-tag chromium
// @seconds 30
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import type { ServedUi } from './pages.js';
import { anotherLink, openPages, seriousFindings, signIn } from './pages.js';

const HOSTILE = '<img src=x onerror="document.title=\'owned\'"> \u202ekcab\u202c \u001b[31mred';
const SHOWN = '<img src=x onerror="document.title=\'owned\'"> \\u{202e}kcab\\u{202c} \\u{1b}[31mred';

const TOLD = `name: told
narrate: true
steps:
  - {id: count, agent: general-purpose, prompt: Count.}
  - {id: go-on, agent: general-purpose, prompt: "Go on after \${steps.count.output}."}
`;

let project: Project;
let endpoint: ModelEndpoint;
let ui: ServedUi;
let browser: Browser;
let page: Page;
/** What agents wait for before they are done. */
let working: Promise<void>;
let done: () => void;
const hold = (): void => void (working = new Promise((resolve) => (done = resolve)));

beforeAll(async () => {
  endpoint = await startModelEndpoint(answerTo);
  project = await openProject(
    {
      'told.yml': TOLD,
      'count.yml': 'name: count\nsteps:\n  - {id: count, agent: general-purpose, prompt: Count.}\n',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  hold();
  expect((await project.run('run', 'told.yml', '--detach', '--id', 'told')).code).toBe(0);
  ({ ui, browser, page } = await openPages(project));
});
afterAll(async () => {
  await browser.close();
  await project.close();
  await endpoint.close();
});

function answerTo({ system }: RecordedRequest): Answer {
  if (system.includes('You are the narrator'))
    return { text: JSON.stringify({ mood: 'encouraging', message: HOSTILE }) };
  if (system.includes('You are the teacher'))
    return {
      text: JSON.stringify({
        concept: 'counting',
        headline: `Numbers ${HOSTILE}`,
        explanation: 'One comes before two.',
        tell_me_more: `And three? ${HOSTILE}`,
      }),
    };
  return { text: 'one', until: working, rest: ' two' };
}

it('has a run told to whoever looks at its page, as it happens, and nothing in it acts', async () => {
  await page.goto(`${ui.origin}/runs/told`);
  const said = page.locator('#run-said');
  await expect.poll(() => said.innerText()).toBe(`encouraging ${SHOWN}`);
  const first = done;
  hold();
  first();
  await expect.poll(() => page.locator('#run-told').innerText()).toContain('One comes before two.');
  expect(await page.locator('#run-told').innerText()).not.toContain('And three?');
  const summary = page.locator('#run-told summary').filter({ hasText: 'More about' });
  await summary.focus();
  await page.keyboard.press('Enter');
  expect(await page.locator('#run-told').innerText()).toContain(`And three? ${SHOWN}`);
  expect(await page.title()).not.toBe('owned');
  expect(await page.locator('article img').count()).toBe(1); // the graph
  done();
  await expect.poll(() => page.locator('h1').innerText()).toContain('success');
});

it('shows the same of a run that has ended, on a phone, in the dark, and fit for everybody', async () => {
  const phone = await signIn(browser, await anotherLink(page, ui.origin), {
    bypassCSP: true,
    colorScheme: 'dark',
    viewport: { width: 360, height: 740 },
  });
  await phone.page.goto(`${ui.origin}/runs/told`);
  expect(await phone.page.locator('#run-said').innerText()).toContain('encouraging');
  expect(await phone.page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(await seriousFindings(phone.page)).toEqual([]);
  await phone.context.close();
});

it('shows what is told to another who watches, and itself tells nothing of what wants no narrator', async () => {
  hold();
  expect((await project.run('run', 'count.yml', '--detach', '--id', 'count')).code).toBe(0);
  await page.goto(`${ui.origin}/runs/count`);
  const asked = endpoint.requests.length;
  await expect.poll(() => page.locator('#run-tree').innerText()).toContain('running');
  const watching = project.start('watch', 'count', '--narrate');
  await expect.poll(() => page.locator('#run-said').innerText()).toContain('encouraging');
  // All that was asked was asked by the one who watches: it asks once for what happened.
  const narrated = endpoint.requests.slice(asked).filter(({ system }) => system.includes('You are the narrator'));
  expect(narrated).toHaveLength(1);
  done();
  expect((await watching.finished).code).toBe(0);
});

it('has nothing on the page of a run that nobody has told of', async () => {
  hold();
  done();
  expect((await project.run('run', 'count.yml', '--id', 'quiet')).code).toBe(0);
  await page.goto(`${ui.origin}/runs/quiet`);
  expect(await page.locator('#run-said').innerText()).toBe('');
  expect(await page.locator('#run-told').innerText()).toBe('');
});
