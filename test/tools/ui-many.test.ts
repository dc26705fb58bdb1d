// @module-tag chromium
// @seconds 30
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NO_SPEND } from '../../src/plan/budget/spend.js';
import type { Gate } from '../../src/plan/gates/gate.js';
import { INTERPRETER, MEMO } from '../../src/plan/names.js';
import { sha256 } from '../../src/store/hash.js';
import { submittedFile } from '../../src/store/records/submitted-files.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import type { Outsider } from '../hostile/connect.js';
import { connect } from '../hostile/connect.js';
import type { ServedUi } from './pages.js';
import { openPages } from './pages.js';
import { runRecord } from '../store/helpers/run-record.js';

const CLOSED = 10_000;
const WAITING = 300;
const ON_A_PAGE = 50;
const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString();

let project: Project;
let outsider: Outsider;
let ui: ServedUi;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  project = await openProject({});
  expect((await project.run('server', 'start')).code).toBe(0);
  addClosed();
  outsider = await connect(project);
  await addWaiting();
  ({ ui, browser, page } = await openPages(project));
});
afterAll(async () => {
  await browser.close();
  await outsider.close();
  await project.close();
});

/** Records as their runs would have left them. */
function addClosed(): void {
  const folder = join(project.folder, '.perdure');
  for (const kind of ['runs', 'submitted']) mkdirSync(join(folder, kind), { recursive: true });
  for (let index = 0; index < CLOSED; index += 1) {
    const record = runRecord(`report-${index}`, {
      plan_name: index % 2 === 0 ? 'nightly' : 'review',
      status: index % 10 === 0 ? 'error' : 'success',
      error: index % 10 === 0 ? 'It failed.' : null,
      output: { value: 'said' },
      spend: { ...NO_SPEND, usd: 0.25 },
      started_at: at(index),
      ended_at: at(index + 2),
    });
    const { run, plan_name: definition } = record;
    const submitted = { run, definition, description: `of day ${index}.`, rehearsal: false, submitted_by: 'ana' };
    writeFileSync(join(folder, 'runs', `${run}.json`), JSON.stringify(record));
    writeFileSync(
      join(folder, 'submitted', submittedFile(run)),
      JSON.stringify({ ...submitted, submitted_at: at(index) }),
    );
  }
}

/** Runs that wait, as the server lists them: no worker ever comes to them. */
async function addWaiting(): Promise<void> {
  const gateOf = (index: number): Gate => ({
    path: 'ok',
    kind: 'approval',
    message: `Publish ${index}?`,
    content: { value: `what ${index} publishes` },
    hash: sha256(String(index)),
    fallback: 'abort',
    since: at(CLOSED + index),
  });
  for (let from = 0; from < WAITING; from += ON_A_PAGE)
    await Promise.all(
      Array.from({ length: ON_A_PAGE }, (_, more) =>
        outsider.client.workflow.start(INTERPRETER, {
          workflowId: `waits-${from + more}`,
          taskQueue: 'nobody',
          memo: { [MEMO.definition]: 'asks', [MEMO.submittedAt]: at(CLOSED), [MEMO.waiting]: [gateOf(from + more)] },
        }),
      ),
    );
}

const rows = (): Promise<string[]> => page.locator('#runs tbody tr').allInnerTexts();
const told = (): Promise<string> => page.locator('#runs > p').first().innerText();

async function filter(status: string, text: string): Promise<void> {
  await page.goto(`${ui.origin}/runs`);
  await page.getByLabel('State').selectOption(status);
  await page.getByLabel('Name').fill(text);
  await page.getByRole('button', { name: 'Show' }).click();
}

describe('the list of ten thousand closed runs and hundreds that wait', () => {
  it('has all of them, fifty on a page, those that began last first', async () => {
    await page.goto(`${ui.origin}/runs`);
    await expect.poll(told).toBe('10,300 runs');
    expect(await rows()).toHaveLength(ON_A_PAGE);
    expect((await rows()).every((row) => row.includes('waits-'))).toBe(true);
    await page.goto(`${ui.origin}/runs?page=7`);
    expect((await rows())[0]).toMatch(/success\s+report-9999\s+of day 9999\.\s+review\s.*\s2m00s\s+\$0\.25/s);
    await page.getByRole('link', { name: 'older' }).click();
    await page.getByText('page 8 of 206').waitFor();
    expect((await rows())[0]).toContain('report-9949');
    await page.goto(`${ui.origin}/runs?page=999`);
    expect((await rows()).at(-1)).toContain('report-0');
    expect(await page.getByRole('link', { name: 'older' }).count()).toBe(0);
  });

  it('is cut down by state and by words, and its pages keep that', async () => {
    await filter('error', 'nightly');
    expect(await told()).toBe('1,000 of 10,300 runs');
    await page.getByRole('link', { name: 'older' }).click();
    await page.getByText('page 2 of 20').waitFor();
    expect((await rows()).every((row) => row.includes('error') && row.includes('nightly'))).toBe(true);
    await filter('', 'of day 4711.');
    expect(await rows()).toEqual([expect.stringContaining('report-4711')]);
    await filter('waiting', '');
    expect(await told()).toBe('300 of 10,300 runs');
    await filter('partial', '');
    expect(await page.locator('#runs .empty').innerText()).toBe('No run fits.');
  });

  it('has an inbox of all that wait, the longest first, which tells when one does not wait any more', async () => {
    await page.goto(`${ui.origin}/inbox`);
    const cards = page.locator('#inbox .card-title');
    expect(await cards.count()).toBe(WAITING);
    expect(await cards.first().innerText()).toBe('Publish 0?');
    expect(await page.locator('#count').innerText()).toMatch(/^300/);
    await outsider.client.workflow.getHandle('waits-0').terminate();
    await expect.poll(() => cards.count()).toBe(WAITING - 1);
    expect(await cards.first().innerText()).toBe('Publish 1?');
  });
});
