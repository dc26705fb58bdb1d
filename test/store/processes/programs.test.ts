import { chmodSync, mkdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bareSandbox, SANDBOX_PROGRAMS } from '../../../src/store/processes/bare-sandbox.js';
import { findOnPath, isExecutable, systemProgram } from '../../../src/store/processes/find-on-path.js';
import { runProgram } from '../../../src/store/processes/run-program.js';
import { temporaryFolder } from '../helpers/harness.js';

const namespaceOf = (kind: string): string => readlinkSync(`/proc/self/ns/${kind}`);

/** Folders, the second of which has the program `tool`. */
async function folders(): Promise<{ path: string; tool: string }> {
  const root = await temporaryFolder();
  for (const name of ['first/tool', 'second', 'third']) mkdirSync(join(root, name), { recursive: true });
  writeFileSync(join(root, 'third/tool'), '#!/bin/sh\n');
  chmodSync(join(root, 'third/tool'), 0o755);
  symlinkSync(join(root, 'third/tool'), join(root, 'second/tool'));
  writeFileSync(join(root, 'first/text'), '');
  return {
    path: ['first', 'second', 'third'].map((name) => join(root, name)).join(delimiter),
    tool: join(root, 'second/tool'),
  };
}

describe('a program', () => {
  it('is the first file of its name on a path that may be run, links followed', async () => {
    const { path, tool } = await folders();
    expect(findOnPath('tool', path)).toBe(tool);
    expect(findOnPath('tool', `${delimiter}.${delimiter}relative${delimiter}${path}`)).toBe(tool);
    expect([findOnPath('text', path), findOnPath('none', path), findOnPath('tool', '')]).toEqual([null, null, null]);
  });

  it('is never found from where one stands', () => {
    expect(findOnPath('package.json', '.')).toBeNull();
    expect(findOnPath('node', join('node_modules', '.bin'))).toBeNull();
    expect(findOnPath('vitest', join('node_modules', '.bin'))).toBeNull();
  });

  it('may not be a folder, a text, nothing, or below a file', async () => {
    const { path } = await folders();
    const [first = '', , third = ''] = path.split(delimiter);
    const found = ['tool', 'text', 'none', 'text/below', 'a\0b'].map((name) => isExecutable(join(first, name)));
    expect(found).toEqual([false, false, false, false, false]);
    expect(isExecutable(join(third, 'tool'))).toBe(true);
  });

  it('of the system is found wherever PATH leads', () => {
    expect(systemProgram('env')).toMatch(/^\/.*\/env$/);
    expect(systemProgram('no-such-program')).toBeNull();
  });
});

describe('a program of no step', () => {
  it('is one of the system where a bare name is given, whatever PATH has first', async () => {
    const { path } = await folders();
    const planted = path.split(delimiter)[2] ?? '';
    for (const name of ['env', 'tool-of-an-agent'])
      writeFileSync(join(planted, name), '#!/bin/sh\necho planted\n', { mode: 0o755 });
    const env = { PATH: [planted, process.env['PATH']].join(delimiter) };
    expect(await runProgram('env', [], { env })).toMatchObject({ exitCode: 0, stdout: `PATH=${env.PATH}\n` });
    expect((await runProgram('tool-of-an-agent', [], { env })).exitCode).toBeUndefined();
  });

  const say = `process.stdout.write(JSON.stringify(Object.keys(process.env)) + '\\n'); process.exitCode = 3`;

  it('has no environment but its own, and ends with what it said and came to', async () => {
    const { exitCode, stdout } = await runProgram(process.execPath, ['-e', say], { env: { ONLY: 'this' } });
    expect([exitCode, stdout]).toEqual([3, '["ONLY"]\n']);
  });

  it('that cannot be started or takes too long has no exit code, one that says too much has failed', async () => {
    const node = (script: string, options: object) =>
      runProgram(process.execPath, ['-e', script], { env: {}, ...options });
    const stay = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)";
    const [none, slow, long] = await Promise.all([
      runProgram('/no/such/program', [], { env: {} }),
      node(stay, { timeout: 500 }),
      node("console.log('x'.repeat(10_000))", { maxBuffer: 100 }),
    ]);
    expect([none.exitCode, slow.exitCode, slow.signal]).toEqual([undefined, undefined, 'SIGKILL']);
    expect([none.failed, slow.failed, long.failed]).toEqual([true, true, true]);
  });
});

describe('every sandbox of ours', () => {
  const bwrap = SANDBOX_PROGRAMS.find(isExecutable) ?? SANDBOX_PROGRAMS[0]!;
  const inside = async (script: string, network = false): Promise<string> => {
    const words = [...bareSandbox({ network }), '--', 'sh', '-c', script];
    const { stdout, stderr } = await runProgram(bwrap, words, { env: { PATH: '/usr/bin:/bin' } });
    return `${stdout}${stderr}`.trim();
  };

  it('shows programs of the system, and no other file', async () => {
    expect(await inside('ls / | sort | grep -vE "^(bin|sbin|lib.*|opt|nix)$"')).toBe('dev\nproc\nusr');
    expect(await inside('echo x > /usr/bin/mine || echo refused')).toContain('refused');
    expect(await inside('ls -d /bin/sh /usr/bin/env')).toBe('/bin/sh\n/usr/bin/env');
  });

  it('has processes, names, keys and devices of its own, and no rights', async () => {
    expect(await inside('ls /proc | grep -cE "^[0-9]+$"')).toMatch(/^[2-5]$/);
    for (const kind of ['pid', 'ipc', 'uts'])
      expect(await inside(`readlink /proc/self/ns/${kind}`)).not.toBe(namespaceOf(kind));
    expect(await inside('grep CapEff /proc/self/status')).toMatch(/^CapEff:\s+0+$/);
    expect(await inside('ls /dev | grep -E "^(sd|tty|mem|kmsg)" | grep -v "^tty$" | head -1')).toBe('');
    expect(await inside('echo 1 > /proc/sys/kernel/sysrq || echo refused')).toContain('refused');
  });

  it('has a network only where that is said', async () => {
    const own = 'readlink /proc/self/ns/net';
    expect([(await inside(own)) === namespaceOf('net'), (await inside(own, true)) === namespaceOf('net')]).toEqual([
      false,
      true,
    ]);
    expect(await inside('tail -n +3 /proc/net/dev | cut -d: -f1')).toBe('lo');
  });

  it('ends with who started it, and has no terminal of theirs', async () => {
    expect(bareSandbox({ network: false })).toEqual(expect.arrayContaining(['--die-with-parent', '--new-session']));
    expect(await inside('cat /dev/tty')).toMatch(/No such device|cannot open|No such file/);
  });
});
