// @module-tag sandbox
// @seconds 30
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Context } from '@temporalio/activity';
import { describe, expect, it } from 'vitest';
import type { Hook } from '../../../src/plan/tools/hook.js';
import { canonicalJson } from '../../../src/plan/values/json.js';
import { sha256 } from '../../../src/store/hash.js';
import type { Agent } from '../../../src/plan/step.js';
import { until } from '../../faults/project.js';
import { startModelEndpoint } from '../../fakes/model-endpoint.js';
import type { RunHandle } from '../helpers/harness.js';
import { FILES, PERMISSIONS, models, talking } from '../helpers/conversing.js';
import { openForAll, CREATE, MAKERS, MAKING, decide, gateOf, harness, last, said } from '../helpers/making.js';
import type { Turn } from '../helpers/making.js';

openForAll();

let folders = 0;

/** Processes whose command line is this, of any user. */
function processesOf(line: RegExp): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      return /^\d+$/.test(pid) && line.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim());
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

const before = (command: string, more: Partial<Hook> = {}): Hook => ({
  when: 'before',
  tools: '*',
  command,
  timeout_ms: 20_000,
  ...more,
});
const after = (command: string, more: Partial<Hook> = {}): Hook => ({ ...before(command, more), when: 'after' });
const write = (path: string, content = 'new\n') => ({ name: 'write_file', input: { path, content } });

interface Around {
  made?: Turn;
  files?: Record<string, string>;
  taskQueue?: string;
}

async function start(fields: Partial<Agent>, turns: Turn[], { made = said, files = {}, taskQueue }: Around = {}) {
  const endpoint = await startModelEndpoint((request) => {
    if (!request.system.includes('You work.')) return made(request);
    const messages = request.body['messages'];
    return turns[Array.isArray(messages) ? (messages.length - 1) / 2 : 0]!(request);
  });
  const folder = join(harness.folder, `hooks-${(folders += 1)}`);
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await writeFile(join(folder, path), text);
    await chmod(join(folder, path), 0o755);
  }
  const handle = await harness.start(talking(fields), {
    settings: models(endpoint.url, folder, { gates: 'ask' }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
  });
  return { endpoint, folder, handle };
}

/** A run whose agent makes these calls, and says what it was told of them. */
async function run(hooks: Hook[], calls: { name: string; input: Record<string, unknown> }[], around: Around = {}) {
  const { endpoint, folder, handle } = await start({ hooks }, [() => ({ tools: calls }), said], around);
  try {
    return { output: await outputOf(handle), folder, text: (path: string) => readFile(join(folder, path), 'utf8') };
  } finally {
    await endpoint.close();
  }
}

async function outputOf(handle: RunHandle): Promise<string> {
  return String(await harness.json((await handle.result()).output));
}

