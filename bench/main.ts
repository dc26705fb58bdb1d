import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { withBench } from './environment.js';
import type { Bench } from './environment.js';
import type { Row, RowResult } from './row.js';
import { isMet } from './row.js';
import { compileScaling } from './rows/compile.js';
import { serverRows } from './rows/embedded-server.js';
import { fanOut200, fanOut2000 } from './rows/fan-out.js';
import { historyRows } from './rows/history-size.js';
import { nested } from './rows/nested.js';
import { processRows } from './rows/processes.js';
import { commandLatency, sequentialLatency } from './rows/sequential-latency.js';
import { throughput } from './rows/throughput.js';
import { markdownTable, writeTable } from './table.js';

const ROWS: Row[] = [sequentialLatency, commandLatency, throughput, fanOut200, fanOut2000, nested, ...historyRows, ...serverRows, compileScaling, ...processRows];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', short: 'r' },
    rounds: { type: 'string' },
    json: { type: 'string', default: 'bench-results/results.json' },
    markdown: { type: 'string' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (options.help) {
  console.log(`npm run bench -- [--rows a,b] [--rounds N] [--json FILE] [--markdown FILE]\n\nRows: ${ROWS.map(({ name }) => name).join(', ')}`);
} else {
  const results = await withBench(say, (bench) => measureAll(bench, chosenRows(options.rows)));
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify({ node: process.version, platform: `${process.platform} ${process.arch}`, results }, null, 2)}\n`);
  console.log(markdownTable(results));
  if (options.markdown !== undefined) await writeTable(options.markdown, results);
}

async function measureAll(bench: Bench, rows: Row[]): Promise<RowResult[]> {
  const results: RowResult[] = [];
  for (const row of rows) {
    const { name, workload, against, unit, target, rounds } = row;
    say(`${name} …`);
    const measured = await row.measure(bench, options.rounds === undefined ? rounds : Number(options.rounds));
    results.push({ row: { name, workload, against, unit, target }, ...measured, met: isMet(target, measured.ratio) });
    say(`${name}: ratio ${measured.ratio.median.toFixed(3)}`);
  }
  return results;
}

function chosenRows(names: string | undefined): Row[] {
  if (names === undefined) return ROWS;
  return names.split(',').map((name) => {
    const row = ROWS.find((known) => known.name === name);
    if (row === undefined) throw new Error(`Expected rows out of ${ROWS.map((known) => known.name).join(', ')}, got \`${name}\``);
    return row;
  });
}

function say(line: string): void {
  console.error(`bench: ${line}`);
}
