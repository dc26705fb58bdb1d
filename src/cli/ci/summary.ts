import type { RunView } from '../observe/view/view.js';
import { utf8Bytes } from '../../plan/values/json.js';
import { formatCount, formatDuration, formatUsd } from '../text/format.js';
import { safeLine, safeText } from '../text/safe-text.js';
import type { CiRow } from './rows.js';
import { ciRows, isFailed } from './rows.js';

const ROWS = 100;
const ERROR_CHARACTERS = 4_000;
/** GitHub takes 1 MiB of a job's step, and nothing at all of what is longer. */
const FAILURES_BYTES = 900_000;

/** A run as Markdown: how it ended, its steps, what failed. Nothing in it is markup but what is written here. */
export function summaryOf(view: RunView): string {
  const rows = ciRows(view);
  const took = (view.endedAt ?? view.startedAt) - view.startedAt;
  const { usd, tokens } = view.spend;
  const left = rows.length - ROWS;
  return `${[
    `## ${plain(view.name)}: ${view.status}`,
    '',
    `Run \`${view.run}\` · ${formatDuration(took)} · ${formatUsd(usd)} · ${formatCount(tokens)} tokens` +
      (view.rehearsal ? ' · **rehearsal**' : ''),
    '',
    '| step | status | time | cost |',
    '| --- | --- | --- | --- |',
    ...rows
      .slice(0, ROWS)
      .map(
        ({ path, status, ms, usd: cost }) => `| ${plain(path)} | ${status} | ${formatDuration(ms)} | ${costOf(cost)} |`,
      ),
    ...(left > 0 ? [`| ${left} more | | | |`] : []),
    ...failuresOf(rows.filter((row) => isFailed(row) && row.own)),
  ].join('\n')}\n`;
}

function costOf(usd: number | null): string {
  return usd === 0 ? '' : formatUsd(usd);
}

/** The first that have room, and how many more there are. */
function failuresOf(failed: CiRow[]): string[] {
  const lines: string[] = [];
  let room = FAILURES_BYTES;
  for (const [index, row] of failed.entries()) {
    const next = failureOf(row);
    room -= utf8Bytes(next.join('\n')) + 1;
    if (room < 0) return [...lines, '', `${failed.length - index} more failed.`];
    lines.push(...next);
  }
  return lines;
}

function failureOf({ path, error }: CiRow): string[] {
  const lines = safeText((error ?? '').slice(0, ERROR_CHARACTERS)).split('\n');
  return ['', `### ${plain(path)}`, '', ...lines.map((line) => `    ${line}`)];
}

function plain(text: string): string {
  return safeLine(text).replace(/[\\`*_{}[\]()#+|<>~!@]/g, (mark) => `\\${mark}`);
}
