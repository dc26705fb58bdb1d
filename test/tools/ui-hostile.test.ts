// @module-tag chromium
// @module-tag openssl
// @seconds 30
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import type { ServedUi } from './pages.js';
import { openPages } from './pages.js';

/** A script, an element with one, text from right to left, what a terminal acts on, the ends of our own elements. */
const HOSTILE =
  '<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">' +
  '\u202eRTL\u202c\u001b[2J\u001b]0;owned\u0007</pre></textarea></title>';
/** What is drawn of none of these. */
const HIDDEN = ['\u202e', '\u202c', '\u001b', '\u0007'];
const escaped = (text: string, one: string): string =>
  text.replaceAll(one, `\\u{${(one.codePointAt(0) ?? 0).toString(16)}}`);
const SHOWN = HIDDEN.reduce(escaped, HOSTILE);
const MEGABYTES = 5;
const LINE = HOSTILE.repeat(Math.ceil((MEGABYTES * 1_000_000) / HOSTILE.length));
const QUOTED = JSON.stringify(HOSTILE);
/** Breaks nowhere by itself. */
const LONG = 'n'.repeat(50);
const EVIL = `name: evil${LONG}
description: ${QUOTED}
steps:
  - {id: line, command: [cat, line.txt], max_output_kb: 6000}
  - {id: ok, approval: ${QUOTED}, content: "\${steps.line.output}", required_approver: [ana, ${LONG.repeat(3)}]}
  - id: which
    ask: ${QUOTED}
    schema: {type: object, properties: {${QUOTED}: {type: string, description: ${QUOTED}}, kind: {enum: [${QUOTED}]}}}
  - {id: fails, command: [sh, -c, 'printf %s "$0" >&2; exit 3', ${QUOTED}]}
`;
/** A browser on a busy machine takes its time for a line of megabytes. */
const PATIENCE = { timeout: 0 };

let project: Project;
let ui: ServedUi;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  project = await openProject({ 'evil.yml': EVIL, 'line.txt': LINE });
  expect((await project.run('run', 'evil.yml', '--id', 'evil', '--detach', '--as', '<b>eve</b>')).code).toBe(0);
  await until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes('evil/ok'));
  ({ ui, browser, page } = await openPages(project));
  await page.setViewportSize({ width: 360, height: 740 });
});
afterAll(async () => {
  await browser.close();
  await project.close();
});

/** Opens a page on which nothing that a run says is more than text, and gives what it says. */
async function shownAt(path: string): Promise<string> {
  await page.goto(`${ui.origin}${path}`, PATIENCE);
  expect(await page.title()).toMatch(/. · Perdure$/);
  expect(await page.locator('script').count()).toBe(1);
  expect(await page.locator('img:not(.graph img), b').count()).toBe(0);
  const text = String(await page.evaluate('document.body.textContent'));
  expect(HIDDEN.filter((one) => text.includes(one))).toEqual([]);
  expect({ path, wide: await page.evaluate('document.documentElement.scrollWidth') }).toEqual({ path, wide: 360 });
  return text;
}

describe('what a run says, on a page', () => {
  it('is text, in every list, and where five megabytes of it are one line', async () => {
    expect(await shownAt('/runs')).toContain('evil');
    expect(await shownAt('/inbox')).toContain(SHOWN);
    expect(await shownAt('/runs/evil')).toContain('<b>eve</b>');
    expect(await shownAt('/runs/evil/steps/line')).toContain(SHOWN.repeat(3));
    expect(await shownAt('/gates/evil/ok')).toContain('What is decided on · 1 line');
    const whole = await page.locator('#content pre').evaluate((pre: { textContent: string }) => pre.textContent.length);
    expect(whole).toBe((SHOWN.length * LINE.length) / HOSTILE.length);
  });

  it('begins a line only where the page has marked one, however it is wrapped', async () => {
    await page.goto(`${ui.origin}/gates/evil/ok`, PATIENCE);
    const rows = await page.evaluate<boolean[]>(`(() => {
      const [box, text] = [document.querySelector('#content pre'), document.createRange()];
      text.selectNodeContents(box.lastChild);
      const { paddingLeft } = getComputedStyle(box.closest('figure').querySelector('figcaption'));
      const left = box.getBoundingClientRect().left + parseFloat(paddingLeft) + 4;
      return [...text.getClientRects()].map((row) => row.left > left);
    })()`);
    expect(rows.length).toBeGreaterThan(100);
    expect(rows.every((beside) => beside)).toBe(true);
    expect(await page.locator('#content pre > i').count()).toBe(1);
  });

  it('makes no page wider than it is, however long a name in it is', async () => {
    await shownAt(`/runs/${LONG}${LONG}`);
    await shownAt(`/runs/evil/steps/${LONG}${LONG}`);
    for (const width of [768, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${ui.origin}/runs`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(`${ui.origin}/gates/evil/ok`, PATIENCE);
  });

  it('is decided on from a phone, and what was decided is proved by openssl alone', async () => {
    await page.getByLabel('Comment').fill(HOSTILE);
    await page.getByRole('button', { name: 'Approve', exact: true }).click(PATIENCE);
    await page.getByText('already decided').waitFor(PATIENCE);
    await until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes('evil/which'));
    expect(await shownAt('/gates/evil/which')).toContain(SHOWN);
    await page.getByRole('textbox').first().fill(HOSTILE);
    await page.getByLabel('kind').selectOption({ index: 1 });
    await page.getByRole('button', { name: 'Answer' }).click();
    await until(async () => (await project.run('show', 'evil')).stdout.includes('error'));
    const { stdout } = await project.run('show', 'evil', '--json');
    const { steps } = JSON.parse(stdout) as { steps: { id: string; output: unknown }[] };
    expect(steps.find(({ id }) => id === 'which')?.output).toEqual({ [HOSTILE]: HOSTILE, kind: HOSTILE });
    for (const path of ['/runs', '/runs/evil', '/runs/evil/steps/fails', '/runs/evil/steps/which']) await shownAt(path);
    expect(await shownAt('/runs/evil/steps/fails')).toContain(SHOWN);
    const receipts = await page.request.get(`${ui.origin}/runs/evil/receipts`);
    const [statement = '', signature = ''] = (await receipts.text()).split('\n');
    expect(JSON.parse(statement)).toMatchObject({ gate: 'evil/ok', by: ['ana'], via: ['page'] });
    writeFileSync(join(project.folder, 'perdure.pub'), (await project.run('receipt', '--public-key')).stdout);
    writeFileSync(join(project.folder, 'statement'), `${statement}\n`);
    writeFileSync(join(project.folder, 'signature'), Buffer.from(signature, 'base64'));
    const verify = ['pkeyutl', '-verify', '-pubin', '-inkey', 'perdure.pub', '-rawin', '-in', 'statement'];
    const said = execFileSync('openssl', [...verify, '-sigfile', 'signature'], { cwd: project.folder });
    expect(said.toString()).toContain('Signature Verified Successfully');
  });
});
