// @seconds 25
import { describe, expect, it } from 'vitest';
import { renderGate, unseenLines } from '../../src/cli/follow/gate-text.js';
import { createPlainLines, gateLines } from '../../src/cli/follow/plain-lines.js';
import type { OpenGate } from '../../src/cli/observe/view/view.js';
import type { Output } from '../../src/cli/output.js';
import { writeText } from '../../src/cli/output.js';
import { createPalette } from '../../src/cli/text/colors.js';
import { narratedLines } from '../../src/cli/render/narration.js';
import { renderGateList, renderRunList } from '../../src/cli/render/lists.js';
import { pauseLines } from '../../src/cli/render/pause-lines.js';
import { safeJson } from '../../src/cli/text/safe-text.js';
import { renderEnding, renderRun, renderScreen } from '../../src/cli/render/screen.js';
import { sessionLines, sessionRows } from '../../src/cli/render/sessions.js';
import { displayWidth } from '../../src/cli/text/width.js';
import { printProblems } from '../../src/compiler/problems/print-problems.js';
import { shownText } from '../../src/plan/text/safe-text.js';
import { agentStep, commandStep, ended, gateStep, runView, stepView } from '../cli/helpers/views.js';
import { FULL, SEED, random } from '../faults/seed.js';
import { DRAWN, HIDDEN, RAW } from './hidden-characters.js';

const WIDTHS = [20, 80, 200];
const palette = createPalette(false);
const next = random('screens');
const pick = <T>(items: readonly T[]): T => items[Math.floor(next() * items.length)]!; // none of the lists is empty

/** Texts with members of one class in them: at their ends, between words, inside of words, and many together. */
function textsWith(members: readonly string[]): string[] {
  const long = Array.from({ length: 60 }, () =>
    pick([...members, ...DRAWN, ' ', '  ', '\n', 'word', 'x'.repeat(40)]),
  ).join('');
  const drawn = Array.from({ length: FULL ? 40 : 3 }, () =>
    Array.from({ length: 12 }, () => pick([...members, ...DRAWN, ' ', '\n', 'a'])).join(''),
  );
  const all = [
    ...members.flatMap((one) => [one, `a${one}b`, `${one} approve ${one}`, `first\n${one}\n last`]),
    members.join(''),
    members.join(' ').repeat(20),
    long,
    ...drawn,
  ];
  // A shard: what has all of them in it, and some of the others.
  return FULL ? all : [members.join(''), long, ...Array.from({ length: 4 }, () => pick(all))];
}

function gateOf(message: string, content: string | null): OpenGate {
  return {
    address: 'run-1/ok',
    owner: 'run-1',
    gate: {
      path: 'ok',
      kind: 'approval',
      message,
      content: content === null ? null : { value: content },
      hash: 'sha256:9c41aaaae07b',
      fallback: 'abort',
      since: '2026-01-01T00:00:00Z',
      approvers: [message.slice(0, 40)],
    },
  };
}

/** What a terminal gets of lines. */
function written(lines: string[], colored: boolean): string {
  let bytes = '';
  const output = {
    write: (text: string) => {
      bytes += text;
    },
  } as unknown as Output;
  for (const line of lines) writeText(output, `${line}\n`, colored);
  return bytes;
}

/** The text inside of a frame: what begins a line, and what goes on. */
function inFrame(lines: string[]): string {
  const framed = lines.filter((line) => /^ {2}[│┊] /.test(line));
  return shownText(
    framed.map((line, index) => `${index > 0 && line.startsWith('  │') ? '\n' : ''}${line.slice(4)}`).join(''),
  );
}

const squeezed = (text: string): string => text.replace(/\s+/g, '');

