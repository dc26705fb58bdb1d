import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../src/cli/follow/ask-gate.js';
import { askGate } from '../../src/cli/follow/ask-gate.js';
import type { OpenGate } from '../../src/cli/observe/view.js';
import { createPalette } from '../../src/cli/render/colors.js';
import type { Terminal } from '../../src/cli/terminal.js';

const OPEN: OpenGate = {
  address: 'full-review-7k2m4xqa/approve', owner: 'full-review-7k2m4xqa',
  gate: { path: 'approve', kind: 'approval', message: 'Save it?', content: null, hash: 'sha256:9c41aaaae07b', fallback: 'abort', since: '2026-01-01T00:00:00Z' },
};

/** Types keys at a gate that shows `content`, with a program as the editor. */
async function typed(keys: string, content: string, editor: string): Promise<{ answer: Answer; told: string }> {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const stderr = new PassThrough();
  const palette = createPalette(false);
  // The parts of a terminal that a gate uses.
  const terminal = { stdin, stderr, palette, resultPalette: palette, env: { PATH: process.env['PATH'], EDITOR: editor }, cwd: '.', interactive: true } as unknown as Terminal;
  stdin.write(keys);
  const answer = await askGate(OPEN, { text: content, shown: content, isText: true }, terminal, new AbortController().signal);
  return { answer, told: String(stderr.read()) };
}

describe('the keys of a gate', () => {
  it('approve what the gate shows after its content was only looked at in the editor', async () => {
    const { answer, told } = await typed('ea', 'a report\n', 'true');
    expect(answer).toEqual({ kind: 'approve', edited: undefined });
    expect(told).toContain('Nothing was changed.');
    expect(told).not.toContain('as you edited it');
  });

  it('approve the content as the editor saved it', async () => {
    const { answer, told } = await typed('ea', 'a report', 'sed -i s/report/summary/');
    expect(answer).toEqual({ kind: 'approve', edited: 'a summary' });
    expect(told).toContain('This is the content as you edited it');
  });
});
