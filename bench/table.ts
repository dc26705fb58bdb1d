import { readFile, writeFile } from 'node:fs/promises';
import type { Spread } from './measure.js';
import type { Row, RowResult } from './row.js';

/** The results as a Markdown table; numbers are medians, with quartiles in brackets. */
export function markdownTable(results: RowResult[]): string {
  const head = '| workload | against | ours | theirs | ratio | target | met |\n| --- | --- | ---: | ---: | ---: | ---: | --- |';
  const lines = results.map(({ row, ours, theirs, ratio, met }) => {
    const cells = [row.workload, row.against, spread(ours, row.unit), spread(theirs, row.unit), spread(ratio, ''), target(row.target), met === null ? '–' : met ? 'yes' : '**no**'];
    return `| ${cells.join(' | ')} |`;
  });
  return [head, ...lines].join('\n');
}

const BEGIN = '<!-- results: written by npm run bench -->';
const END = '<!-- end of results -->';

/** Puts the table between the two marks of a Markdown file, and leaves the rest of it alone. */
export async function writeTable(file: string, results: RowResult[]): Promise<void> {
  const text = await readFile(file, 'utf8');
  const [begin, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (begin < 0 || end < begin) throw new Error(`Expected \`${file}\` to have the lines \`${BEGIN}\` and \`${END}\``);
  await writeFile(file, `${text.slice(0, begin + BEGIN.length)}\n\n${markdownTable(results)}\n\n${text.slice(end)}`);
}

function spread({ median, low, high }: Spread, unit: string): string {
  return `${digits(median)}${unit === '' ? '' : ` ${unit}`} (${digits(low)}–${digits(high)})`;
}

function target(wanted: Row['target']): string {
  if (wanted === null) return '–';
  return 'atMost' in wanted ? `≤ ${wanted.atMost}` : `≥ ${wanted.atLeast}`;
}

/** Three significant digits, and never an exponent. */
function digits(value: number): string {
  return value >= 1000 ? Math.round(value).toLocaleString('en-US') : String(Number(value.toPrecision(3)));
}
