// @seconds 10
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject } from '../faults/project.js';

const MADE = JSON.stringify({ steps: [{ id: 'writes', agent: 'writer', prompt: 'Write it.' }] });

it('a rerun does again what an agent of a made workflow had written and somebody has removed', async () => {
  const endpoint = await startModelEndpoint(({ results }) =>
    results.count === 0
      ? { tools: [{ name: 'write_file', input: { path: 'out.txt', content: 'written' } }] }
      : { text: 'done' },
  );
  const project = await openProject(
    {
      'definitions/agents/writer.yml': 'name: writer\nprompt: You write.\ntools: [write_file]\n',
      'definitions/workflows/makes.yml':
        `name: makes\nsteps:\n  - id: think\n    set: {plan: ${MADE}}\n  - {id: inner, plan: ` +
        `"\${steps.think.output.plan}"}\n`,
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  try {
    execFileSync('git', ['init', '--quiet'], { cwd: project.folder });
    const first = await project.run('run', 'makes', '--id', 'first', '--yes', '--json');
    expect([first.code, existsSync(join(project.folder, 'out.txt'))], first.stdout + first.stderr).toEqual([0, true]);
    expect((await project.run('workspace', 'show', 'first')).stdout).toContain('out.txt');
    const asked = endpoint.requests.length;
    expect((await project.run('rerun', 'first', '--id', 'kept', '--yes')).code).toBe(0);
    expect(endpoint.requests).toHaveLength(asked);
    await rm(join(project.folder, 'out.txt'));
    const again = await project.run('rerun', 'kept', '--id', 'again', '--yes');
    expect([again.code, existsSync(join(project.folder, 'out.txt'))], again.stderr).toEqual([0, true]);
  } finally {
    await project.close();
    await endpoint.close();
  }
});
