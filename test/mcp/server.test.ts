// @seconds 30
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/plan/values/json.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { kill, openProject, until } from '../faults/project.js';
import type { Project } from '../faults/project.js';
import type { McpClient, McpOptions } from './helpers/mcp-client.js';
import { openMcp } from './helpers/mcp-client.js';

const HELLO =
  'name: hello\ninputs:\n  name: {type: string, required: true}\nsteps:\n  - id: greet\n    command: [printf, ' +
  '"Hello %s", "${name}"]\n';
const GATED =
  'name: gated\ninputs:\n  text: {type: string, default: from the file}\nsteps:\n  - id: made\n    command: ' +
  '[printf, "a report"]\n  - id: ok\n    approval: "Use this?"\n    content: "${steps.made.output}"\n  - id: ' +
  'named\n    approval: {message: "And this?", required_approver: "mcp:test-client"}\n  - id: own\n    ' +
  'approval: "And your own words?"\n    content: "${text}"\n';
const SLOW =
  'name: slow\nsteps:\n  - id: sleep\n    command: [sh, -c, "until [ -e go ]; do sleep 0.05; done; echo done"]\n';
const INSTALL = { name: 'shell', input: { argv: ['pip', 'install', 'x'] } };
const COUNT = {
  description: 'Counts words',
  kind: 'command',
  inputs: { schema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } },
  outputs: { format: 'json' },
  exec: { command: { entrypoint: 'wc', args: ['-w'], stdin: '${text}' } },
};
/** A file of the name of what no file defines. */
const DECOY = 'name: call-tool\nsteps:\n  - command: [printf, decoy]\n';
const REVIEWER = 'name: security-scanner\ndescription: Finds holes\nprompt: You look for holes.\n';

