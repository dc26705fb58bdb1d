// @module-tag sandbox
// @seconds 55
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';

/**
 * What became of each message that was posted: `POST /<name>`. The first one of a name waits until its client is gone.
 */
const posted: string[] = [];
const board = createServer((request, response) => {
  const name = (request.url ?? '/').slice(1);
  posted.push(name);
  if (posted.filter((other) => other === name).length > 1) response.end(`posted ${name}`);
});

const NAMES = ['retry', 'done', 'stop'] as const;
const APPEND = { name: 'shell', input: { argv: ['sh', '-c', 'echo x >> turns.txt'] } };
/** 31 cents each at what Claude Sonnet costs. */
const DEAR = { input: 100_000, output: 1_000 };

/**
 * What a model says, and where it is cut: in the middle of a line that is long enough to be in the log before its end.
 */
const SAID = `Line one.\nLine two goes ${'on and '.repeat(60)}on.\nLine three.\n`;
const CUT = 250;

let project: Project;
let endpoint: ModelEndpoint;
let port = 0;
let isHeard = (): void => undefined;
beforeAll(async () => {
  await new Promise<void>((done) => board.listen(0, '127.0.0.1', done));
  port = (board.address() as AddressInfo).port; // it listens on a port
  const heard = new Promise<void>((resolve) => {
    isHeard = resolve;
  });
  endpoint = await startModelEndpoint((request) => answerTo(request, heard));
  const permissions = `{network: ["localhost:${port}"], commands: {workspace: [sh]}}`;
  const agent = `permissions: ${permissions}\nmodel: claude-sonnet-4-6\n`;
  project = await openProject(
    {
      'definitions/agents/worker.yml': `name: worker\nprompt: You work.\ntools: [http_request, shell]\n${agent}`,
      'say.yml':
        'name: say\ninputs:\n  what: {type: string}\nsteps:\n  - {id: work, agent: worker, prompt: ' +
        '"${what}"}\noutput: ${steps.work.output}\n',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
  board.closeAllConnections();
  await new Promise((done) => board.close(done));
});

function answerTo({ messages, results: { count, last } }: RecordedRequest, heard: Promise<void>): Answer {
  const [task = '', name = ''] = (messages[0]?.text ?? '').split(' ');
  if (task === 'post')
    return count === 0
      ? { tools: [{ name: 'http_request', input: { method: 'POST', url: `http://localhost:${port}/${name}` } }] }
      : { text: last[0]?.text ?? '' };
  if (task === 'spend') return count < 3 ? { tools: [APPEND], usage: DEAR } : { text: 'spent', usage: DEAR };
  if (count > 0) return { text: 'Line four.\n' };
  const isFirst = endpoint.requests.filter((request) => request.messages[0]?.text === 'stream').length === 1;
  return isFirst
    ? { text: SAID.slice(0, CUT), until: heard, rest: '' }
    : { text: SAID, tools: [{ name: 'shell', input: { argv: ['sh', '-c', 'true'] } }] };
}

async function killHost(): Promise<void> {
  const { host } = await project.pids();
  if (host === null) throw new Error('There is no host to kill.');
  kill(host);
}

const start = (id: string, what: string, ...more: string[]) =>
  project.start('run', 'say.yml', '--id', id, '-i', `what=${what}`, '--no-wait', ...more);
const asked = (what: string): number => endpoint.requests.filter(({ messages }) => messages[0]?.text === what).length;

async function ended(id: string): Promise<RunResult> {
  const { code, stderr } = await project.run('watch', id);
  expect(code, stderr).toBe(0);
  return JSON.parse((await project.run('show', id, '--json')).stdout) as RunResult;
}

describe('a tool with an external effect whose worker was killed in the middle of it', () => {
  it('is not repeated: a person says whether it is done again, counts as done, or is left', async () => {
    const runs = NAMES.map((name) => start(name, `post ${name}`));
    await until(() => posted.length === NAMES.length);
    await killHost();
    expect(await Promise.all(runs.map(async ({ finished }) => (await finished).code))).toEqual([4, 4, 4]);
    // What is listed follows the runs by a moment.
    await expect
      .poll(async () => JSON.parse((await project.run('list', '--waiting', '--json')).stdout) as unknown)
      .toEqual(
        NAMES.map(() => {
          const message = '`http_request` ran. Its effect is external and may have happened';
          return expect.objectContaining({ message: expect.stringContaining(message) as string }) as unknown;
        }),
      );
    expect([...posted].sort()).toEqual([...NAMES].sort());
    for (const name of NAMES) {
      const { code, stderr } = await project.run('approve', `${name}/work/1.1`, '--option', name, '--as', 'ana');
      expect(code, stderr).toBe(0);
    }
    const outputs = await Promise.all(NAMES.map(async (name) => String((await ended(name)).output)));
    expect(outputs).toEqual([
      expect.stringContaining('posted retry'),
      expect.stringMatching(/it counts as done, by ana/),
      expect.stringMatching(/it was not repeated, by ana/),
    ]);
    expect([...posted].sort()).toEqual([...NAMES, 'retry'].sort());
    // No turn was asked for twice.
    expect(NAMES.map((name) => asked(`post ${name}`))).toEqual([2, 2, 2]);
  });
});

describe('a conversation that has no more money', () => {
  it('waits in its middle, across a kill -9 too, and goes on after a top-up where it was', async () => {
    const paused = await start('spend', 'spend', '--max-cost-usd', '1', '--json').finished;
    expect(paused.code, paused.stderr).toBe(4);
    const before = asked('spend');
    expect(before).toBeGreaterThan(0);
    expect(before).toBeLessThan(4);
    await killHost();
    expect(JSON.parse((await project.run('show', 'spend', '--json')).stdout)).toMatchObject({ status: 'paused' });
    expect(asked('spend')).toBe(before);
    expect((await project.run('budget', 'spend', '--add-usd', '3')).code).toBe(0);
    expect(await ended('spend')).toMatchObject({
      status: 'success',
      output: 'spent',
      spend: { steps: 1, tokens: 4 * (DEAR.input + DEAR.output) },
    });
    expect(asked('spend')).toBe(4);
    expect(await project.read('turns.txt')).toBe('x\nx\nx\n');
  });
});

describe('`logs -f` of a conversation whose host is killed while its model speaks', () => {
  it('goes on without a doubled or a lost line, and ends with the run', async () => {
    const run = start('stream', 'stream');
    await endpoint.arrival(endpoint.requests.length + 1);
    const logs = project.start('logs', 'stream', '-f', '--json');
    let seen = '';
    logs.process.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.toString();
    });
    await until(() => seen.includes('on and on'));
    await killHost();
    isHeard();
    expect(await ended('stream')).toMatchObject({ status: 'success' });
    const { code, stdout, stderr } = await logs.finished;
    expect(code, stderr).toBe(0);
    const lines = JSON.parse(stdout) as { stream: string; text: string }[];
    expect(
      lines
        .filter(({ stream }) => stream === 'text')
        .map(({ text }) => text)
        .join(''),
    ).toBe(`${SAID}Line four.\n`);
    expect(
      lines
        .filter(({ text }) => /^(turn \d|[→←] )/.test(text))
        .map(({ text }) => text.split(' ').slice(0, 2).join(' ')),
    ).toEqual(['turn 1', '→ 1.1', '← 1.1', 'turn 2']);
    // Whoever looks later sees the same.
    expect(JSON.parse((await project.run('logs', 'stream', '--json')).stdout)).toEqual(lines);
    expect(asked('stream')).toBe(3);
    await run.finished;
  });
});
