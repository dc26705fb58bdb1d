// @module-tag chromium
// @module-tag sandbox
// @seconds 40
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import type { ServedUi } from './pages.js';
import { openChromium, signIn, startUi } from './pages.js';

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
const HOSTILE = '<script>document.title="owned"</script> \u202ekcab\u202c';

let project: Project;
let endpoint: ModelEndpoint;
let ui: ServedUi;
let browser: Browser;
let page: Page;
beforeAll(async () => {
  endpoint = await startModelEndpoint(answerTo);
  project = await openProject(
    { 'definitions/agents/worker.yml': WORKER, 'talks.yml': TALKS },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  const done = await project.run('run', 'talks.yml', '-i', `what=${HOSTILE}`, '--id', 'talk');
  expect(done.code, done.stderr).toBe(0);
  ui = await startUi(project, '--as', 'ana');
  browser = await openChromium();
  ({ page } = await signIn(browser, ui.link));
});
afterAll(async () => {
  await browser.close();
  await project.close();
  await endpoint.close();
});

function answerTo({ prompt, results: { count, last } }: RecordedRequest): Answer {
  if (prompt.startsWith('Sum up')) return { text: 'in short' };
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
    expect(said).toMatch(/Prompt[\s\S]*Sum up: It says: [\s\S]*found it[\s\S]*Turn 1\s+Says[\s\S]*in short/);
    await page.goto(`${ui.origin}/runs/talk/steps/keep`);
    expect(await page.locator('.conversation').count()).toBe(0);
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
