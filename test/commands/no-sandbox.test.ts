// @module-tag sandbox
// @seconds 10
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { MAIN, openProject } from '../faults/project.js';

/*
 * A host on a machine without bubblewrap, which is installed while it runs: of the host's own view of the files it is
 * hidden first, and shown later.
 */

let project: Project;
let endpoint: ModelEndpoint;
let host: number;

beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, results: { count } }) =>
    prompt.includes('look') && count === 0
      ? { tools: [{ name: 'shell', input: { argv: ['python3', '-c', 'print(6 * 7)'] } }] }
      : { text: 'done' },
  );
  const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  project = await openProject(
    {
      'definitions/agents/worker.yml': 'name: worker\nprompt: You work.\ntools: [shell]\n',
      'definitions/agents/reader.yml': 'name: reader\nprompt: You read.\ntools: [read_file]\n',
      'definitions/workflows/inner.yml': 'name: inner\nsteps:\n  - {id: deep, agent: worker, prompt: Please look.}\n',
      'agent.yml':
        'name: agent\nsteps:\n  - {id: first, agent: reader, prompt: Read.}\n  - {id: work, agent: worker, ' +
        'prompt: Please look.}\n',
      'nested.yml':
        'name: nested\nsteps:\n  - {id: first, agent: reader, prompt: Read.}\n  - {id: below, workflow: inner}\n',
      'step.yml':
        'name: step\nsteps:\n  - {id: first, agent: reader, prompt: Read.}\n  - {id: run, tool: shell, inputs: ' +
        '{argv: [python3, -c, "print(1)"]}}\n',
      'reads.yml':
        'name: reads\nsteps:\n  - {id: first, agent: reader, prompt: Read.}\n  - {id: run, tool: shell, inputs: ' +
        '{argv: [ls]}}\n',
    },
    env,
  );
  const begun = spawn(
    'unshare',
    [
      '--mount',
      '/bin/sh',
      '-c',
      'mount --bind /dev/null /usr/bin/bwrap && exec "$@"',
      'sh',
      process.execPath,
      MAIN,
      'run',
      'reads.yml',
      '--id',
      'begun',
    ],
    {
      cwd: project.folder,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: {
        PATH: process.env['PATH'],
        HOME: process.env['HOME'],
        PERDURE_TEMPORAL_BIN: process.env['PERDURE_TEMPORAL_BIN'],
        PERDURE_TEST_RUN: process.env['PERDURE_TEST_RUN'],
        ...env,
      },
    },
  );
  // Nothing in it needs a sandbox.
  expect(await once(begun, 'exit')).toEqual([0, null]);
  host = (await project.pids()).host ?? 0;
});

afterAll(async () => {
  await project.close();
  await endpoint.close();
});

describe('a run that needs a sandbox', () => {
  it.each(['agent', 'nested', 'step'])(
    'ends before it has spent anything where its host has none, and says how to get it (%s)',
    async (name) => {
      const asked = endpoint.requests.length;
      const { code, stdout, stderr } = await project.run('run', `${name}.yml`, '--id', `without-${name}`);
      expect([code, stdout], stderr).toEqual([1, '']);
      expect(stderr.replace(/\s+/g, ' ')).toContain('apt-get install bubblewrap');
      expect(endpoint.requests.length).toBe(asked);
      const shown = JSON.parse((await project.run('show', `without-${name}`, '--json')).stdout) as RunResult;
      expect(shown).toMatchObject({
        status: 'error',
        error: expect.stringContaining('sandbox') as string,
        spend: { tokens: 0, steps: 0 },
      });
    },
  );

  it('goes on in a host that began without one, once it is installed', async () => {
    execFileSync('nsenter', ['--target', String(host), '--mount', 'umount', '/usr/bin/bwrap']);
    for (const name of ['agent', 'nested', 'step']) {
      const { code, stderr } = await project.run('run', `${name}.yml`, '--id', `with-${name}`);
      expect(code, stderr).toBe(0);
    }
    expect((await project.pids()).host).toBe(host);
    expect(JSON.stringify(endpoint.requests.at(-1)) + JSON.stringify(endpoint.requests)).toContain('42');
  });
});
