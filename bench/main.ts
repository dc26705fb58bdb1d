import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { cpus } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Curve } from './curve.js';
import { measureCurve } from './curve.js';
import { growthOfDepth } from './curves/depth.js';
import { growthOfItems } from './curves/items.js';
import { growthOfQuickSteps } from './curves/quick.js';
import { growthOfRuns } from './curves/runs.js';
import { growthOfSteps } from './curves/steps.js';
import { postgresFolder } from '../scripts/needs.mjs';
import { withBench } from './environment.js';
import type { Bench } from './environment.js';
import { arePeersInstalled } from './peer.js';
import { measureProfiles } from './profile/profiles.js';
import type { Row } from './row.js';
import { measureRow } from './row.js';
import { addedWorkers } from './rows/added-workers.js';
import { agentHistory } from './rows/agent-history.js';
import { compileScaling } from './rows/compile.js';
import { serverRows } from './rows/embedded-server.js';
import { fanOut200, fanOut2000 } from './rows/fan-out.js';
import { firstStart } from './rows/first-start.js';
import { historyRows } from './rows/history-size.js';
import { memory } from './rows/memory.js';
import { nested } from './rows/nested.js';
import { onOurs } from './rows/on-ours.js';
import { peerRows } from './rows/peers.js';
import { postgresRows } from './rows/postgres-store.js';
import { processRows } from './rows/processes.js';
import { quickRows } from './rows/quick.js';
import { replay } from './rows/replay.js';
import { commandLatency, quickSteps, quickTools, sequentialLatency, syncedSteps } from './rows/sequential-latency.js';
import { throughput } from './rows/throughput.js';
import { workerCpu } from './rows/worker-cpu.js';
import { curveTable, profileTable, rowsTable, writeReport } from './table.js';
import type { Results } from './table.js';

const ROWS: Row[] = [
  compileScaling,
  ...processRows,
  firstStart,
  sequentialLatency,
  commandLatency,
  quickSteps,
  quickTools,
  syncedSteps,
  ...quickRows,
  ...peerRows,
  throughput,
  ...postgresRows,
  ...addedWorkers,
  workerCpu,
  fanOut200,
  fanOut2000,
  nested,
  ...onOurs,
  ...historyRows,
  agentHistory,
  ...serverRows,
  replay,
  memory,
];
const CURVES: Curve[] = [growthOfSteps, growthOfQuickSteps, growthOfItems, growthOfDepth, growthOfRuns];
const PROFILES = 'profiles';
/** The rows of `--quick`: those that tell most in five minutes, with fewer workers and rounds. */
const QUICK = ['sequential-latency', ...[...quickRows, ...peerRows].map(({ name }) => name)];
const QUICK_WORKERS = 2;
const QUICK_ROUNDS = 6;
const NAMES = [...ROWS.map(({ name }) => name), ...CURVES.map(({ name }) => name), PROFILES];

const { values: options } = parseArgs({
  options: {
    rows: { type: 'string', short: 'r' },
    rounds: { type: 'string' },
    json: { type: 'string', default: 'bench-results/results.json' },
    markdown: { type: 'string' },
    full: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  },
});

// Whoever started us is gone: nobody waits for results.
const orphaned = (): never => process.exit(1);
process.once('disconnect', orphaned);

if (options.help) {
  console.log(
    `npm run bench -- [--rows a,b] [--rounds N] [--json FILE] [--markdown FILE] [--full] [--quick]

--full measures the curves up to their far ends; --quick, in five minutes, the rows that tell most.
Rows against other systems need \`npm ci --prefix bench\`.

Rows: ${NAMES.join(', ')}`,
  );
} else {
  // Replays happen in this process.
  Runtime.install({ logger: new DefaultLogger('WARN') });
  const started = performance.now();
  const chosen = chosenNames(options.rows);
  if (options.markdown !== undefined && !existsSync(options.markdown))
    throw new Error(
      `Expected --markdown to name a file that is there, with the marks that \`docs/performance.md\` has`,
    );
  const results = await withBench({ say, ...(options.quick ? { workers: QUICK_WORKERS } : {}) }, (bench) =>
    measureAll(bench, chosen),
  );
  const platform = `${process.platform} ${process.arch}`;
  const report = { node: process.version, platform, cpus: cpus().length, ...results };
  await mkdir(dirname(options.json), { recursive: true });
  await writeFile(options.json, `${JSON.stringify(report, mapsAsObjects, 2)}\n`);
  console.log(
    [rowsTable(results.rows), ...results.curves.map(curveTable), ...results.profiles.map(profileTable)].join('\n\n'),
  );
  if (options.markdown !== undefined) await writeReport(options.markdown, results);
  say(`took ${((performance.now() - started) / 60_000).toFixed(1)} minutes`);
}
process.off('disconnect', orphaned);
if (process.connected) process.disconnect();

async function measureAll(bench: Bench, chosen: ReadonlySet<string>): Promise<Results> {
  const results: Results = { rows: [], curves: [], profiles: [] };
  const usual = options.quick ? QUICK_ROUNDS : null;
  const rounds = options.rounds === undefined ? usual : Number(options.rounds);
  for (const row of ROWS.filter(({ name }) => chosen.has(name))) {
    const result = await timed(row.name, () => measureRow(row, bench, rounds));
    if (result.ratio !== null) say(`${row.name}: ratio ${result.ratio.median.toFixed(3)}`);
    results.rows.push(result);
  }
  for (const curve of CURVES.filter(({ name }) => chosen.has(name)))
    results.curves.push(
      await timed(curve.name, () => measureCurve(curve, bench, { wanted: rounds, full: options.full })),
    );
  if (chosen.has(PROFILES)) results.profiles = await timed(PROFILES, () => measureProfiles(bench));
  return results;
}

async function timed<T>(name: string, act: () => Promise<T>): Promise<T> {
  say(`${name} …`);
  const started = performance.now();
  const result = await act();
  say(`${name}: took ${((performance.now() - started) / 1000).toFixed(1)} s`);
  return result;
}

function chosenNames(names: string | undefined): ReadonlySet<string> {
  const without = new Set<string>(arePeersInstalled() ? [] : peerRows.map(({ name }) => name));
  if (without.size > 0) say('other systems are not measured: `npm ci --prefix bench` installs them');
  if (postgresFolder() === null) {
    for (const { name } of postgresRows) without.add(name);
    say('the store in PostgreSQL is not measured: it is not installed');
  }
  const chosen = names?.split(',') ?? (options.quick ? QUICK : NAMES).filter((name) => !without.has(name));
  const unknown = chosen.find((name) => !NAMES.includes(name));
  if (unknown !== undefined) throw new Error(`Expected rows out of ${NAMES.join(', ')}, got \`${unknown}\``);
  return new Set(chosen);
}

function mapsAsObjects(_key: string, value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}

function say(line: string): void {
  console.error(`bench: ${line}`);
}
