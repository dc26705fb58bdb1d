// @seconds 40
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/plan/values/json.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { kill, openProject, until } from '../faults/project.js';
import { onTerminal } from '../hostile/on-terminal.js';
import type { McpClient } from '../mcp/helpers/mcp-client.js';
import { openMcp } from '../mcp/helpers/mcp-client.js';
import { signedIn, startUi } from '../tools/pages.js';

/** Answers cost a dollar each at the price of the config. */
const DOLLAR = { usage: { input: 0, output: 1_000 } };

const ESSAY = `name: essay
inputs:
  subject: {type: string, default: kites}
steps:
  - {id: draft, agent: writer, prompt: "Draft an essay"}
  - {id: ok, approval: "Publish it?", content: "\${steps.draft.output}"}
  - {id: polish, agent: writer, prompt: "Polish it", after: [ok]}
  - {id: publish, command: [echo, out], effect: external, after: [polish]}
`;

let endpoint: ModelEndpoint;
const notices: JsonObject[] = [];
const receiver = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString()));
  request.on('end', () => {
    notices.push(JSON.parse(body) as JsonObject);
    response.end();
  });
});
let project: Project;
let env: Record<string, string>;

beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt }) => ({ text: `answer to ${prompt}`, ...DOLLAR }));
  env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`; // A server on TCP has such an address.
  project = await openProject(
    {
      'perdure.yml':
        'models:\n  default: anthropic:writer-1\n  prices: {writer-1: {input: 1, output: 1000}}\n' +
        `notify: {webhook: "${hook}", on: [waiting]}\n`,
      '.glee/agents/writer.yml': 'name: writer\ndescription: Writes\nprompt: You write.\n',
      'definitions/agents/reader.yml': 'name: reader\nprompt: You read.\ntools: [list_files]\n',
      'definitions/workflows/reads.yml': 'name: reads\nsteps:\n  - {agent: reader, prompt: Read.}\n',
      'definitions/workflows/nested.yml': 'name: nested\nsteps:\n  - {workflow: reads}\n',
      'definitions/workflows/essay.yml': ESSAY,
      'definitions/workflows/poor.yml': `${ESSAY.replace('essay', 'poor')}budgets: {max_cost_usd: 1}\n`,
    },
    env,
  );
  for (const id of ['one', 'two', 'three'])
    expect(await project.run('run', 'essay', '--yes', '--id', id)).toMatchObject({ code: 0 });
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
  receiver.close();
});

async function runIds(): Promise<string[]> {
  const listed = JSON.parse((await project.run('list', '--json')).stdout) as { run: string }[];
  return listed.map(({ run }) => run).sort();
}

describe('`run --ask-above`', () => {
  it('starts nothing where nobody is there to be asked, and says what it may cost', async () => {
    const asked = endpoint.requests.length;
    const { code, stderr } = await project.run('run', 'essay', '--yes', '--ask-above', '1.5', '--id', 'dear');
    expect(code).toBe(1);
    expect(stderr).toContain('This run may cost $2.00, above $1.50 (--ask-above).');
    expect(stderr).toContain('from 3 closed runs, half and 95 of 100 at most: $2.00 and $2.00');
    expect(stderr).toContain('nothing was started');
    expect(await runIds()).not.toContain('dear');
    expect(endpoint.requests).toHaveLength(asked);
  });

  it('starts nothing when who is asked says no, and the run when they say yes', async () => {
    const asked = endpoint.requests.length;
    const above = ['run', 'essay', '--yes', '--ask-above', '1.5', '--id'];
    const no = await onTerminal(project, [...above, 'declined'], [['Start it? [y/N] ', 'n\r']], env);
    expect(no.code).toBe(1);
    expect(no.bytes).toContain('Nothing was started.');
    expect(await runIds()).not.toContain('declined');
    expect(endpoint.requests).toHaveLength(asked);
    expect((await onTerminal(project, [...above, 'agreed'], [['Start it? [y/N] ', 'y\r']], env)).code).toBe(0);
    expect(await runIds()).toContain('agreed');
  });

  it.each(['reads', 'nested'])('knows no dearest course of agents with tools but their limit: %s', async (name) => {
    const above = (usd: string, ...more: string[]): ReturnType<Project['run']> =>
      project.run('run', name, '--ask-above', usd, '--id', `${name}-1`, '--detach', ...more);
    expect(await above('1000')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('This run may cost nobody knows what, above $1000') as string,
    });
    expect((await above('1.5', '--max-cost-usd', '2')).stderr).toContain('This run may cost $2.00, above $1.50');
    expect(await runIds()).not.toContain(`${name}-1`);
    expect(await above('1.5', '--max-cost-usd', '1')).toMatchObject({ code: 0 });
    expect(await project.run('cancel', `${name}-1`)).toMatchObject({ code: 0 });
  });

  it('asks nobody about a run that costs less or may spend no more, and refuses what is no number', async () => {
    expect(await project.run('run', 'essay', '--yes', '--ask-above', '2.5', '--id', 'cheap')).toMatchObject({
      code: 0,
    });
    const capped = ['--ask-above', '1.5', '--max-cost-usd', '1.2', '--id', 'capped', '--detach'];
    expect(await project.run('run', 'essay', '--yes', ...capped)).toMatchObject({ code: 0 });
    expect(await project.run('cancel', 'capped')).toMatchObject({ code: 0 });
    const wrong = await project.run('run', 'essay', '--ask-above', 'much', '--id', 'wrong');
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('Expected `--ask-above` to be a number of dollars, got `much`');
    expect(await runIds()).not.toContain('wrong');
  });
});

describe('a run that waits', () => {
  let client: McpClient;
  const messages: string[] = [];
  beforeAll(async () => {
    client = await openMcp(project.folder, {
      env,
      person: (message) => {
        messages.push(message);
        return true;
      },
    });
  });
  afterAll(() => client.close());

  it('is forecast over MCP before it is started, and what is left of it once it waits', async () => {
    const before = await client.call('workflow_plan', { name: 'essay' });
    expect(before).toMatchObject({
      name: 'essay',
      forecast: { usd: { p50: expect.closeTo(2, 3), p95: expect.closeTo(2, 3) }, unknown: [] },
      range: { calls: { least: 2, most: 2 }, unpriced: [] },
    });
    const waiting = await client.call('workflow', { name: 'essay' });
    expect(waiting).toMatchObject({
      status: 'waiting',
      forecast: { usd: { p50: expect.closeTo(2, 3), p95: expect.closeTo(2, 3) } },
      gates: [
        {
          bill: {
            steps: 2,
            external: ['publish'],
            forecast: { usd: { p50: expect.closeTo(1, 3), p95: expect.closeTo(1, 3) } },
          },
        },
      ],
    });
    const [{ bill }] = waiting['gates'] as [{ bill: { forecast: { ms: JsonObject }; budget: JsonObject } }];
    expect(bill.forecast.ms['p95']).toBeGreaterThan(0);
    expect(bill.budget).toHaveProperty('steps_remaining');
    await client.call('gate_answer', { gate: String(waiting['run']), decision: 'approve' });
    expect(messages.at(-1)).toContain('If it is approved: 2 steps can begin');
    expect(messages.at(-1)).toContain('Changes the world outside: publish');
    expect(messages.at(-1)).toContain('at most $1.00 in half of all runs, at most $1.00 in 95 of 100');
    expect(await client.call('run_wait', { run: String(waiting['run']) })).toMatchObject({ status: 'success' });
  });

  it('is started over MCP only once the person agrees, where it may cost more than they said', async () => {
    const before = await runIds();
    const asked = endpoint.requests.length;
    const said: string[] = [];
    let agrees = false;
    const person = (message: string): boolean => {
      said.push(message);
      return agrees;
    };
    const careful = await openMcp(project.folder, { env, args: ['--ask-above', '1.5'], person });
    const alone = await openMcp(project.folder, { env, args: ['--ask-above', '1.5'] });
    const rich = await openMcp(project.folder, { env, args: ['--ask-above', '2.5'] });
    try {
      const wanted = { name: 'essay', inputs: { subject: 'zeppelins\u202e' } };
      expect(await careful.refusal('workflow', wanted)).toContain('did not agree. Nothing was started');
      expect(said).toEqual([expect.stringMatching(/^`mcp:test-client` wants to run `essay`\.\n\n│ /)]);
      expect(said[0]).toContain('│   "subject": "zeppelins\\u{202e}"');
      expect(said[0]).toContain('This run may cost $2.00, above $1.50:\nfrom ');
      expect(await alone.refusal('workflow', wanted)).toMatch(/\$2\.00, above \$1\.50 .*cannot ask its person/);
      expect(await runIds()).toEqual(before);
      expect(endpoint.requests).toHaveLength(asked);
      agrees = true;
      const { run } = await careful.call('workflow', wanted);
      expect(await runIds()).toEqual([...before, run].sort());
      expect(said).toHaveLength(2);
      expect(await rich.call('workflow', wanted)).toMatchObject({ status: 'waiting' });
      // It has not been run before, and its dearest course costs more than it may.
      const { run: poor } = await alone.call('workflow', { name: 'poor' });
      expect((await project.run('cancel', String(poor))).code).toBe(0);
      expect(said).toHaveLength(2);
    } finally {
      await Promise.all([careful, alone, rich].map((one) => one.close()));
    }
  });

  it('is not started where the server of tools is killed while it asks the person', async () => {
    const before = await runIds();
    const asked = endpoint.requests.length;
    let pid = 0;
    const person = (): boolean => {
      kill(pid);
      return true;
    };
    const careful = await openMcp(project.folder, { env, args: ['--ask-above', '1.5'], person });
    ({ pid } = careful);
    await expect(careful.call('workflow', { name: 'essay' })).rejects.toThrow();
    await careful.close();
    expect(pid).toBeGreaterThan(0);
    expect(await runIds()).toEqual(before);
    expect(endpoint.requests).toHaveLength(asked);
  });

  it('is told of with what follows, its forecast, and the budget that stays', async () => {
    const run = project.start('run', 'essay', '--max-cost-usd', '50', '--id', 'told');
    const notice = await until(() => notices.find((one) => one['run'] === 'told'));
    expect(notice).toMatchObject({
      event: 'waiting',
      follows: {
        steps: 2,
        external: ['publish'],
        forecast: { usd: { p50: expect.closeTo(1, 3), p95: expect.closeTo(1, 3) } },
        budget: { usd: expect.closeTo(49, 2), steps: expect.any(Number) },
      },
    });
    const { follows } = notice as { follows: { forecast: { runs: number; ms: { p50: number; p95: number } } } };
    expect(follows.forecast.runs).toBeGreaterThanOrEqual(3);
    expect(follows.forecast.ms.p95).toBeGreaterThanOrEqual(follows.forecast.ms.p50);
    const shown = (await project.run('show', 'told')).stdout;
    const { stderr } = await project.run('approve', 'told/ok');
    for (const told of [shown, stderr]) {
      expect(told).toContain('If it is approved: 2 steps can begin');
      expect(told).toContain('Changes the world outside: publish');
      expect(told).toMatch(/May cost: at most \$1\.00 in half of all runs, at most \$1\.00 in 95 of 100, from \d/);
      expect(told).toMatch(/Budget that stays: \$49\.00/);
    }
    expect(await run.finished).toMatchObject({ code: 0 });
  });

  it('has its forecast on its page, and that of what is left on the page of the gate', async () => {
    const started = project.start('run', 'essay', '--id', 'paged');
    await until(async () => ((await project.run('list', '--waiting')).stdout.includes('paged/ok') ? true : undefined));
    const ui = await startUi(project);
    const { read } = await signedIn(ui.link);
    const gate = await read(`${ui.origin}/gates/paged/ok`);
    expect(gate).toMatch(
      /May cost<\/dt><dd>at most \$1\.00 in half of all runs, at most \$1\.00 in 95 of 100, from \d/,
    );
    expect(gate).toMatch(/by the Plan \$0\.\d+ to \$\d/);
    expect(gate).toMatch(/May take<\/dt><dd>at most [^<]+ in half of all runs, at most [^<]+ in 95 of 100/);
    expect(await read(`${ui.origin}/runs/paged`)).toMatch(/half and 95 of 100 at most: \$2\.00 and \$2\.00/);
    await project.run('approve', 'paged/ok');
    await started.finished;
    // What was forecast when it began stays beside what it took.
    expect(await read(`${ui.origin}/runs/paged`)).toMatch(/half and 95 of 100 at most: \$2\.00 and \$2\.00/);
    ui.running.process.kill('SIGINT');
    await ui.running.finished;
  });
});
