// @seconds 25
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import type { Answer, ModelEndpoint, RecordedRequest } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Finished, Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

const agent = (name: string, toolsets: string): string => `---\nname: ${name}\ntoolsets: ${toolsets}\n---\nYou work.\n`;
const manifest = (entry: string, runtime: object = {}): string =>
  JSON.stringify({
    version: 1,
    runtime,
    entry: { agent: entry },
    generated_agents_dir: 'generated',
    agent_files: [`${entry}.agent`],
  });

let project: Project;
let endpoint: ModelEndpoint;
let answer: (request: RecordedRequest) => Answer;
beforeAll(async () => {
  endpoint = await startModelEndpoint((request) => answer(request));
  project = await openProject(
    {
      'minutes/project.json': manifest('home'),
      'minutes/home.agent': agent('home', '[filesystem_project, dynamic_agents]'),
      'minutes/free.json': manifest('home', { approval_mode: 'approve_all' }),
      'minutes/closed.json': manifest('home', { approval_mode: 'reject_all' }),
      'minutes/told.json': manifest('home', { approval_mode: 'reject_all', return_permission_errors: true }),
      'minutes/reading.json': JSON.stringify({
        version: 1,
        runtime: {},
        entry: { agent: 'reader' },
        agent_files: ['reader.agent'],
      }),
      'minutes/reader.agent': agent('reader', '[filesystem_project_ro]'),
      'minutes/caller.json': manifest('caller', { approval_mode: 'approve_all' }),
      'minutes/caller.agent': agent('caller', '[filesystem_cwd, shell_readonly]'),
      'minutes/note.txt': 'of the manifest',
      'work/note.txt': 'of the caller',
      'note.txt': 'of the root',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const last = ({ results }: RecordedRequest): string =>
  results.last.map(({ text }) => text.replace(/<\/?glee:context[^>]*>\n?/g, '').trim()).join(' | ');
/** An agent that makes these calls, one a turn, and answers with all that it was told. */
function acting(...calls: { name: string; input: unknown }[]): void {
  const told: string[] = [];
  answer = (request) => {
    if (request.system.includes('You judge.')) return { text: `judged: ${request.prompt}` };
    if (request.results.count > 0) told.push(last(request));
    const next = calls[request.results.count];
    return next === undefined ? { text: told.join('\n') } : { tools: [next] };
  };
}
const read = (path: string) => ({ name: 'read_file', input: { path } });
const write = (path: string) => ({ name: 'write_file', input: { path, content: 'minutes' } });
const resultOf = ({ stdout, stderr }: Finished): RunResult => {
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as RunResult;
};
const approve = (id: string): Promise<string> =>
  until(async () => {
    const { code, stderr } = await project.run('approve', id, '--as', 'ana');
    return code === 0 ? stderr : null;
  });

describe("the folder of a project's toolsets", () => {
  it('is that of the manifest for filesystem_project, from wherever the run is started', async () => {
    acting(
      read('note.txt'),
      { name: 'list_files', input: {} },
      { name: 'search_files', input: { pattern: 'manifest' } },
      write('out/minutes.md'),
      read(join(project.folder, 'minutes', 'note.txt')),
    );
    const { output, status } = resultOf(await project.runIn('work', 'run', '../minutes/free.json', 'Go.', '--json'));
    expect(status).toBe('success');
    expect(String(output).split('\n')).toEqual([
      '1\tof the manifest',
      'caller.agent',
      'caller.json',
      'closed.json',
      'free.json',
      'home.agent',
      'note.txt',
      'project.json',
      'reader.agent',
      'reading.json',
      'told.json',
      'note.txt:1: of the manifest',
      'Wrote out/minutes.md (7 bytes).',
      '1\tof the manifest',
    ]);
    expect(await project.read('minutes/out/minutes.md')).toBe('minutes');
    for (const folder of ['out', 'work/out']) expect(existsSync(join(project.folder, folder))).toBe(false);
  });

  it('is left by no path and by no link', async () => {
    await writeFile(join(project.folder, 'minutes/plain.txt'), 'x');
    for (const path of ['../note.txt', '/etc/hostname', join(project.folder, 'note.txt')]) {
      acting(read(path));
      const { status, error } = resultOf(await project.runIn('work', 'run', '../minutes/free.json', 'Go.', '--json'));
      expect({ path, status, error }).toMatchObject({
        status: 'error',
        error: expect.stringContaining('is outside of the workspace') as string,
      });
    }
  });

  it("is the caller's for filesystem_cwd and the shell", async () => {
    acting(read('note.txt'), { name: 'shell', input: { argv: ['cat', 'note.txt'] } }, write('made.md'));
    const told = resultOf(await project.runIn('work', 'run', '../minutes/caller.json', 'Go.', '--json'));
    expect(String(told.output)).toMatch(/^1\tof the caller\n.*of the caller.*\nWrote made\.md/s);
    expect(existsSync(join(project.folder, 'work/made.md'))).toBe(true);
    acting(read('note.txt'));
    expect(resultOf(await project.run('run', 'minutes/caller.json', 'Go.', '--json')).output).toBe('1\tof the root');
  });

  it('holds for attachments of agents that it makes, and for their files', async () => {
    acting(
      { name: 'agent_create', input: { name: 'judge', instructions: 'You judge.', description: 'Judges.' } },
      { name: 'agent_call', input: { agent: 'judge', input: 'Judge it.', attachments: ['note.txt'] } },
      { name: 'judge', input: { input: 'Again.', attachments: ['note.txt'] } },
    );
    const { output } = resultOf(await project.runIn('work', 'run', '../minutes/free.json', 'Go.', '--json'));
    expect(String(output).match(/of the manifest/g)).toHaveLength(2);
    expect(existsSync(join(project.folder, 'minutes/generated/judge.agent'))).toBe(true);
  });

  it('outside of the folder that a run works in stops it before it starts, with the way to go', async () => {
    await mkdir(join(project.folder, 'apart'), { recursive: true });
    await writeFile(join(project.folder, 'apart/perdure.yml'), '{}\n');
    expect((await project.runIn('apart', 'trust')).code).toBe(0);
    const asked = endpoint.requests.length;
    const { code, stderr } = await project.runIn('apart', 'run', '../minutes/reading.json', 'Go.');
    expect(code).toBe(2);
    expect(stderr).toContain(`Run it from there: \`cd ${join(project.folder, 'minutes')}\`.`);
    expect(endpoint.requests).toHaveLength(asked);
  });
});

describe("a project's approvals", () => {
  it('ask before a file is written, and show what it will hold', async () => {
    acting(read('note.txt'), write('asked.md'));
    const running = project.start('run', 'minutes', 'Go.', '--id', 'asks', '--json');
    await until(async () => (await project.run('list', '--waiting', '--json')).stdout.includes('/2.1'));
    expect(existsSync(join(project.folder, 'minutes/asked.md'))).toBe(false);
    expect(await approve('asks')).toContain('minutes/asked.md');
    expect(resultOf(await running.finished)).toMatchObject({ status: 'success' });
    expect(await readFile(join(project.folder, 'minutes/asked.md'), 'utf8')).toBe('minutes');
  });

  it('end the run at a denial: by a person, by reject_all, and where nobody is there to ask', async () => {
    acting(write('never.md'));
    const running = project.start('run', 'minutes', 'Go.', '--id', 'denied', '--json');
    await until(async () => (await project.run('reject', 'denied', '--as', 'ana', '--comment', 'No.')).code === 0);
    const ends = [
      await running.finished,
      await project.run('run', 'minutes/closed.json', 'Go.', '--json'),
      await project.run('run', 'minutes', 'Go.', '--unattended', '--json'),
    ];
    expect(ends.map(({ code }) => code)).toEqual([1, 1, 1]);
    for (const end of ends)
      expect(resultOf(end)).toMatchObject({
        status: 'error',
        error: expect.stringContaining('`home` wanted to use `write_file`. Not allowed') as string,
      });
    expect(existsSync(join(project.folder, 'minutes/never.md'))).toBe(false);
  });

  it('tell the agent of a denial in an object, where return_permission_errors says so', async () => {
    acting(write('never.md'), write('never.md'), write('never.md'), write('never.md'));
    const { output, status } = resultOf(await project.run('run', 'minutes/told.json', 'Go.', '--json'));
    expect(status).toBe('success');
    const [first, ...more] = String(output)
      .split('\n')
      .map((line) => JSON.parse(line) as unknown);
    expect(first).toEqual({
      error: expect.stringContaining('Not allowed: `write` stands under `ask`') as string,
      tool_name: 'write_file',
      error_type: 'permission',
    });
    expect(more).toHaveLength(3);
    expect(existsSync(join(project.folder, 'minutes/never.md'))).toBe(false);
  });
});
