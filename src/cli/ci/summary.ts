import type { RunView } from '../observe/view/view.js';
import { utf8Bytes } from '../../plan/values/json.js';
import { formatCount, formatDuration, formatUsd } from '../text/format.js';
import { escapeOf } from '../../plan/text/safe-text.js';
import { safeLine, safeText } from '../text/safe-text.js';
import type { CiRow } from './rows.js';
import { ciRows, failedRows } from './rows.js';

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
  const failed = failedRows(rows);
  return `${[
    `## ${named(view.name)}: ${view.status}`,
    '',
    `Run ${named(view.run)} · ${formatDuration(took)} · ${formatUsd(usd)} · ${formatCount(tokens)} tokens` +
      (view.rehearsal ? ' · **rehearsal**' : ''),
    '',
    '| step | status | time | cost |',
    '| --- | --- | --- | --- |',
    ...rows
      .slice(0, ROWS)
      .map(
        ({ path, status, ms, usd: cost }) => `| ${named(path)} | ${status} | ${formatDuration(ms)} | ${costOf(cost)} |`,
      ),
    ...(left > 0 ? [`| ${left} more | | | |`] : []),
    ...failureLines(failed.length > 0 || view.error === null ? failed : [{ path: view.name, error: view.error }]),
  ].join('\n')}\n`;
}

function costOf(usd: number | null): string {
  return usd === 0 ? '' : formatUsd(usd);
}

/** The first that have room, and how many more there are. */
function failureLines(failed: Pick<CiRow, 'path' | 'error'>[]): string[] {
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

function failureOf({ path, error }: Pick<CiRow, 'path' | 'error'>): string[] {
  const lines = safeText((error ?? '').slice(0, ERROR_CHARACTERS)).split('\n');
  return ['', `### ${named(path)}`, '', ...lines.map((line) => `    ${line}`)];
}

/** A name as code: GitHub finds no markup, entities, links, mentions, numbers of issues or emoji in it. */
function named(text: string): string {
  const shown = safeLine(text).replaceAll('|', escapeOf); // not even code may hold what parts the cells of a table
  const longest = Math.max(0, ...(shown.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = '`'.repeat(longest + 1);
  const edge = /^`|`$/.test(shown) ? ' ' : '';
  return `${fence}${edge}${shown}${edge}${fence}`;
}
