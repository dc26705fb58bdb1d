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
  return (JSON.parse(stdout) as { gate: string }[]).map(({ gate }) => gate);
}

/** What a form of the page of a gate names. */
function namedIn(page: string): { hash: string; since: string } {
  const field = (name: string): string => new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? '';
  return { hash: field('hash'), since: field('since') };
}

it('what was asked before of one item is no other item, and is that item before it was rejected', async () => {
  expect((await project.run('run', 'items.yml', '--id', 'items', '--detach')).code).toBe(0);
  await until(async () => (await waiting()).length === 2);
  const ui = await startUi(project, '--as', 'ana');
  const { read, send } = await signedIn(ui.link);
  const pageOf = (item: number): Promise<string> => read(`${ui.origin}/gates/items/all/${item}/ok`);
  for (const item of [0, 1]) expect(await pageOf(item)).not.toContain('Against what was asked before');
  const form = { ...namedIn(await pageOf(0)), decision: 'reject', comment: 'again' };
  expect(await send(`${ui.origin}/gates/items/all/0/ok`, form)).toBe(303);
  const again = await until(async () => {
    const page = await pageOf(0);
    return page.includes('Against what was asked before') ? page : null;
  });
  expect(again.match(/class="line same"/g)).toHaveLength(1);
  expect(again).not.toContain('two');
  // An edit of what was shown before becomes none of what is shown now.
  const edit = { hash: form.hash, since: form.since, edit: 'mine', escaped: 'no' };
  expect(await send(`${ui.origin}/edits/items/all/0/ok`, edit)).toBe(409);
  expect(await send(`${ui.origin}/edits/items/all/0/ok`, { ...edit, ...namedIn(again) })).toBe(200);
  expect(await pageOf(1)).not.toContain('Against what was asked before');
});

it('a button that is pressed twice decides once, and nothing is kept as refused', async () => {
  const address = 'pressed/all/0/ok';
  expect((await project.run('run', 'items.yml', '--id', 'pressed', '--detach')).code).toBe(0);
  await until(async () => (await waiting()).includes(address));
  const ui = await startUi(project, '--as', 'ana');
  const { read, send } = await signedIn(ui.link);
  const granted = await project.run('grant', 'pressed/all/1/ok', '--public-url', ui.origin);
  const link = /https?:\S+/.exec(granted.stdout)?.[0] ?? '';
  for (const url of [`${ui.origin}/gates/${address}`, link]) {
    const form = { ...namedIn(await read(url)), decision: 'approve' };
    expect(await Promise.all([send(url, form), send(url, form)])).toEqual([303, 303]);
  }
  expect(await project.run('run', 'items.yml', '--id', 'topped', '--detach')).toMatchObject({ code: 0 });
  const topUp = { of: 'topped', wish: 'budget', 'add-steps': '7' };
  const topped = `${ui.origin}/runs/topped/steer`;
  expect(await Promise.all([send(topped, topUp), send(topped, topUp)])).toEqual([303, 303]);
  expect((await project.run('show', 'topped')).stdout).toContain('of 107 steps');
  expect((await project.run('show', 'pressed')).stdout).not.toContain('refused');
});