describe('hooks of an agent', () => {
  it('forbid a call by exit code 2, and tell its model why; what they do not mean is made', async () => {
    const guard = 'grep -q secret && { echo "no secrets here" >&2; exit 2; } || exit 0';
    const { output, text } = await run([before(guard, { tools: 'Write|Edit' })], [write('secret.txt'), write('a.txt')]);
    expect(output).toBe('failed: Not allowed by a hook: no secrets here | Wrote a.txt (4 bytes).');
    await expect(text('secret.txt')).rejects.toThrow('ENOENT');
    expect(await text('a.txt')).toBe('new\n');
  });

  it('are told a call in the words of Claude Code, with the command as a shell reads it', async () => {
    const hooks = [before('cat >> told.jsonl; echo >> told.jsonl')];
    const argv = ['sh', '-c', "echo 'it is' > b.txt"];
    const { folder, text } = await run(hooks, [write('a.txt'), { name: 'shell', input: { argv, stdin: 'x y' } }]);
    const [first, second] = (await text('told.jsonl'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(first).toMatchObject({
      hook_event_name: 'PreToolUse',
      cwd: folder,
      tool_name: 'Write',
      tool_input: { file_path: join(folder, 'a.txt'), content: 'new\n' },
    });
    expect(second).toMatchObject({
      tool_name: 'Bash',
      tool_input: { command: `sh -c 'echo '\\''it is'\\'' > b.txt' <<< 'x y'` },
    });
  });

  it('decide by JSON: a denial counts, and neither leave nor another input does', async () => {
    const say = (more: object): string =>
      `echo '${JSON.stringify({ hookSpecificOutput: { hookEventName: 'PreToolUse', ...more } })}'`;
    const { output, text } = await run(
      [
        before(say({ permissionDecision: 'deny', permissionDecisionReason: 'not today' }), { tools: 'Write' }),
        before(say({ permissionDecision: 'allow', updatedInput: { path: 'b.txt' } }), { tools: 'Edit' }),
        before(say({ permissionDecision: 'allow' }), { tools: 'Bash' }),
      ],
      [
        write('a.txt'),
        { name: 'edit_file', input: { path: 'old.txt', old_text: 'old', new_text: 'new' } },
        { name: 'shell', input: { argv: ['curl', 'x'] } },
      ],
      { files: { 'old.txt': 'old\n' } },
    );
    expect(output.split(' | ')).toEqual([
      'failed: Not allowed by a hook: not today',
      'failed: Not allowed by a hook: it wanted to change what the call is given, which no hook does here',
      expect.stringContaining('failed: Not allowed: '),
    ]);
    expect(await text('old.txt')).toBe('old\n');
  });

  it.each([
    ['hangs', before('sleep 1000', { timeout_ms: 1_000 }), 'The program did not end within 1 s.'],
    ['cannot be found', before('./no-such-guard.sh'), 'It ended with exit code 127'],
    ['writes half a JSON', before('echo "{"'), 'What it wrote is not the JSON of a hook.'],
  ])('forbid a call where one %s', async (_how, hook, why) => {
    const { output, text } = await run([hook], [write('a.txt')]);
    expect(output).toContain('failed: Not allowed by a hook: it did not come to a word. ');
    expect(output).toContain(why);
    await expect(text('a.txt')).rejects.toThrow('ENOENT');
  });

  it('say nothing by another exit code', async () => {
    expect((await run([before('exit 1')], [write('a.txt')])).output).toBe('Wrote a.txt (4 bytes).');
  });

  it('run after a call that succeeded, see what it gave, and are told below it', async () => {
    const look = `grep -q '"tool_response":"Wrote' && echo "wrong style" >&2; exit 2`;
    const { output } = await run(
      [after(look, { tools: 'write_file' })],
      [write('a.txt'), { name: 'edit_file', input: { path: 'b.txt', old_text: 'a', new_text: 'b' } }],
    );
    expect(output).toMatch(
      /^Wrote a\.txt \(4 bytes\)\.\n\nHooks say of this call:\nwrong style \| failed: (?!.*Hooks say)/s,
    );
  });

  it('work in the sandbox: no network, no file outside, and no state', async () => {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    const { port } = listener.address() as AddressInfo; // it listens on a port
    const peek =
      `[ ! -e ${harness.folder}/state ] && ! (exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null || ` +
      '{ echo leaks >&2; exit 2; }';
    expect(spawnSync('bash', ['-c', peek]).status).toBe(2);
    expect((await run([before(peek)], [write('a.txt')])).output).toBe('Wrote a.txt (4 bytes).');
    listener.close();
  });

  it('run their files as they were approved, and forbid all calls once those have changed', async () => {
    const guard = '#!/bin/bash\ngrep -q secret && exit 2\nexit 0\n';
    const hook = before('"$CLAUDE_PROJECT_DIR"/guard.sh', { files: { 'guard.sh': guard } });
    const same = await run([hook], [write('a.txt'), write('secret.txt')], { files: { 'guard.sh': guard } });
    expect(same.output).toBe('Wrote a.txt (4 bytes). | failed: Not allowed by a hook: it gives no reason');
    const other = await run([hook], [write('a.txt')], { files: { 'guard.sh': '#!/bin/bash\nexit 0\n' } });
    expect(other.output).toContain('`guard.sh` has changed since the hook was approved.');
    const undone = await run([hook], [write('guard.sh', 'exit 0\n'), write('secret.txt')], {
      files: { 'guard.sh': guard },
    });
    expect(undone.output).toContain('`guard.sh` has changed since the hook was approved.');
    await expect(undone.text('secret.txt')).rejects.toThrow('ENOENT');
  });

  it('ask a person at a gate that shows why, and the call is made as it was allowed', async () => {
    const word = { hookSpecificOutput: { permissionDecision: 'ask', permissionDecisionReason: 'is this wanted?' } };
    const { endpoint, handle, folder } = await start({ hooks: [before(`echo '${JSON.stringify(word)}'`)] }, [
      () => ({ tools: [write('a.txt')] }),
      said,
    ]);
    const gate = await gateOf(handle);
    expect(gate.message).toBe('The agent `worker` wants to use `write_file`. A hook asks: is this wanted? Allow it?');
    await expect(readFile(join(folder, 'a.txt'))).rejects.toThrow('ENOENT');
    await decide(handle, gate, 'approve');
    expect(await outputOf(handle)).toBe('Wrote a.txt (4 bytes).');
    await endpoint.close();
  });

  it('end the agent where one says that it does not go on', async () => {
    const stop = `echo '{"continue": false, "stopReason": "enough"}'`;
    await expect(run([before(stop)], [write('a.txt')])).rejects.toMatchObject({
      cause: { message: expect.stringContaining('A hook of `worker` ended it at a call of `write_file`: enough') },
    });
  });

  it('hold for an agent that it makes as well', async () => {
    const { endpoint, handle, folder } = await start(
      {
        uses: [...FILES, ...MAKERS],
        permissions: MAKING,
        hooks: [before('echo "not so" >&2; exit 2', { tools: 'Write' })],
      },
      [
        () => ({ tools: [{ ...CREATE, input: { ...CREATE.input, tools: ['write_file'] } }] }),
        () => ({ tools: [{ name: 'agent_call', input: { agent: 'judge', input: 'Write.' } }] }),
        said,
      ],
      { made: (request) => (request.results.count === 0 ? { tools: [write('a.txt')] } : { text: last(request) }) },
    );
    expect(await outputOf(handle)).toBe('failed: Not allowed by a hook: not so');
    await expect(readFile(join(folder, 'a.txt'))).rejects.toThrow('ENOENT');
    await endpoint.close();
  });

  it('see through a tool that was made of another: it is the same command', async () => {
    const { endpoint, handle } = await start(
      {
        uses: [...FILES, { kind: 'maker', name: 'tool_create' }],
        permissions: { ...PERMISSIONS, allow: ['make:tool'] },
        hooks: [before('grep -q "sh -c" && exit 2; exit 0', { tools: 'Bash' })],
      },
      [
        () => ({ tools: [{ name: 'tool_create', input: { name: 'harmless', definition: TOOL } }] }),
        () => ({ tools: [{ name: 'harmless', input: {} }] }),
        said,
      ],
    );
    expect(await outputOf(handle)).toBe('failed: Not allowed by a hook: it gives no reason');
    await endpoint.close();
  });

  it('are killed with all they have started when the run is cancelled', async () => {
    const { endpoint, handle } = await start({ hooks: [before('sleep 987654 & sleep 987655')] }, [
      () => ({ tools: [write('a.txt')] }),
      said,
    ]);
    await until(() => Promise.resolve(processesOf(/^sleep 98765[45]$/).length === 2));
    await handle.cancel();
    await handle.result().catch(() => undefined);
    // Killed, a process is in the table until the system has had time for it.
    await until(() => processesOf(/^sleep 98765[45]$/).length === 0);
    await endpoint.close();
  });

  it('are run once for a call, however often its activity comes again', async () => {
    let starts = 0;
    const stop = await harness.work('hooks-again', (own) => ({
      callHooks: async (call) => {
        const answer = await own.callHooks(call);
        if ((starts += 1) === 1) throw new Error('the worker is lost');
        return answer;
      },
    }));
    const hooks = [before('echo once >> count.txt'), after('echo then >> count.txt')];
    const { text } = await run(hooks, [write('a.txt')], { taskQueue: 'hooks-again' });
    expect([starts, await text('count.txt')]).toEqual([3, 'once\nthen\n']);
    await stop();
  });

  it('forbid a call where their worker was lost while they ran', async () => {
    const stop = await harness.work('hooks-lost', (own) => ({
      callHooks: async (call) => {
        const { runId: scope } = Context.current().info.workflowExecution ?? { runId: '' };
        const key = canonicalJson(['work', 1, 'hooks-begun', 'before', 1, 0]);
        await harness.store.writeJournal({ scope, key }, { request: sha256(''), response: null, at: '' });
        return own.callHooks(call);
      },
    }));
    const { output, text } = await run([before('echo ran > ran.txt')], [write('a.txt')], { taskQueue: 'hooks-lost' });
    expect(output).toContain('Not allowed by a hook: its worker was lost while it ran, and it was not run again');
    await expect(text('ran.txt')).rejects.toThrow('ENOENT');
    await stop();
  });
});

const TOOL = {
  description: 'Says hello.',
  kind: 'command',
  inputs: { schema: { type: 'object', properties: {} } },
  outputs: { format: 'text' },
  exec: { command: { entrypoint: 'sh', args: ['-c', 'echo hello'] } },
};
