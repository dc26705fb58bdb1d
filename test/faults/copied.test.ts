// @seconds 45
import { cpSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from './project.js';
import { openProject, projectAt } from './project.js';
import { FULL, random } from './seed.js';

const INNER = `name: inner
steps:
  - id: ready
    approval: Ask?
  - id: asked
    agent: general-purpose
    prompt: "Nested?"
output: "\${steps.asked.output}"
`;
/** Has open runs of each kind: one that waits for a person, one that waits for a time, with nested runs below. */
const OUTER = `name: outer
steps:
  - id: first
    command: [sh, -c, 'echo first >> done.txt']
  - id: nested
    workflow: inner
  - id: last
    command: [sh, -c, 'echo last >> done.txt']
output: "\${steps.nested.output}"
`;
const TIMED = `name: timed
steps:
  - wait: 45s
  - id: asked
    agent: general-purpose
    prompt: "Timed?"
output: "\${steps.asked.output}"
`;
const HELLO = 'name: hello\nsteps:\n  - command: [echo, hello]\n';
const FILES = {
  'definitions/workflows/hello.yml': HELLO,
  'definitions/workflows/outer.yml': OUTER,
  'definitions/workflows/inner.yml': INNER,
  'definitions/workflows/timed.yml': TIMED,
};

interface Shown {
  status: string;
  error: string | null;
  output: unknown;
}

async function shown(project: Project, run: string): Promise<Shown> {
  const { stdout } = await project.run('show', run, '--json');
  return JSON.parse(stdout) as Shown;
}

async function openScene(
  config: string,
): Promise<{ original: Project; env: Record<string, string>; endpoint: ModelEndpoint }> {
  const endpoint = await startModelEndpoint(({ prompt }) => ({ text: `answer to ${prompt.slice(-10)}` }));
  onTestFinished(() => endpoint.close());
  const env = { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const original = await openProject({ ...FILES, 'perdure.yml': config }, env);
  onTestFinished(() => original.close());
  const outer = await original.run('run', 'definitions/workflows/outer.yml', '--id', 'outer', '--no-wait', '--json');
  expect(outer.code, outer.stderr).toBe(4);
  const timed = original.start('run', 'definitions/workflows/timed.yml', '--id', 'timed', '--detach', '--json');
  expect((await timed.finished).code).toBe(0);
  return { original, env, endpoint };
}

function copyOf({ folder }: Project, env: Record<string, string>): Project {
  cpSync(folder, `${folder}-copy`, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  const copy = projectAt(`${folder}-copy`, env);
  onTestFinished(() => copy.close());
  return copy;
}

async function endsOnce({
  original,
  copy,
  endpoint,
}: {
  original: Project;
  copy: Project;
  endpoint: ModelEndpoint;
}): Promise<void> {
  for (const run of ['outer', 'timed']) {
    const here = await shown(copy, run);
    expect(here).toMatchObject({
      status: 'cancelled',
      error: expect.stringContaining(`its project was copied from ${original.folder}/.perdure, where it goes on`),
    });
  }
  const approved = await original.run('approve', 'outer/nested/ready', '--json');
  expect(approved.code, approved.stderr).toBe(0);
  for (const run of ['outer', 'timed']) {
    const end = await original.run('watch', run, '--json');
    expect(end.code, end.stderr).toBe(0);
    expect(await shown(original, run)).toMatchObject({ status: 'success' });
    expect(await shown(copy, run)).toMatchObject({ status: 'cancelled' });
  }
  expect(endpoint.requests).toHaveLength(2);
  expect([await original.read('done.txt'), await copy.read('done.txt')]).toEqual(['first\nlast\n', 'first\n']);
}

describe('a copy of a project beside its living original', () => {
  const scenes: [title: string, act: () => Promise<void>][] = [];
  const scene = (title: string, act: () => Promise<void>): void => void scenes.push([title, act]);

  scene('that is opened first leaves the runs to the original, says so, and begins runs of its own', async () => {
    const { original, env, endpoint } = await openScene('{}\n');
    expect((await original.run('server', 'stop')).code).toBe(0);
    const copy = copyOf(original, env);
    const own = await copy.run('run', 'definitions/workflows/hello.yml', '--id', 'own', '--json');
    expect(own.code, own.stderr).toBe(0);
    expect(own.stderr).toMatch(/this project is a copy: .*`outer`.* go on in its original/);
    await endsOnce({ original, copy, endpoint });
    expect((await copy.run('server', 'stop')).code).toBe(0);
    expect(await shown(copy, 'own')).toMatchObject({ status: 'success' });
    expect((await copy.run('approve', 'outer/nested/ready', '--json')).code).not.toBe(0);
  });

  scene('made while the host lives, on a queue that both name, does nothing that the original does', async () => {
    const { original, env, endpoint } = await openScene('task_queue: team\n');
    const copy = copyOf(original, env);
    await endsOnce({ original, copy, endpoint });
  });

  const at = Math.floor(random('copied')() * scenes.length);
  for (const [title, act] of FULL ? scenes : scenes.slice(at, at + 1)) it(title, act);
});
