import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { FullDisk } from './full-disk.js';
import { openFullDisk } from './full-disk.js';
import type { Finished, Project } from './project.js';
import { openProject, until } from './project.js';

const ASKS =
  'name: asks\nsteps:\n  - id: asked\n    agent: general-purpose\n    prompt: "Who?"\noutput: ' +
  '"${steps.asked.output}"\n';
const GATED = 'name: gated\nsteps:\n  - id: gate\n    approval: Go on?\n';

/**
 * What people keep beside runs: a command that cannot write it says so and changes nothing, and does it when there is
 * room.
 */
describe('a disk that is full where something is kept beside runs, and freed later', () => {
  let disk: FullDisk;
  let project: Project;
  let endpoint: ModelEndpoint;
  let whenAsked = (): void => undefined;
  beforeAll(async () => {
    disk = await openFullDisk();
    endpoint = await startModelEndpoint(() => {
      whenAsked();
      return { text: 'me' };
    });
    project = await openProject(
      { 'perdure.yml': 'approvals: {require_token: true}\n', 'asks.yml': ASKS, 'gated.yml': GATED },
      { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url, ...disk.env },
    );
    expect((await project.run('run', 'gated.yml', '--id', 'gated', '--no-wait', '--json')).code).toBe(4);
  });
  afterAll(async () => {
    disk.free();
    await project.close();
    await endpoint.close();
    await disk.close();
  });

  const refused = async (match: string, ...command: string[]): Promise<Finished> => {
    disk.fill(match);
    const full = await project.run(...command);
    expect([full.code, full.stderr]).toEqual([3, expect.stringContaining('no space is left')]);
    disk.free();
    return project.run(...command);
  };

  it('memory: nothing is remembered, and then once', async () => {
    const added = await refused('/\\.perdure/memory/', 'memory', 'add', 'We use tabs.', '--json');
    expect(added.code, added.stderr).toBe(0);
    const { stdout } = await project.run('memory', 'list', '--json');
    expect(stdout.split('We use tabs.')).toHaveLength(2);
  });

  it('approval key: the gate stays open, and is decided by the same command', async () => {
    const approved = await refused('/\\.perdure/approval\\.key', 'approve', 'gated/gate', '--json');
    expect(approved.code, approved.stderr).toBe(0);
    expect((await project.run('watch', 'gated', '--json')).code).toBe(0);
  });

  it('session that begins: nothing is started, and nothing is asked', async () => {
    const before = endpoint.requests.length;
    const asked = await refused('/\\.perdure/sessions/', 'run', 'asks.yml', '--session', 'new', '--json');
    expect(asked.code, asked.stderr).toBe(0);
    expect(endpoint.requests.length - before).toBe(1);
  });

  it('session that a run answers in: the run waits for room, and the answer is there once', async () => {
    const before = endpoint.requests.length;
    whenAsked = () => {
      disk.fill('/\\.perdure/sessions/');
    };
    disk.forget();
    const running = project.start('run', 'asks.yml', '--session', 'new', '--id', 'answers', '--json');
    await until(() => disk.hits() >= 2 || running.process.exitCode !== null);
    expect(running.process.exitCode).toBe(null);
    whenAsked = () => undefined;
    disk.free();
    const end = await running.finished;
    expect(end.code, end.stderr).toBe(0);
    expect(endpoint.requests.length - before).toBe(1);
    const [session] = JSON.parse((await project.run('sessions', 'list', '--json')).stdout) as { session_id: string }[];
    const { messages } = JSON.parse(
      (await project.run('sessions', 'show', String(session?.session_id), '--json')).stdout,
    ) as { messages: { role: string; content: string }[] };
    expect(messages.map(({ role, content }) => `${role}: ${content}`)).toEqual([
      expect.stringMatching(/^user: /),
      'assistant: me',
    ]);
  });
});
