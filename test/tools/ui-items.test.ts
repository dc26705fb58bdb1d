// @seconds 15
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';
import { signedIn, startUi } from './pages.js';

const ITEMS = `name: items
steps:
  - id: all
    foreach: [one, two]
    steps:
      - {id: draft, command: [sh, -c, 'echo "$0"; date +%s%N', "\${item}"]}
      - {id: ok, approval: "Is it fine?", content: "\${steps.draft.output}", rework: draft}
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({ 'items.yml': ITEMS });
});
afterAll(() => project.close());

/** What waits, the longest waiting first. */
async function waiting(): Promise<string[]> {
  const { stdout } = await project.run('list', '--waiting', '--json');
  return (JSON.parse(stdout) as { address: string }[]).map(({ address }) => address);
}

it('what was asked before of one item is no other item, and is that item before it was rejected', async () => {
  expect((await project.run('run', 'items.yml', '--id', 'items', '--detach')).code).toBe(0);
  await until(async () => (await waiting()).length === 2);
  const ui = await startUi(project, '--as', 'ana');
  const { read, send } = await signedIn(ui.link);
  const pageOf = (item: number): Promise<string> => read(`${ui.origin}/gates/items/all/${item}/ok`);
  for (const item of [0, 1]) expect(await pageOf(item)).not.toContain('Against what was asked before');
  const field = (page: string, name: string): string =>
    new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  const shown = await pageOf(0);
  const form = { hash: field(shown, 'hash'), since: field(shown, 'since'), decision: 'reject', comment: 'again' };
  expect(await send(`${ui.origin}/gates/items/all/0/ok`, form)).toBe(303);
  const again = await until(async () => {
    const page = await pageOf(0);
    return page.includes('Against what was asked before') ? page : null;
  });
  expect(again.match(/class="line same"/g)).toHaveLength(1);
  expect(again).not.toContain('two');
  expect(await pageOf(1)).not.toContain('Against what was asked before');
});