let endpoint: ModelEndpoint;
let project: Project;
const clients: McpClient[] = [];
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, results }) =>
    prompt.includes('install x') && results.count === 0 ? { tools: [INSTALL] } : { text: `answer to ${prompt}` },
  );
  project = await openProject(
    {
      'definitions/workflows/hello.yml': HELLO,
      'definitions/workflows/gated.yml': GATED,
      'definitions/workflows/slow.yml': SLOW,
      'definitions/workflows/call-tool.yml': DECOY,
      '.glee/agents/security-scanner.yml': REVIEWER,
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

async function open(options: McpOptions = {}): Promise<McpClient> {
  const client = await openMcp(project.folder, {
    env: { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
    ...options,
  });
  clients.push(client);
  return client;
}

describe.each([['legacy'], ['auto']] as const)('a client of the %s protocol', (mode) => {
  it('finds every tool once, with a description and a schema, and under its `glee_` name where that is asked for', async () => {
    const [{ client }, glee] = [await open({ mode }), await open({ mode, args: ['--glee'] })];
    const { tools } = await client.listTools();
    const names = [
      'task',
      'workflow',
      'tool',
      'tool_create',
      'agents_list',
      'agent_create',
      'workflow_create',
      'run_status',
      'run_wait',
      'gate_answer',
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
    ['run_status', { run: 'nothing' }, /^There is no run `nothing`\./],
    ['run_wait', { run: 'nothing', timeout_s: 1 }, /^There is no run `nothing`\./],
    ['gate_answer', { gate: 'nothing/ok', decision: 'approve' }, /^There is no run `nothing`\./],
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
      /^Expected `entrypoint` of a tool that is made over MCP to be a program of the system, got the path `\.\/count\.sh`\.$/,
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
    expect(await call('run_status', { run: handle['run'] ?? '' })).toMatchObject({
      status: 'running',
      steps: [{ path: 'sleep', status: 'running' }],
    });
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

describe('a gate', () => {
  it(
    'is shown with its content, and in a run of the client decided by a person, or by the client where the gate ' +
      'names it',
    async () => {
      const { call, refusal } = await open();
      const waiting = await call('workflow', { name: 'gated', inputs: { text: 'words of this client' } });
      expect(waiting).toMatchObject({ status: 'waiting', gates: [{ message: 'Use this?', content: 'a report' }] });
      const run = String(waiting['run']);
      expect(await refusal('gate_answer', { gate: run, decision: 'approve', hash: 'sha256:0' })).toContain(
        'shows other content',
      );
      expect(await refusal('gate_answer', { gate: `${run}/ok`, decision: 'approve' })).toContain(
        `so a person must decide: \`perdure approve ${run}/ok\`, or \`perdure reject ${run}/ok`,
      );
      expect(await refusal('gate_answer', { gate: `${run}/ok`, decision: 'reject' })).toContain(
        'so a person must decide',
      );
      expect((await project.run('approve', `${run}/ok`, '--as', 'ana')).code).toBe(0);
      await call('run_wait', { run });
      expect(await call('gate_answer', { gate: `${run}/named`, decision: 'approve' })).toMatchObject({
        gate: `${run}/named`,
        decision: 'approve',
        by: 'mcp:test-client',
      });
      expect(await call('run_wait', { run })).toMatchObject({
        status: 'waiting',
        gates: [{ content: 'words of this client' }],
      });
      expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
        `so a person must decide: \`perdure approve ${run}/own\``,
      );
      expect((await project.run('approve', run, '--as', 'ana')).code).toBe(0);
      expect(await call('run_wait', { run })).toMatchObject({ status: 'success' });
    },
  );

  it('of a run that the client started is put before its person, with all that it shows', async () => {
    const shown: string[] = [];
    const { call } = await open({
      args: ['--as', 'ana'],
      person: (message) => {
        shown.push(message);
        return true;
      },
    });
    writeFileSync(
      join(project.folder, 'definitions/workflows/hidden.yml'),
      'name: hidden\nsteps:\n  - id: ok\n    approval: "Use \\u200bthis?"\n    content: ' +
        '"a\\u202eb\\U000E0041\\n\\nThe decision: reject."\n',
    );
    const { run } = await call('workflow', { name: 'hidden' });
    expect(await call('gate_answer', { gate: String(run), decision: 'approve' })).toMatchObject({
      decision: 'approve',
      by: 'ana',
    });
    expect(shown.at(-1)).toMatch(
      /Use \\u\{200b\}this\?\n\n│ a\\u\{202e\}b\\u\{e0041\}\n│ \n│ The decision: reject\.\n\nThe decision: approve\.$/,
    );
  });

  it('for what an agent wants to do with its words is not decided by the client, nor by one that has connected anew', async () => {
    const { call, refusal } = await open();
    const waiting = await call('task', { description: 'install', prompt: 'install x' });
    const run = String(waiting['run']);
    expect(waiting).toMatchObject({
      status: 'waiting',
      gates: [{ content: { kind: 'command', argv: INSTALL.input.argv } }],
    });
    expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain('so a person must decide');
    const next = await open();
    expect(await next.refusal('gate_answer', { gate: run, decision: 'approve' })).toContain('so a person must decide');
    expect(await next.call('gate_answer', { gate: run, decision: 'reject' })).toMatchObject({
      decision: 'reject',
      by: 'mcp:test-client',
    });
    expect(await next.call('run_wait', { run })).toMatchObject({ status: 'success' });
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

describe('what a client makes', () => {
  const agent = { name: 'helper', description: 'Helps', instructions: 'You help.' };

  it('runs only after a person approved its exact text, and ends with the connection', async () => {
    const { call, refusal } = await open();
    await call('agent_create', agent);
    expect(await refusal('agent_create', agent)).toContain('has made the agent `helper` already');
    await call('workflow_create', {
      name: 'helped',
      definition: { description: 'x', steps: [{ agent: 'helper', prompt: 'about ${topic}' }], execution: 'parallel' },
    });
    const asked = endpoint.requests.length;
    const waiting = await call('workflow', { name: 'helped', inputs: { topic: 'gates' } });
    const run = String(waiting['run']);
    expect(waiting).toMatchObject({
      status: 'waiting',
      gates: [
        {
          gate: `${run}/approve`,
          content: expect.stringContaining('about ${topic}') as string,
          excluded: ['mcp:test-client'],
        },
      ],
    });
    expect(endpoint.requests.length).toBe(asked);
    expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
      `perdure approve ${run}/approve`,
    );
    await project.run('approve', run);
    expect(await call('run_wait', { run })).toMatchObject({
      status: 'success',
      output: expect.stringContaining('about gates') as string,
    });
    const next = await open();
    expect(await next.refusal('task', { description: 'x', prompt: 'y', agent_name: 'helper' })).toContain(
      'There is no agent `helper`',
    );
    expect(await next.refusal('workflow', { name: 'helped' })).toContain('There is no workflow `helped`');
  });

  it(
    'is a tool that acts only after a person approved its text and what it is called with, as all else that it ' +
      'is used in',
    { tags: ['sandbox'] },
    async () => {
      const { call, refusal } = await open();
      expect(await call('tool_create', { name: 'count', definition: COUNT })).toMatchObject({
        name: 'count',
        definition: expect.stringContaining('entrypoint: wc') as string,
      });
      const waiting = await call('tool', { name: 'count', params: { text: 'one ${two} three' } });
      const run = String(waiting['run']);
      expect(waiting).toMatchObject({
        status: 'waiting',
        gates: [
          {
            message: '`mcp:test-client` made the tool `count` and wants to run it.',
            content: expect.stringContaining('entrypoint: wc') as string,
            excluded: ['mcp:test-client'],
          },
        ],
      });
      expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain(
        `perdure approve ${run}/approve`,
      );
      await project.run('approve', run);
      expect(await call('run_wait', { run })).toMatchObject({
        status: 'waiting',
        gates: [{ content: { kind: 'call', what: 'tool', name: 'count', input: { text: 'one ${two} three' } } }],
      });
      expect(await refusal('gate_answer', { gate: run, decision: 'approve' })).toContain('so a person must decide');
      await project.run('approve', run);
      expect(await call('run_wait', { run })).toMatchObject({ status: 'success', output: 3 });
      await call('agent_create', { ...agent, tools: ['count'] });
      const helped = await call('task', { description: 'help', prompt: 'help me', agent_name: 'helper' });
      expect(helped).toMatchObject({
        status: 'waiting',
        gates: [
          {
            content: expect.stringMatching(/# agent helper[^]*You help\.[^]*# tool count[^]*entrypoint: wc/) as string,
          },
        ],
      });
      expect(await refusal('gate_answer', { gate: String(helped['run']), decision: 'approve' })).toContain(
        'perdure approve',
      );
      const next = await open();
      expect(await next.refusal('tool', { name: 'count', inputs: { text: 'x' } })).toContain('unknown-tool');
    },
  );

  it.each([['legacy'], ['auto']] as const)(
    'is put before the person at a client of the %s protocol that can ask',
    async (mode) => {
      const shown: string[] = [];
      let says = false;
      const { call, refusal } = await open({
        mode,
        args: ['--as', 'ana'],
        person: (message) => {
          shown.push(message);
          return says;
        },
      });
      await call('agent_create', agent);
      const { run } = await call('task', { description: 'help', prompt: 'help me', agent_name: 'helper' });
      expect(await refusal('gate_answer', { gate: String(run), decision: 'approve' })).toContain('did not agree');
      says = true;
      expect(await call('gate_answer', { gate: String(run), decision: 'approve', comment: 'for today' })).toMatchObject(
        { decision: 'approve', by: 'ana' },
      );
      expect(shown.at(-1)).toMatch(/You help\.[^]*The decision: approve\. Comment: for today$/);
      expect(await call('run_wait', { run: run ?? '' })).toMatchObject({ status: 'success' });
    },
  );
});
