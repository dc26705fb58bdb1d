import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { Answer } from '../../../src/cli/follow/ask-gate.js';
import { askGate } from '../../../src/cli/follow/ask-gate.js';
import type { OpenGate } from '../../../src/cli/observe/view/view.js';
import { createPalette } from '../../../src/cli/text/colors.js';
import { displayWidth } from '../../../src/cli/text/width.js';
import type { Terminal } from '../../../src/cli/terminal.js';

const OPEN: OpenGate = {
  address: 'full-review-7k2m4xqa/approve',
  owner: 'full-review-7k2m4xqa',
  gate: {
    path: 'approve',
    kind: 'approval',
    message: 'Save it?',
    content: null,
    hash: 'sha256:9c41aaaae07b',
    fallback: 'abort',
    since: '2026-01-01T00:00:00Z',
  },
};

/** Types keys at a gate that shows `content`, with a program as the editor. */
async function typed(
  keys: string,
  content: string | null,
  editor: string,
  { bill = [], ...gate }: { bill?: string[] } & Partial<OpenGate['gate']> = {},
): Promise<{ answer: Answer; told: string }> {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined });
  const stderr = new PassThrough();
  const palette = createPalette(false);
  // The parts of a terminal that a gate uses.
  const terminal = {
    stdin,
    stderr,
    palette,
    resultPalette: palette,
    env: { PATH: process.env['PATH'], EDITOR: editor },
    cwd: '.',
    interactive: true,
  } as unknown as Terminal;
  stdin.write(keys);
  const answer = await askGate(
    {
      open: { ...OPEN, gate: { ...OPEN.gate, ...(content === null ? {} : { content: { value: content } }), ...gate } },
      content: content === null ? null : { text: content, shown: content, isText: true },
      bill,
    },
    terminal,
    new AbortController().signal,
  );
  return { answer, told: String(stderr.read()) };
}

const LONG = Array.from({ length: 100 }, (_, index) => `line ${index}`).join('\n');

describe('the keys of a gate', () => {
  it('stand below what follows, which leaves less room for the content', async () => {
    const bill = ['If it is approved: 1 step can begin', `Changes the world outside: ${'publish '.repeat(15).trim()}`];
    const { told } = await typed('\u0003', LONG, '', { bill });
    expect(told).toMatch(/lines\n {2}If it is approved: 1 step can begin\n {2}Changes the world outside: publish /);
    expect(told).toMatch(/publish\n {4}publish .*\n {2}approve \[a\]/);
    expect(told).toContain('╰ … 87 more lines');
  });

  it('approve nothing that was not on the screen before it was opened, and then with a key of their own', async () => {
    const { answer, told } = await typed('aoanoayr', LONG, '');
    expect(answer).toEqual({ kind: 'approve', edited: undefined });
    const [before = '', after = ''] = told.split('`o` opens all of it');
    expect(before).toContain('╰ … 84 more lines');
    expect(before).not.toContain('line 99');
    expect(after).toContain('line 99');
    expect(after.match(/Decide on all of it\?/g)).toHaveLength(2);
  });

  it('approve a question alone that is longer than the screen once it was opened', async () => {
    const message = `first ${'word '.repeat(380)}last`;
    const { answer, told } = await typed('aoay\u0003', null, '', { message });
    expect(answer).toEqual({ kind: 'approve', edited: undefined });
    expect(told.split('`o` opens all of it')[1]?.replace(/\n/g, ' ')).toMatch(/first (word ){380}last/);
  });

  it('open what stands around the content too, and what is content is marked', async () => {
    const bill = ['If it is approved: 1 step can begin', 'Changes the world outside: publish'];
    const message = `first ${'word '.repeat(380)}last`;
    const content = `a report${'\n'.repeat(60)}If it is approved: no other step begins`;
    for (const shown of [content, `a report${'\n'.repeat(60)}`]) {
      const { told } = await typed('o\u0003', shown, '', { bill, message });
      const opened = told.slice(told.indexOf('[Ctrl-C]'));
      expect(opened.replace(/\n/g, ' ')).toMatch(/first (word ){380}last /);
      expect(opened).toContain('\n  │ a report\n');
      expect(opened.match(/^ {2}If it is approved: .*$/gm)).toEqual([`  ${bill[0] ?? ''}`]);
      expect(opened).toContain(`\n  ${bill[1] ?? ''}\n`);
    }
  });

  it('open lines as wide as the screen, each marked as content, so that a pager has nothing to clip', async () => {
    const hidden = 'then rm -rf /srv/data';
    const wide = Array.from({ length: 40 }, (_, at) => `- step ${at} ${'tidy '.repeat(16)}${at === 17 ? hidden : ''}`);
    const { told } = await typed('o\u0003', wide.join('\n'), '');
    const opened = told.slice(told.indexOf('┌─', told.indexOf('[Ctrl-C]'))).split('\n');
    const content = opened.slice(1, opened.indexOf(''));
    expect(content.filter((line) => !/^ {2}[│┊] /.test(line) || displayWidth(line) > 79)).toEqual([]);
    expect(content.map((line) => line.slice(4)).join('')).toContain(hidden);
  });

  it('do not take an editor for a look at lines that are wider than the screen, which some clip', async () => {
    const { told } = await typed('eay\u0003', `${LONG}\n${'tidy '.repeat(30)}then rm -rf /srv/data`, 'true');
    expect(told).toContain('Nothing was changed.');
    expect(told).toContain('`o` opens all of it');
  });

  it('open content beside options, which choose and approve no edit', async () => {
    const gate = { options: ['ship', 'hold'] };
    const { answer, told } = await typed('ea1', 'a report', 'sed -i s/report/summary/', gate);
    expect(answer).toEqual({ kind: 'answer', value: 'ship' });
    expect(told).toContain('open [e]');
    expect(told).not.toContain('as you edited it');
  });

  it.each(['tool', 'checkpoint', 'ready'] as const)(
    'reject what a gate of kind %s shows, with a reason',
    async (kind) => {
      const { answer, told } = await typed('rnot yet\r', null, '', { kind });
      expect(answer).toEqual({ kind: 'reject', comment: 'not yet' });
      expect(told).toContain('reject with a reason [r]');
    },
  );

  it('approve at once what was on the screen as a whole', async () => {
    expect((await typed('a', 'a report', '')).answer).toEqual({ kind: 'approve', edited: undefined });
  });

  it('take an editor for a look only where it shows all that is in the content', async () => {
    expect((await typed('eay', LONG, 'true')).told).not.toContain('`o` opens all of it');
    const { told } = await typed('eaoay', `${LONG}\u200b`, 'true');
    expect(told).toContain('`o` opens all of it');
    expect(told).toContain('line 99\\u{200b}');
  });

  it('do not take an editor for a look at a question, or a bill, that the screen had no room for', async () => {
    const message = `first ${'word '.repeat(380)}last`;
    const bill = [`Changes the world outside: ${'publish '.repeat(300).trim()}`];
    for (const rest of [{ message }, { bill }])
      for (const editor of ['true', 'sed -i s/report/summary/']) {
        const { answer, told } = await typed('eay\u0003', 'a report', editor, rest);
        expect(answer).toEqual({ kind: 'later' });
        expect(told).toContain('`o` opens all of it');
      }
  });

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

  it('take nothing from an editor that saved no UTF-8', async () => {
    const { answer, told } = await typed('e\u0003', 'a report', String.raw`sed -i s/report/\xe9/`);
    expect(answer).toEqual({ kind: 'later' });
    expect(told).toContain('Expected the edited content to be UTF-8 text.');
  });
});
