import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import type { ListedRun } from '../../../src/cli/observe/list-runs.js';
import { renderGateList, renderRunList } from '../../../src/cli/render/lists.js';
import { createPalette } from '../../../src/cli/text/colors.js';

it('a list of runs wraps what a run waits for and cuts none of it, but cuts what it is about', () => {
  const wait =
    'steps/flash waits for a worker with the label `boards`: start one with `perdure worker --labels boards`';
  const listed: ListedRun = {
    run: 'release-7k2m4xqa',
    definition: 'release',
    description: 'Say to everybody what is new in this version, and thank all who have helped with it',
    status: 'waiting',
    rehearsal: false,
    submitted_by: 'ana',
    usd: 0.5,
    started_at: '2026-01-01T00:00:00Z',
    ended_at: null,
    waits_for: [wait],
  };
  const style = { now: Date.parse('2026-01-01T00:01:00Z'), width: 60, palette: createPalette(false) };
  const [, about = '', ...waits] = renderRunList([listed], style);
  expect(about).toMatch(/…$/);
  expect(waits.map((line) => line.slice(4)).join(' ')).toBe(wait);
  expect(waits.filter((line) => line.length > 60)).toEqual([]);
});

it.each(['x/$(echo out)', 'x/`echo out`', "it's/a b", 'x/ok; echo out'])(
  'a list of gates names commands that a shell takes as they are, for the gate %s too',
  (address) => {
    const since = '2026-01-01T00:00:00Z';
    const gate = {
      path: 'ok',
      kind: 'approval',
      message: 'Go on?',
      content: null,
      fallback: 'abort',
      hash: 'sha256:00',
      since,
    } as const;
    const style = { now: Date.parse(since), width: 60, palette: createPalette(false) };
    const command = renderGateList([{ address, owner: 'x', gate }], style).at(-1) ?? '';
    const script = `perdure() { printf '<%s>' "$@"; }; npx() { shift; perdure "$@"; }\n${command}`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(`<approve><${address}>`);
  },
);
