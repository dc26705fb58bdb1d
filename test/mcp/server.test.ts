// @seconds 30
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/plan/values/json.js';
import { kill, until } from '../faults/project.js';
import { openBench, COUNT, endpoint, project, open } from './helpers/server-bench.js';

openBench();

describe.each([['legacy'], ['auto']] as const)('a client of the %s protocol', (mode) => {
  it('finds every tool once, with description and schema, and under its `glee_` name where asked for', async () => {
    const [{ client }, glee] = [await open({ mode }), await open({ mode, args: ['--glee'] })];
    const { tools } = await client.listTools();
    const names = [
      'task',
      'workflow',
      'tool',
      'tool_create',
      'agents_list',
      'agent_create',
      'agent_say',
      'workflow_create',
      'workflow_plan',
      'run_status',
      'run_wait',
      'gate_answer',
      'memory_search',
    ];
    expect(tools.map(({ name }) => name).sort()).toEqual([...names].sort());
    expect((await glee.client.listTools()).tools.map(({ name }) => name).sort()).toEqual(
      names.flatMap((name) => [name, `glee_${name}`]).sort(),
    );
    expect(await glee.call('glee_agents_list')).toHaveProperty('result');
    expect(
      tools.filter(({ description, inputSchema }) => (description ?? '') === '' || inputSchema.type !== 'object'),
    ).toEqual([]);
  });

  it('runs a workflow to its result, with progress as it goes', async () => {
    const { call } = await open({ mode });
    const lines: string[] = [];
    const done = await call('workflow', { name: 'hello', inputs: { name: 'Ana' } }, (line) => lines.push(line));
    expect(done).toMatchObject({ status: 'success', output: 'Hello Ana', error: null, spend: { steps: 1 } });
    expect(lines[0]).toMatch(/^started hello-/);
    expect(lines).toEqual(expect.arrayContaining([expect.stringMatching(/^✓ greet /)]));
    // Whoever comes when it has closed, as a slow start does, is told what there was.
    const late: string[] = [];
    await call('run_wait', { run: done['run'] ?? '' }, (line) => late.push(line));
    expect(late).toEqual(expect.arrayContaining([expect.stringMatching(/^✓ greet /)]));
  });
});

describe('agents', () => {
  it('are listed as docs/mcp.md lists them', async () => {
    const { client } = await open();
    const { content } = await client.callTool({ name: 'agents_list', arguments: {} });
    const [first] = content;
    expect(JSON.parse(first?.type === 'text' ? first.text : '')).toEqual(
      expect.arrayContaining([
        { name: 'security-scanner', source: 'native', description: 'Finds holes' },
        expect.objectContaining({ name: 'Explore', source: 'builtin' }),
      ]),
    );
  });

  it('have a task with a description, by which it is known in session, list, server and memory', async () => {
    await project.run('memory', 'add', 'Zeppelins are moored in src/zeppelin.', '--category', 'architecture');
    const { call } = await open();
    const task = await call('task', {
      description: 'Moor the\n zeppelin',
      prompt: 'go',
      agent_name: 'security-scanner',
    });
    expect(endpoint.requests.at(-1)?.prompt).toContain('Zeppelins are moored');
    const id = String(task['session_id']);
    expect(JSON.parse((await project.run('sessions', 'show', id, '--json')).stdout)).toMatchObject({
      description: 'Moor the zeppelin',
    });
    const listed = await until(async () =>
      (JSON.parse((await project.run('list', '--json')).stdout) as JsonObject[]).find(({ run }) => run === task['run']),
    );
    expect(listed).toMatchObject({ description: 'Moor the zeppelin' });
    expect((await project.run('list')).stdout).toContain('Moor the zeppelin');
    const found = await call('memory_search', { query: 'zeppelin', category: 'architecture', limit: 1 });
    expect(found).toMatchObject({
      result: [{ category: 'architecture', text: 'Zeppelins are moored in src/zeppelin.' }],
    });
    expect(await call('memory_search', { query: 'zeppelin', category: 'goal' })).toEqual({ result: [] });
  });

  it('do a task that is given to them', async () => {
    const { call } = await open();
    const task = await call('task', {
      description: 'find holes',
      prompt: 'look at auth',
      agent_name: 'security-scanner',
    });
    expect(task).toMatchObject({
      status: 'success',
      output: expect.stringContaining('look at auth') as string,
      session_id: expect.stringMatching(/^task-[0-9a-f]{8}$/) as string,
    });
    expect(await call('task', { prompt: 'go on', session_id: task['session_id'] ?? null })).toMatchObject({
      status: 'success',
      session_id: task['session_id'],
    });
  });
});

