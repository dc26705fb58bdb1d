import { utf8Bytes } from '../../plan/values/json.js';
import { isStored } from '../../plan/values/value.js';
import type { ListedRun } from '../observe/list-runs.js';
import type { ListedStatus } from '../observe/listed-status.js';
import type { OpenGate } from '../observe/view/view.js';
import { rootOf } from '../observe/view/view.js';
import type { Palette, Tone } from '../text/colors.js';
import { formatAge, formatDuration, formatUsd, gateHash, plural } from '../text/format.js';
import { answerCommands, gateFacts } from './gate-words.js';
import { safeLine, safeName } from '../text/safe-text.js';
import { clip, displayWidth, fit, wrap } from '../text/width.js';
import { typedCommand } from '../text/own-name.js';

interface ListStyle {
  now: number;
  width: number;
  palette: Palette;
}

/** How the state of a run is marked. */
export const RUN_MARKS: Record<ListedStatus, { mark: string; tone: Tone }> = {
  open: { mark: '·', tone: 'active' },
  running: { mark: '▸', tone: 'active' },
  waiting: { mark: '◆', tone: 'attention' },
  paused: { mark: '‖', tone: 'attention' },
  success: { mark: '✓', tone: 'good' },
  partial: { mark: '!', tone: 'attention' },
  error: { mark: '✗', tone: 'bad' },
  timeout: { mark: '✗', tone: 'bad' },
  cancelled: { mark: '–', tone: 'quiet' },
};

/** Runs as a table: how each stands, its id, when it started, how long it took, its cost; below, what it is about. */
export function renderRunList(runs: ListedRun[], { now, width, palette }: ListStyle): string[] {
  const widest = runs.reduce((most, { run }) => Math.max(most, displayWidth(safeName(run))), 0);
  const idWidth = Math.min(widest, Math.max(20, width - 44));
  return runs.flatMap((listed) => {
    const { mark, tone } = RUN_MARKS[listed.status];
    const ended = listed.ended_at === null ? now : Date.parse(listed.ended_at);
    const cells = [
      fit(safeName(listed.run), idWidth),
      palette.tone(tone, listed.status.padEnd(9)),
      formatAge(listed.started_at, now).padStart(8),
      formatDuration(ended - Date.parse(listed.started_at)).padStart(6),
      (listed.usd === null || listed.usd === 0 ? '' : formatUsd(listed.usd)).padStart(7),
      listed.rehearsal ? 'rehearsal' : '',
    ];
    const { description, waits_for: waits = [], lost } = listed;
    return [
      `${palette.tone(tone, mark)} ${cells.join('  ')}`.trimEnd(),
      ...(description === undefined ? [] : [palette.dim(clip(`    ${safeLine(description)}`, width))]),
      // Who reads it acts by it: nothing is cut.
      ...[...waits, ...(lost === undefined ? [] : [lost])].flatMap((wait) =>
        wrap(safeLine(wait), width - 4).map((line) => palette.tone('attention', `    ${line}`)),
      ),
    ];
  });
}

/** Every open gate: what is asked, since when, and the command that answers it. */
export function renderGateList(gates: OpenGate[], { now, width, palette }: ListStyle): string[] {
  if (gates.length === 0) return ['Nothing waits for you.'];
  return gates.flatMap((open) => [
    `${palette.tone('attention', '◆')} ${palette.bold(safeName(open.address))}`,
    ...wrap(safeLine(open.gate.message), width - 2).map((line) => `  ${line}`),
    ...contentLine(open),
    ...wrap(
      [
        `since ${open.gate.since.slice(0, 16).replace('T', ' ')} UTC (${formatAge(open.gate.since, now)})`,
        ...gateFacts(open.gate, now),
        gateHash(open.gate.hash),
      ].join(' · '),
      width - 2,
    ).map((line) => `  ${palette.dim(line)}`),
    `  ${answerCommands(open)[0] ?? ''}`,
  ]);
}

/** A list has no room for what is decided on: it says how much that is, and where all of it stands. */
function contentLine({ address, gate: { content } }: OpenGate): string[] {
  if (content === null) return [];
  const bytes = isStored(content) ? content.bytes : utf8Bytes(JSON.stringify(content.value));
  return [`  shows ${plural(bytes, 'byte')}: ${typedCommand('perdure show', [safeName(rootOf(address))])}`];
}
