// @seconds 60
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TemporalServer } from '../workflows/helpers/temporal-server.js';
import { startTemporal } from '../workflows/helpers/temporal-server.js';
import type { Project } from './project.js';
import { openProject, until } from './project.js';

/** Those of Temporal Cloud for what is sent; those for what a run keeps are a few hundredths, and so are the runs. */
const LIMITS = {
  'limit.blobSize.error': 2 * 1024 * 1024,
  'limit.memoSize.error': 2 * 1024 * 1024,
  'limit.maxIDLength': 1_000,
  'frontend.searchAttributesNumberOfKeysLimit': 100,
  'frontend.searchAttributesSizeOfValueLimit': 2 * 1024,
  'frontend.searchAttributesTotalSizeLimit': 40 * 1024,
  'limit.historyCount.error': 1_024, // of 51,200
  'limit.historyCount.suggestContinueAsNew': 82, // of 4,096
  'limit.numPendingActivities.error': 52, // of 2,000
  'limit.numPendingChildExecutions.error': 10, // of 2,000
};
/** Text of the big run's parts. */
const BYTES = 3_000_000;
const ITEMS = 260;

const BIG = `name: big
inputs: {note: {type: string, required: true}}
steps:
  - id: make
    command: [sh, -c, "head -c ${BYTES} /dev/zero | tr '\\\\0' x"]
    max_output_kb: 4000
  - id: ok
    approval: "Is \${steps.make.output} right?"
    content: "\${note}"
  - id: fails
    command: [sh, -c, "head -c ${BYTES} /dev/zero | tr '\\\\0' y >&2; exit 3"]
    max_output_kb: 4000
output: "\${steps.ok.output}"
`;
const MANY = `name: many
steps:
  - id: items
    command: [sh, -c, "echo [$(seq -s , ${ITEMS})]"]
    schema: {type: array, items: {type: integer}}
  - id: each
    foreach: {items: "\${steps.items.output}", max_parallel: 100}
    command: [echo, "\${item}"]
    effect: none
  - id: below
    foreach: {items: [1, 2, 3, 4, 5, 6, 7, 8], max_parallel: 8}
    workflow: inner.yml
output: "\${steps.each.output}"
`;
const INNER = 'name: inner\nsteps:\n  - command: [echo, said]\n    effect: none\n';

let server: TemporalServer;
let project: Project;
beforeAll(async () => {
  server = await startTemporal(
    Object.entries(LIMITS).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${String(value)}`]),
  );
  project = await openProject(
    { 'big.yml': BIG, 'many.yml': MANY, 'inner.yml': INNER },
    { TEMPORAL_ADDRESS: server.address },
  );
});
afterAll(async () => {
  await project.close();
  await server.close();
});

async function longestHistory(run: string): Promise<number> {
  let most = 0;
  for await (const { historyLength } of server.client.workflow.list({ query: `WorkflowId STARTS_WITH '${run}'` }))
    most = Math.max(most, historyLength);
  return most;
}

describe('on a server with the limits of Temporal Cloud', () => {
  it('setup says who is to act where no search attributes may be added, and makes them where they may', async () => {
    const { connection } = server.client;
    const taken = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight'].map((name) => `Others_${name}`);
    await connection.operatorService.addSearchAttributes({
      namespace: 'default',
      searchAttributes: Object.fromEntries(taken.map((name) => [name, 2])), // Keyword
    });
    const full = await project.run('setup');
    expect([full.code, full.stderr]).toEqual([3, expect.stringMatching(/^Error: The Temporal server does not make/)]);
    await connection.operatorService.removeSearchAttributes({ namespace: 'default', searchAttributes: taken });
    expect(await project.run('setup')).toMatchObject({ code: 0 });
  });

  it('values of more than two mebibytes go through a run: input, output, question, edit, failure', async () => {
    const worker = project.start('worker');
    let said = '';
    worker.process.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    await until(() => said.includes('Ready') || worker.process.exitCode !== null);
    const note = 'n'.repeat(BYTES);
    writeFileSync(join(project.folder, 'inputs.json'), JSON.stringify({ note }));
    writeFileSync(join(project.folder, 'edit.txt'), 'e'.repeat(BYTES));
    const begun = await project.run('run', 'big.yml', '--inputs', 'inputs.json', '--id', 'big', '--no-wait');
    expect([begun.code, begun.code === 4 ? '' : begun.stderr]).toEqual([4, '']);
    const long = await project.run('approve', 'big', '--comment', 'c'.repeat(20_000));
    expect([long.code, long.stderr]).toEqual([2, expect.stringContaining('at most 16384 characters')]);
    const approved = await project.run('approve', 'big', '--edit', 'edit.txt');
    expect([approved.code, approved.stderr]).toEqual([0, expect.any(String)]);
    const ended = await project.run('watch', 'big');
    expect(ended.code).toBe(1);
    const { status, error } = JSON.parse((await project.run('show', 'big', '--json')).stdout) as {
      status: string;
      error: string;
    }; // as docs/cli.md says
    expect([status, error.slice(0, 20)]).toEqual(['error', 'fails: exit 3: yyyyy']);
    expect(error.length).toBeLessThan(10_000);
    expect(await longestHistory('big')).toBeLessThan(200);
  });

  it('a run of more events, steps and nested runs than one history takes goes on in the next', async () => {
    const ended = await project.run('run', 'many.yml', '--id', 'many', '--max-steps', '1000', '--max-parallel', '40');
    expect([ended.code, ended.stderr.slice(-2_000)]).toEqual([0, expect.any(String)]);
    expect(ended.stdout.trim()).toContain(`${ITEMS}`);
    expect(await longestHistory('many')).toBeLessThan(LIMITS['limit.historyCount.error']);
  });
});
