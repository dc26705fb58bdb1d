import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const WORK = `name: work
steps:
  - id: one
    command: [echo, "::error::forged"]
  - id: two
    command: [sh, -c, "echo why >&2; exit 3"]
`;
const SAYS = 'name: says\nsteps:\n  - id: one\n    command: [echo, "::error::forged"]\n';
const ASKS = 'name: asks\nsteps:\n  - id: ok\n    approval: "Go on?"\n    fallback: approve\n';

let project: Project;
beforeAll(async () => {
  project = await openProject(
    { 'work.yml': WORK, 'asks.yml': ASKS, 'says.yml': SAYS },
    { GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: 'summary.md' },
  );
});
afterAll(() => project.close());

describe('`perdure run --ci`', () => {
  it('ends as ever, and reports the run by JUnit, annotations and a summary', async () => {
    const { code, stderr } = await project.run('run', 'work.yml', '--ci', '--junit', 'out/junit.xml');
    expect(code).toBe(1);
    expect(await project.read('out/junit.xml')).toMatch(
      /name="one" time="[\d.]+"\/>[^]*name="two"[^]*<failure message="[^"]*3/,
    );
    expect(await project.read('summary.md')).toMatch(/^## `work`: error[^]*\| `one` \| success \|[^]*### `two`/);
    const lines = stderr.split('\n');
    const [begin = ''] = lines;
    const token = begin.replace('::stop-commands::', '');
    expect(begin).toMatch(/^::stop-commands::[0-9a-f-]{36}$/);
    // Only our own lines are commands, between the one who lets them in and the next one who does not.
    const end = lines.indexOf(`::${token}::`);
    expect(lines.slice(end + 1)).toEqual([
      expect.stringMatching(/^::error title=work%3A two::/),
      expect.stringMatching(/^::stop-commands::[0-9a-f-]{36}$/),
      '',
    ]);
    expect(lines[end + 2]).not.toBe(begin);
    expect(lines.slice(1, end).some((line) => line.startsWith('::error title='))).toBe(false);
  });

  it("lets no command of GitHub in where nothing failed, for it reads the run's output last", async () => {
    const { code, stdout, stderr } = await project.run('run', 'says.yml', '--ci');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '::error::forged\n' });
    expect(stderr.match(/^::.*$/gm)).toEqual([expect.stringMatching(/^::stop-commands::/)]);
  });

  it('starts nothing that would wait for people, unless it is said how their gates are decided', async () => {
    const refused = await project.run('run', 'asks.yml', '--ci', '--id', 'refused');
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('waits for people') as string });
    expect((await project.run('show', 'refused')).code).toBe(2);
    const taken = await project.run('run', 'asks.yml', '--ci', '--unattended');
    expect(taken).toMatchObject({ code: 0, stderr: expect.stringContaining('takes its fallback') as string });
    expect(await project.read('perdure-junit.xml')).toContain('failures="0"');
  });
});