describe('bad input', () => {
  const CASES: [tool: string, input: JsonObject, says: RegExp][] = [
    ['task', { prompt: 'x' }, /^Expected `description` of the tool `task` to be a text/],
    ['task', { prompt: 'x', session_id: 'task-00000000' }, /^Session not found: task-00000000/],
    ['task', { description: 'x' }, /^Expected `prompt` of the tool `task` to be a text\.$/],
    [
      'task',
      { description: 'x', prompt: 'y', agent_name: 'securty-scanner' },
      /^There is no agent `securty-scanner`; did you mean `security-scanner`\?$/,
    ],
    ['workflow', { name: 'helo' }, /did you mean `hello`\?$/],
    ['workflow', { name: 'hello' }, /needs the input `name`/],
    ['workflow', { name: 'hello', inputs: { name: 7 } }, /^Expected the input `name` to be a text, got `7`/],
    [
      'workflow',
      { name: 'hello', inptus: {} },
      /^The tool `workflow` takes no `inptus`; it takes `name`, `inputs`, `background`\.$/,
    ],
    ['memory_search', {}, /^Expected `query` of the tool `memory_search` to be a text/],
    [
      'memory_search',
      { query: 'x', category: 'idea' },
      /^Expected `category` of the tool `memory_search` to be one of arch/,
    ],
    ['memory_search', { query: 'x', limit: 0 }, /to be a whole number from 1 to 50/],
    ['run_status', { run: 'nothing' }, /^There is no run `nothing`\./],
    ['run_wait', { run: 'nothing', timeout_s: 1 }, /^There is no run `nothing`\./],
    ['gate_answer', { gate: 'nothing/ok', decision: 'approve' }, /^There is no run `nothing`\./],
    ['agent_say', { address: 'nothing/work', text: 'hello' }, /^There is no run `nothing`\./],
    [
      'agent_create',
      { name: 'explore', description: 'x', instructions: 'y' },
      /^There is an agent `Explore` already \(builtin\)/,
    ],
    [
      'agent_create',
      { name: 'codex-cli', description: 'x', instructions: 'y' },
      /^`codex-cli` is the agent of a program/,
    ],
    [
      'agent_create',
      { name: '../evil', description: 'x', instructions: 'y' },
      /^Expected `name` of the tool `agent_create` to be a name/,
    ],
    ['tool', { name: 'raed_file' }, /unknown-tool/],
    ['tool', { name: 'read_file', inputs: { file: 'x' } }, /needs the input `path`/],
    ['tool', { name: 'read_file', inputs: {}, params: {} }, /say the same thing/],
    ['tool_create', { name: 'read_file', definition: {} }, /^`read_file` is a tool that comes with Perdure/],
    [
      'tool_create',
      { name: 'count', definition: { description: 'x', kind: 'command' } },
      /tool\.yml:\d+:\d+ {2}missing-key/,
    ],
    [
      'tool_create',
      { name: 'count', definition: { ...COUNT, exec: { command: { entrypoint: './count.sh' } } } },
      /^Expected `entrypoint` of a tool that is made over MCP to be a program of the system, got .*\.\/count\.sh`/,
    ],
    ['tool_create', { name: 'count', definition: 'name: other\nprompt: x\n' }, /expected the tool `count`/],
    ['workflow_create', { name: 'hello', definition: { steps: [] } }, /^The project has a workflow `hello` already/],
    [
      'workflow_create',
      { name: 'made', definition: { steps: [{ command: ['rm', '-rf', '/'] }] } },
      /has steps of `agent:` only; step `0` is a `command`\.$/,
    ],
    ['workflow_create', { name: 'made', definition: { steps: [{ workflow: 'hello' }] } }, /has steps of `agent:` only/],
    [
      'workflow_create',
      { name: 'made', definition: { steps: [{ agent: 'general-purpose', prompt: 'x' }], budgets: { max_steps: 50 } } },
      /^Expected `max_steps` of a workflow that is made to be at most 10, got `50`\.$/,
    ],
    [
      'workflow_create',
      { name: 'made', definition: { steps: [{ agent: 'nobody' }] } },
      /made\.yml:\d+:\d+ {2}unknown-agent/,
    ],
  ];

  it('is an error result with one clear sentence, and starts nothing', async () => {
    const { refusal } = await open();
    for (const [tool, input, says] of CASES)
      expect(await refusal(tool, input), JSON.stringify([tool, input])).toMatch(says);
    expect((await project.run('list', '--json')).stdout).not.toContain('"definition": "made"');
  });
});

describe('a long run', () => {
  it('gives a handle when the time is over, and its result to whoever waits again', async () => {
    const { call } = await open({ args: ['--wait', '0.3'] });
    const handle = await call('workflow', { name: 'slow' });
    expect(handle).toMatchObject({
      status: 'running',
      output: null,
      next: expect.stringContaining('run_wait') as string,
    });
    // Its worker may still be starting.
    await expect
      .poll(() => call('run_status', { run: handle['run'] ?? '' }))
      .toMatchObject({ status: 'running', steps: [{ path: 'sleep', status: 'running' }] });
    const waiting = call('run_wait', { run: handle['run'] ?? '', timeout_s: 100 });
    writeFileSync(join(project.folder, 'go'), '');
    expect(await waiting).toMatchObject({ status: 'success', output: 'done' });
  });

  it('in the background gives its handle at once and goes on when the connection is killed', async () => {
    const client = await open();
    const { run } = await client.call('workflow', { name: 'hello', inputs: { name: 'Bo' }, background: true });
    kill(client.pid);
    const { call } = await open();
    expect(await call('run_wait', { run: run ?? '' })).toMatchObject({ status: 'success', output: 'Hello Bo' });
  });

  it('goes on when its connection is killed while a tool waits for the result', async () => {
    const client = await open();
    let started = '';
    client
      .call('workflow', { name: 'hello', inputs: { name: 'Cy' } }, (line) => {
        started ||= line.replace('started ', '');
      })
      .catch(() => undefined);
    await until(() => started || null);
    kill(client.pid);
    const { call } = await open();
    expect(await call('run_wait', { run: started })).toMatchObject({ status: 'success', output: 'Hello Cy' });
  });
});

describe('a call of a tool of the project', () => {
  it('gives what the tool gave, and again in a rerun: no file defines it', async () => {
    const { call } = await open();
    const listed = await call('tool', { name: 'list_files', inputs: { path: 'definitions' } });
    expect(listed).toMatchObject({
      status: 'success',
      output: expect.stringContaining('definitions/workflows/') as string,
    });
    expect(await project.run('rerun', String(listed['run']))).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('definitions/workflows/') as string,
    });
  });
});
