import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CurveResult } from './curve.js';
import type { Spread } from './measure.js';
import { pictureOf } from './picture.js';
import type { ProfileResult } from './profile/profiles.js';
import type { Row, RowResult } from './row.js';

/** All that one run of the benchmark found. */
export interface Results {
  rows: RowResult[];
  curves: CurveResult[];
  profiles: ProfileResult[];
}

/** Owners below this share of a column's time are added up as `other`. */
const LEAST_SHARE = 0.01;

/** The rows as a Markdown table; numbers are medians, with quartiles in brackets. */
export function rowsTable(rows: RowResult[]): string {
  const lines = rows.map(({ row, ours, theirs, ratio, met, note }) => [
    row.workload + (note === undefined ? '' : ` <br> ${note}`),
    row.against,
    spread(ours, row.unit),
    theirs === null ? '–' : spread(theirs, row.unit),
    ratio === null ? '–' : spread(ratio, ''),
    target(row.target),
    met === null ? '–' : met ? 'yes' : '**no**',
  ]);
  return table(['workload', 'against', 'ours', 'theirs', 'ratio', 'target', 'met'], lines);
}

/** A curve's points as a Markdown table. */
export function curveTable({ curve, points }: CurveResult): string {
  return table(
    [curve.across, ...points.map(({ at }) => at.toLocaleString('en-US'))],
    [
      [`ours, ms per ${curve.unit}`, ...points.map(({ ours }) => digits(ours.median))],
      [`theirs, ms per ${curve.unit}`, ...points.map(({ theirs }) => digits(theirs.median))],
      ['ratio', ...points.map(({ ratio }) => digits(ratio.median))],
    ],
  );
}

/** Self time by owner, the dearest first. */
export function profileTable({ columns, unit }: ProfileResult): string {
  const totals = columns.map(({ costs }) => sum([...costs.values()]));
  const owners = [...new Set(columns.flatMap(({ costs }) => [...costs.keys()]))];
  const shown = owners.filter((owner) =>
    columns.some(({ costs }, index) => (costs.get(owner) ?? 0) >= LEAST_SHARE * (totals[index] ?? 0)),
  );
  const cost = (owner: string): number => columns[0]?.costs.get(owner) ?? 0;
  shown.sort((a, b) => cost(b) - cost(a));
  const rest = columns.map(({ costs }) =>
    sum([...costs].filter(([owner]) => !shown.includes(owner)).map(([, time]) => time)),
  );
  return table(
    [`self time, ${unit}`, ...columns.map(({ name }) => name)],
    [
      ...shown.map((owner) => [owner, ...columns.map(({ costs }) => digits(costs.get(owner) ?? 0))]),
      ['other', ...rest.map(digits)],
      ['**all**', ...totals.map((total) => `**${digits(total)}**`)],
    ],
  );
}

/**
 * Puts what was measured between the marks of a Markdown file, and pictures beside it; leaves the rest of the file
 * alone.
 */
export async function writeReport(file: string, { rows, curves, profiles }: Results): Promise<void> {
  let text = await readFile(file, 'utf8');
  if (rows.length > 0) text = between(text, 'results', rowsTable(rows), file);
  if (profiles.length > 0)
    text = between(
      text,
      'profiles',
      profiles.map((profile) => `**${profile.title}**\n\n${profileTable(profile)}`).join('\n\n'),
      file,
    );
  const folder = join(dirname(file), 'performance');
  await mkdir(folder, { recursive: true });
  for (const result of curves) {
    const { name, title } = result.curve;
    await writeFile(join(folder, `${name}.svg`), pictureOf(result));
    text = between(text, name, `![${title}](performance/${name}.svg)\n\n${curveTable(result)}`, file);
  }
  await writeFile(file, text);
}

function between(text: string, name: string, content: string, file: string): string {
  const [begin, end] = [`<!-- ${name}: written by npm run bench -->`, `<!-- end of ${name} -->`];
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`Expected \`${file}\` to have the lines \`${begin}\` and \`${end}\``);
  return `${text.slice(0, from + begin.length)}\n\n${content}\n\n${text.slice(to)}`;
}

/** The first column is words, the others are numbers, unless words stand in them. */
function table(head: string[], lines: string[][]): string {
  const rule = head.map((_, column) => (column === 0 || /^(against|met)$/.test(head[column] ?? '') ? '---' : '---:'));
  return [head, rule, ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

function spread({ median, low, high, rounds }: Spread, unit: string): string {
  return `${digits(median)}${unit === '' ? '' : ` ${unit}`}${rounds === 1 ? '' : ` (${digits(low)}–${digits(high)})`}`;
}

function target(wanted: Row['target']): string {
  if (wanted === null) return '–';
  return 'atMost' in wanted ? `≤ ${wanted.atMost}` : `≥ ${wanted.atLeast}`;
}

/** Three significant digits, and never an exponent. */
function digits(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}

function sum(values: number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
