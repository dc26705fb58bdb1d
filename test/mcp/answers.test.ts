// @seconds 30
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { until } from '../faults/project.js';
import { PATIENCE } from './helpers/mcp-client.js';
import { openBench, open, project } from './helpers/server-bench.js';

openBench();

/** Waits in a way that a test can end; a run of it shows in `waits` that it has begun. */
const WAITS = `name: waits
steps:
  - command: [sh, -c, "touch waits; until [ -e end ]; do sleep 0.05; done; echo ended"]
`;
/** 131 steps, and more than an answer takes. */
const LARGE = `name: large
budgets: {max_steps: 200}
steps:
  - {id: each, foreach: [${Array.from({ length: 130 }, (_, index) => index).join(', ')}], set: {n: "\${item}"}}
  - {id: text, command: [seq, "20000"]}
output: "\${steps.text.output}"
`;
/** Fails, and says what would act on a terminal. */
const FAILS = `name: fails
steps:
  - {id: bad, command: [sh, -c, 'printf "\\\\033[2Jgone\\\\n" >&2; exit 3']}
`;

beforeAll(() => {
  for (const [name, text] of Object.entries({ waits: WAITS, large: LARGE, fails: FAILS }))
    writeFileSync(join(project.folder, 'definitions', 'workflows', `${name}.yml`), text);
});

interface Listed {
  run: string;
  status: string;
  submitted_by: string | null;
}

/** A run as it is listed: a little after it has begun. */
function listed(is: (one: Listed) => boolean): Promise<Listed> {
  return until(async () => (JSON.parse((await project.run('list', '--json')).stdout) as Listed[]).find(is));
}

describe('the name of a client', () => {
  it.each<[name: string, mode: 'legacy' | 'auto', shown: RegExp]>([
    ['ana', 'legacy', /^mcp:ana$/],
    ['ana', 'auto', /^mcp:ana$/],
    ['', 'auto', /^mcp:unknown$/],
    ['a\u001b[2Jb\nc\u202ed', 'auto', /^mcp:[ -~]+$/],
    ['x'.repeat(200), 'legacy', /^mcp:x{80}$/],
  ])('%j (%s) is never that of a person, nor more than a short line', async (name, mode, as) => {
    const { call } = await open({ name, mode });
    const { run } = await call('workflow', { name: 'hello', inputs: { name: 'Ana' }, background: true });
    expect((await listed((one) => one.run === run)).submitted_by).toMatch(as);
  });
});

describe('what a client is answered', () => {
  it('is whole where a model can take it, else its beginning with where the rest is', async () => {
    const { call } = await open();
    const done = await call('workflow', { name: 'large' });
    expect(done).toMatchObject({ status: 'success', error: null });
    expect(done['output']).toEqual({
      ref: expect.stringMatching(/^sha256:/) as string,
      bytes: expect.any(Number) as number,
      preview: expect.stringMatching(/1\n2\n3/) as string,
    });
    expect(JSON.stringify(done).length).toBeLessThan(10_000);
    const { steps, more_steps: more } = await call('run_status', { run: done['run'] ?? '' });
    expect((steps as unknown[]).length + Number(more)).toBeGreaterThanOrEqual(132);
    expect(steps).toHaveLength(100);
  });

  it('is a failed run as a result, and nothing of it acts on a terminal', async () => {
    const { client } = await open();
    const { isError, structuredContent, content } = await client.callTool(
      { name: 'workflow', arguments: { name: 'fails' } },
      PATIENCE,
    );
    expect(isError ?? false).toBe(false);
    expect(structuredContent).toMatchObject({ status: 'error', error: expect.stringContaining('3') as string });
    const [first] = content;
    const text = first?.type === 'text' ? first.text : '';
    expect(text).toContain('gone');
    expect(text).not.toMatch(/[^\n -\u007e]/);
  });
});

describe('a call that the client takes back', () => {
  it('ends the waiting and not the run, and the connection goes on', async () => {
    const { client, call } = await open();
    const leaving = new AbortController();
    const left = client.callTool(
      { name: 'workflow', arguments: { name: 'waits' } },
      { ...PATIENCE, signal: leaving.signal },
    );
    const refused = expect(left).rejects.toThrow();
    await until(() => existsSync(join(project.folder, 'waits')));
    leaving.abort();
    await refused;
    const { run, status } = await listed((one) => one.run.startsWith('waits-'));
    expect(status).toBe('running');
    writeFileSync(join(project.folder, 'end'), '');
    expect(await call('run_wait', { run })).toMatchObject({ status: 'success', output: 'ended' });
  });
});