/** Every place that shows foreign text, as its renderer gives it. */
function places(text: string, width: number): Record<string, string[]> {
  const style = { width, palette, now: Date.parse('2026-01-01T00:10:00Z'), frame: 0 };
  const failing = stepView(
    commandStep(0, ['tool', text], { id: null }),
    ended('error', { error: text, failure: 'command-failed' }),
  );
  const asking = stepView(gateStep(2, 'ok'), { status: 'waiting', gate: gateOf(text, text).gate });
  const view = runView(
    [failing, stepView(agentStep(1, text), { status: 'running', startedAt: 0, doing: text, model: text }), asking],
    { status: 'waiting', error: text, warnings: [{ limit: 'max_steps', message: text, at: '' }] as never },
  );
  const pause = {
    cause: 'max_cost_usd',
    run: 'run-1',
    message: text,
    since: '2026-01-01T00:00:00Z',
    by: 'run-1',
  } as never;
  const session = {
    session_id: 's-1',
    agent_name: text,
    status: 'active',
    created_at: '',
    updated_at: '2026-01-01T00:00:00Z',
    messages: [{ role: 'user', run: 'run-1', at: '', content: text }],
  } as never;
  const problem = {
    file: `${text.replaceAll('\n', ' ')}.yml`,
    line: 1,
    column: 1,
    length: 1,
    code: 'unknown-agent',
    severity: 'error',
    message: text,
    suggestion: text,
  } as never;
  return {
    'a live tree': renderScreen(view, 0, { ...style, height: 40, says: () => text }),
    show: renderRun(view, null, style),
    narration: narratedLines(
      [
        { kind: 'message', at: '', key: text, task: text, mood: 'excited', text, from: 'model' },
        {
          ...{ kind: 'lesson', at: '', key: text, task: text, from: 'model' },
          ...{ concept: text, headline: text, explanation: text, tell_me_more: text },
        },
      ],
      style,
    ),
    'an ending': renderEnding({ ...view, status: 'error' }, width, palette),
    'plain lines': createPlainLines()(view, 0),
    'a gate': renderGate(gateOf(text, text), text, { ...style, height: null }),
    'a gate on a screen': renderGate(gateOf(text, text), text, { ...style, height: 24 }),
    'a gate without a terminal': gateLines(gateOf(text, text), text, width),
    'list --waiting': renderGateList([gateOf(text, text)], style),
    list: renderRunList(
      [
        {
          run: text,
          definition: text,
          status: 'waiting',
          rehearsal: false,
          submitted_by: text,
          usd: null,
          started_at: '2026-01-01T00:00:00Z',
          ended_at: null,
        },
      ] as never,
      style,
    ),
    'a pause': pauseLines(pause),
    sessions: [sessionRows([session]), sessionLines(session)],
    problems: [
      printProblems([problem], new Map([[`${text.replaceAll('\n', ' ')}.yml`, text]]), { files: 1, color: false }),
    ],
    JSON: [safeJson({ text })],
    // A text that nobody has looked at.
    'the writer itself': [text],
  };
}

/** Their lines are as wide as what is in them: they are for copying, or for files. */
const UNBROKEN = new Set([
  'plain lines',
  'a pause',
  'sessions',
  'problems',
  'JSON',
  'the writer itself',
  'show',
  'an ending',
  'list',
  'a live tree',
  'list --waiting',
  'a gate without a terminal',
]);

describe(`what is shown (seed ${SEED})`, () => {
  describe.each(Object.entries(HIDDEN))('with %s in it', (_name, members) => {
    const texts = textsWith(members);

    it.each(WIDTHS)('is all of what is approved, at %i columns', (width) => {
      for (const text of texts) {
        const lines = renderGate(gateOf(text, text), text, { width, height: null, palette });
        expect(inFrame(lines)).toBe(text.replace(/\n+$/, ''));
        expect(inFrame(gateLines(gateOf(text, text), text, width))).toBe(text.replace(/\n+$/, ''));
        expect(lines.filter((line) => displayWidth(line) > width)).toEqual([]);
        const head = lines
          .slice(
            0,
            lines.findIndex((line) => line.startsWith('  ┌─')),
          )
          .join('');
        expect(squeezed(shownText(squeezed(head)))).toContain(squeezed(text));
        for (const height of [1, 10, 24]) {
          const shown = renderGate(gateOf(text, text), text, { width, height, palette });
          const seen = shown.filter((line) => /^ {2}[│┊] /.test(line)).length;
          const all = lines.filter((line) => /^ {2}[│┊] /.test(line)).length;
          expect(unseenLines(gateOf(text, text), text, { width, height, palette })).toBeGreaterThanOrEqual(all - seen);
        }
      }
    });

    it.each(WIDTHS)('has nothing in it that acts or hides, in each place, at %i columns', (width) => {
      for (const text of texts) {
        for (const [place, lines] of Object.entries(places(text, width))) {
          const bytes = written(lines, false);
          expect(RAW.exec(bytes.replaceAll('\t', ''))?.[0], `${place}: ${JSON.stringify(text)}`).toBeUndefined();
          if (!UNBROKEN.has(place))
            expect(
              lines.filter((line) => displayWidth(line) > width),
              place,
            ).toEqual([]);
        }
      }
    });
  });

  it('is what is drawn as it is', () => {
    for (const text of DRAWN)
      expect(inFrame(renderGate(gateOf('Use it?', text), text, { width: 80, height: null, palette }))).toBe(text);
    expect(renderGate(gateOf('Use it?', null), '👨‍👩‍👧‍👦 می‌خواهم', { width: 80, height: null, palette }).at(-1)).toBe(
      '  │ 👨‍👩‍👧‍👦 می‌خواهم',
    );
  });

  it('has its escapes in a colour of their own, and passes no style but ours', () => {
    const colors = createPalette(true);
    const line = colors.tone('attention', 'a\\u{200b}b');
    expect(written([line], true)).toBe('\u001b[33ma\u001b[35m\\u{200b}\u001b[33mb\u001b[39m\n');
    expect(written(['\u001b[8mx\u001b[41;5my\u001b[30mz'], true)).toBe(
      '\u001b[35m\\u{1b}\u001b[39m[8mx\u001b[35m\\u{1b}\u001b[39m[41;5my\u001b[35m\\u{1b}\u001b[39m[30mz\n',
    );
    expect(written(['\u001b[31mx'], false)).toBe('\\u{1b}[31mx\n');
  });
});
