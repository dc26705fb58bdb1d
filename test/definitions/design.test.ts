// @seconds 25
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { kill, openProject } from '../faults/project.js';

const AGENT = {
  name: 'word-counter',
  description: 'Counts words.',
  model: 'haiku',
  instructions: 'You count words.\n\nOutput format: one number.',
};
const GOOD = {
  name: 'count',
  description: 'Counts: words, and says so.',
  flow: '$word-counter:"Count {request}":n -> general-purpose:"Say {n}"',
  agents: [AGENT],
};
const DRAFTS = [
  { ...GOOD, flow: '$word-countr:"Count {request}":n -> general-purpose:"Say {m}"' },
  { ...GOOD, agents: [AGENT, { ...AGENT, name: 'Plan' }] },
  GOOD,
];

let project: Project;
let endpoint: ModelEndpoint;
let drafts: object[] = [];
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ system, prompt }) => {
    if (system.includes('You design flows')) return { text: JSON.stringify(drafts.shift() ?? {}) };
    return { text: system.includes('You count words') ? '3' : `said ${/Say (\d)/.exec(prompt)?.[1] ?? '?'}` };
  });
  project = await openProject({}, { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url });
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

describe('perdure design', () => {
  it('writes what the compiler accepts, after its problems went back, and runs nothing of it', async () => {
    drafts = [...DRAFTS];
    const { code, stdout, stderr } = await project.run('design', 'count my words', '--json');
    expect(code, stderr).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      flow: 'definitions/flows/count.flow',
      agents: ['temp-agents/word-counter.md'],
      graph: { nodes: [{ agent: 'word-counter', outputVar: 'n' }, { agent: 'general-purpose' }] },
    });
    const [first, second, third, ...more] = endpoint.requests.map(({ messages }) =>
      messages.map(({ text }) => text).join('\n'),
    );
    expect(more).toEqual([]);
    expect(first).toContain('count my words');
    expect(second).toMatch(/definitions\/flows\/count\.flow:\d+:\d+ {2}unknown-agent/);
    expect(second).toContain('unknown-variable');
    expect(third).toContain('built-in agent `Plan`');
    expect(await project.read('temp-agents/word-counter.md')).toMatch(
      /created_by: perdure design\n---\nYou count words\./,
    );
    expect((await project.run('validate', '.')).stderr).not.toContain('warning');
  });

  it('the flow runs, and its agents are gone when that run has closed', async () => {
    expect(await project.run('run', 'count', 'one two three')).toMatchObject({ code: 0, stdout: 'said 3\n' });
    expect(existsSync(join(project.folder, 'temp-agents/word-counter.md'))).toBe(false);
    expect(readFileSync(join(project.folder, 'definitions/flows/count.flow'), 'utf8')).toContain('$word-counter');
  });

  it('its agents are removed also when everything was killed while the run waited', async () => {
    drafts = [{ ...GOOD, name: 'gated', flow: `@ok -> ${GOOD.flow}` }];
    expect((await project.run('design', 'count, but ask me first')).code).toBe(0);
    expect((await project.run('run', 'gated', 'x', '--id', 'gated', '--no-wait')).code).toBe(4);
    const { host, server } = await project.pids();
    for (const pid of [host, server]) if (pid !== null) kill(pid);
    expect((await project.run('approve', 'gated/ok')).code).toBe(0);
    expect((await project.run('watch', 'gated')).stdout).toBe('said 3\n');
    expect(existsSync(join(project.folder, 'temp-agents/word-counter.md'))).toBe(false);
  });

  it('fails when no draft is accepted, and writes nothing', async () => {
    drafts = Array.from({ length: 4 }, () => GOOD);
    const { code } = await project.run('design', 'count again', '--json');
    expect(code).toBe(1);
    expect(existsSync(join(project.folder, 'temp-agents/word-counter.md'))).toBe(false);
  });
});
