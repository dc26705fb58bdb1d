// @module-tag chromium
// @module-tag sandbox
// @module-tag git
// @seconds 60
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { ServedUi } from './pages.js';
import { anotherLink, openPages, seriousFindings, signIn } from './pages.js';

const WORKER = `name: worker
prompt: You work with care.
tools: [shell]
permissions: {commands: {workspace: [sh]}}
model: claude-sonnet-4-6
`;
const TALKS = `name: talks
inputs:
  what: {type: string}
steps:
  - {id: work, agent: worker, prompt: "Look at \${what}."}
  - {id: sum, agent: general-purpose, prompt: "Sum up: \${steps.work.output}"}
  - {id: keep, command: [echo, kept]}
output: \${steps.sum.output}
`;
const SPEC = readFileSync(join(import.meta.dirname, '../../definitions/builds/reading-list.yml'), 'utf8');
const HOSTILE = '<script>document.title="owned"</script> \u202ekcab\u202c';

let project: Project;
let endpoint: ModelEndpoint;
let ui: ServedUi;
let browser: Browser;
let page: Page;
/** What the terminal was told of the run. */
let told = '';
beforeAll(async () => {
  endpoint = await startModelEndpoint(answerTo);
  project = await openProject(
    { 'definitions/agents/worker.yml': WORKER, 'talks.yml': TALKS, 'reading-list.yml': SPEC },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  const done = await project.run('run', 'talks.yml', '-i', `what=${HOSTILE}`, '--id', 'talk');
  expect(done.code, done.stderr).toBe(0);
  told = done.stderr;
  // They go on while other pages are looked at.
  for (const [id, ...more] of [['built', '--yes'], ['planned']])
    expect(
      (await project.run('build', 'reading-list.yml', '--rehearse', '--id', id ?? '', '--detach', ...more)).code,
    ).toBe(0);
  ({ ui, browser, page } = await openPages(project));
});
afterAll(async () => {
  await browser.close();
  await project.close();
  await endpoint.close();
});

/** Ends the answer that is held back. */
let release: () => void;
const released = new Promise<void>((resolve) => (release = resolve));

function answerTo({ prompt, messages, results: { count, last } }: RecordedRequest): Answer {
  if (prompt.startsWith('Sum up')) return { text: prompt };
  if (prompt.includes('says to you')) return { text: prompt };
  if (count > 0 && messages[0]?.text === 'Look at length.') return { text: 'Long.', until: released, rest: '' };
  return count === 0
    ? { tools: [{ name: 'shell', input: { argv: ['sh', '-c', 'echo found it'] } }] }
    : { text: `It says: ${last[0]?.text ?? ''}` };
}

describe('the page of a step whose agent holds a conversation', () => {
  it('shows the prompt as it was rendered, and every turn with its calls and what they gave', async () => {
    await page.goto(`${ui.origin}/runs/talk/steps/work`);
    const said = await page.locator('.conversation').innerText();
    expect(said).toMatch(/Instruction[\s\S]*You work with care\./);
    expect(said).toContain('Look at <script>document.title="owned"</script> \\u{202e}kcab\\u{202c}.');
    expect(said).toMatch(/Turn 1\s+Calls shell \(1\.1\)[\s\S]*echo found it[\s\S]*shell gave[\s\S]*found it/);
    expect(said).toMatch(/Turn 2\s+Says[\s\S]*It says: /);
    expect(await page.title()).not.toBe('owned');
  });

  it('shows what one question asked, with what came before put in', async () => {
    await page.goto(`${ui.origin}/runs/talk/steps/sum`);
    const said = await page.locator('.conversation').innerText();
    expect(said).toMatch(/Prompt[\s\S]*Sum up: It says: [\s\S]*found it[\s\S]*Turn 1\s+Says[\s\S]*Sum up/);
    await page.goto(`${ui.origin}/runs/talk/steps/keep`);
    expect(await page.locator('.conversation').count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('is fit for everybody, as far as axe can tell, in %s', async (colorScheme) => {
    const seen = await signIn(browser, await anotherLink(page, ui.origin), { bypassCSP: true, colorScheme });
    for (const path of [
      '/runs/talk/steps/work',
      '/runs/talk/steps/work?conversation=0&said=3',
      '/runs/talk/steps/sum',
    ]) {
      await seen.page.goto(`${ui.origin}${path}`);
      expect(await seen.page.locator('.conversation pre').count()).toBeGreaterThan(0);
      expect({ path, found: await seriousFindings(seen.page) }).toEqual({ path, found: [] });
    }
    await seen.context.close();
  });

  it('has what another address asks for, and no page for a part that there is not', async () => {
    await page.goto(`${ui.origin}/runs/talk/steps/work?conversation=0&said=3`);
    const said = await page.locator('.conversation').innerText();
    expect(said).toContain('From its beginning');
    expect(said).not.toContain('You work with care.');
    const beyond = await page.goto(`${ui.origin}/runs/talk/steps/work?conversation=99&said=99`);
    expect(beyond?.status()).toBe(200);
  });
});

describe('the page of a run', () => {
  it('shows its graph with the state of each step in words, as a picture that nothing in it can act from', async () => {
    await page.goto(`${ui.origin}/runs/talk`);
    const picture = page.locator('.graph img');
    await expect.poll(async () => (await picture.boundingBox())?.width ?? 0).toBeGreaterThan(100);
    const svg = await page.request.get(new URL((await picture.getAttribute('src')) ?? '', ui.origin).href);
    expect(svg.headers()['content-type']).toBe('image/svg+xml');
    const text = await svg.text();
    expect(text.match(/✓ success/g)).toHaveLength(3);
    expect(text).not.toContain('<script');
  });

  it('leads to Temporal’s UI, where that is served', async () => {
    const address = /Temporal (http\S+)/.exec(told)?.[1];
    await page.goto(`${ui.origin}/runs/talk`);
    const link = page.getByRole('link', { name: 'History in Temporal’s UI' });
    expect(await link.count()).toBe(address === undefined ? 0 : 1);
    if (address !== undefined) expect(await link.getAttribute('href')).toBe(address);
  });

  it('fits into a phone, where the graph scrolls in a box of its own', async () => {
    const phone = await page.context().newPage();
    await phone.setViewportSize({ width: 360, height: 740 });
    for (const path of ['/runs/talk', '/runs/talk/rerun', '/runs/talk/steps/work']) {
      await phone.goto(`${ui.origin}${path}`);
      expect({ path, wide: await phone.evaluate('document.documentElement.scrollWidth') }).toEqual({ path, wide: 360 });
    }
    await phone.close();
  });
});

/** Presses a summary; before it is let go, the page hears that a text has come below it. */
async function pressWhileItChanges(summary: string, text: string): Promise<void> {
  await page.route(page.url(), async (route) => {
    const response = await route.fetch();
    const body = (await response.text()).replace(`${summary}</summary>`, `$&<p>${text}</p>`);
    await route.fulfill({ response, body });
  });
  await page.getByText(summary).hover();
  await page.mouse.down();
  const asked = page.waitForResponse(page.url());
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
  await (await asked).finished();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
  await page.mouse.up();
}

describe('the page of a step whose agent works', () => {
  it('takes a word to it, which the agent hears from who is signed in', async () => {
    const running = project.start('run', 'talks.yml', '-i', 'what=length', '--id', 'spoken', '--json');
    await until(() =>
      endpoint.requests.some(
        ({ prompt, messages: [first] }) => first?.text === 'Look at length.' && prompt !== first.text,
      ),
    );
    await page.goto(`${ui.origin}/runs/spoken/steps/work`);
    await pressWhileItChanges('Tell it something…', 'It is new.');
    await page.getByText('It is new.').waitFor();
    await page.getByLabel('It hears this').fill(HOSTILE);
    // The page may ask for itself at this moment: that answer is on its way.
    await page.unrouteAll({ behavior: 'wait' });
    await page.getByRole('button', { name: 'Tell it' }).click();
    await page.getByText('Tell it something…').waitFor();
    release();
    expect((await running.finished).code).toBe(0);
    expect(endpoint.requests.at(-1)?.prompt).toContain(`While you work, ana says to you:\n\n${HOSTILE}`);
    await page.goto(`${ui.origin}/runs/spoken/steps/work`);
    expect(await page.locator('main').innerText()).toContain('ana says: <script>');
    expect(await page.getByText('Tell it something…').count()).toBe(0);
  });
});

describe('a rerun from the page of a closed run', () => {
  const rerunsOf = async (): Promise<string[]> =>
    (JSON.parse((await project.run('list', '--json')).stdout) as { run: string }[])
      .map(({ run }) => run)
      .filter((run) => !['talk', 'spoken', 'built', 'planned'].includes(run));

  it('is shown before it is started: what is taken over, what runs, and what that cost', async () => {
    await page.goto(`${ui.origin}/runs/talk`);
    await page.getByRole('link', { name: 'Rerun…' }).click();
    const shown = await page.locator('main').innerText();
    expect(shown).toMatch(/Taken over, unchanged: \d step/);
    expect(shown).toContain('cost last time:');
    await page.getByText('Something else…').click();
    await page.getByLabel('Run anew from').selectOption('sum');
    await page.getByRole('button', { name: 'Show what that does' }).click();
    await page.getByText('Run: 2 steps').waitFor();
    expect(await page.locator('main').innerText()).toMatch(/Run: 2 steps\s+sum\s+keep/);
    expect(await rerunsOf()).toEqual([]);
  });

  it('is not started where it would do something else than was shown', async () => {
    const fields = { id: 'other', shown: 'sha256:0', from: '', again: '' };
    const answer = await page.request.post(`${ui.origin}/runs/talk/rerun`, {
      form: fields,
      headers: { origin: ui.origin },
    });
    expect(answer.status()).toBe(409);
    expect(await rerunsOf()).toEqual([]);
  });

  it('is started once, however often its button is pressed', async () => {
    await page.goto(`${ui.origin}/runs/talk/rerun?from=sum`);
    const form = Object.fromEntries(
      await Promise.all(
        ['id', 'shown', 'from', 'again'].map(async (name) => [
          name,
          await page.locator(`form[method=post] input[name=${name}]`).inputValue(),
        ]),
      ),
    ) as Record<string, string>;
    const press = (): Promise<number> =>
      page.request
        .post(`${ui.origin}/runs/talk/rerun`, { form, headers: { origin: ui.origin }, maxRedirects: 0 })
        .then((response) => response.status());
    const before = endpoint.countOf('Sum up');
    expect(await Promise.all([press(), press()])).toEqual([303, 303]);
    expect(await press()).toBe(303);
    expect(await rerunsOf()).toEqual([form['id']]);
    await page.goto(`${ui.origin}/runs/${form['id'] ?? ''}`);
    await page.locator('h1 .chip', { hasText: 'success' }).waitFor();
    expect(endpoint.countOf('Sum up')).toBe(before + 1);
  });
});

describe('the pages of a build', () => {
  const paths = [
    ...['/runs/built', '/runs/built/steps/plan', '/runs/built/steps/build/task-1/0/work', '/runs/built/rerun'],
    ...['/runs/planned', '/gates/planned/approve'],
  ];
  beforeAll(async () => {
    const status = async (run: string): Promise<string> =>
      (JSON.parse((await project.run('show', run, '--json')).stdout) as { status: string }).status;
    await until(async () => (await status('built')) === 'success' && (await status('planned')) === 'waiting');
  });

  it.each(['light', 'dark'] as const)('are fit for everybody, as far as axe can tell, in %s', async (colorScheme) => {
    const seen = await signIn(browser, await anotherLink(page, ui.origin), { bypassCSP: true, colorScheme });
    for (const path of paths) {
      expect((await seen.page.goto(`${ui.origin}${path}`))?.status(), path).toBe(200);
      expect({ path, found: await seriousFindings(seen.page) }).toEqual({ path, found: [] });
    }
    await seen.context.close();
  });

  it.each([360, 768, 1440])('fit into %d pixels, with what stands in a column below each other', async (width) => {
    const seen = await signIn(browser, await anotherLink(page, ui.origin), { viewport: { width, height: 800 } });
    for (const path of paths) {
      await seen.page.goto(`${ui.origin}${path}`);
      const wide = await seen.page.evaluate('document.documentElement.scrollWidth');
      expect({ path, wide: Number(wide) <= width }).toEqual({ path, wide: true });
    }
    await seen.page.goto(`${ui.origin}/runs/built`);
    const ends = await seen.page
      .locator('.row .number:nth-last-child(2):not(:empty)')
      .evaluateAll((times: { getBoundingClientRect: () => { right: number } }[]) =>
        times.map((time) => Math.round(time.getBoundingClientRect().right)),
      );
    expect(ends.length).toBeGreaterThan(10);
    expect(new Set(ends).size).toBe(1);
    await seen.context.close();
  });
});
