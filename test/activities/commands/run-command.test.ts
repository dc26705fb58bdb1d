import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toText } from '../../../src/plan/values/json.js';
import {
  RUN,
  createBench,
  failureOf,
  literal,
  read,
  readLog,
  reference,
  runCommand,
  shell,
} from '../helpers/harness.js';

describe('the output of a command', () => {
  it('is its stdout without the final newline, with a note of the exit', async () => {
    const bench = await createBench();
    const output = await shell(bench, 'printf "two\\nlines\\n\\n"; echo aside >&2');
    expect(output).toEqual({
      output: { value: 'two\nlines\n' },
      spend: { usd: 0, tokens: 0, steps: 1 },
      note: 'exit 0',
      reused: false,
    });
    expect((await readLog(bench)).map(({ stream, text }) => [stream, text])).toEqual(
      expect.arrayContaining([
        ['stdout', 'two\nlines\n\n'],
        ['stderr', 'aside\n'],
      ]),
    );
  });

  it.each([3, 6])('of %i MB passes whole as a stored value when the cap allows it', async (megabytes) => {
    const bench = await createBench();
    const { output } = await shell(bench, `head -c ${megabytes}000000 /dev/zero | tr '\\0' x`, {
      max_output_kb: 10_000,
    });
    expect(output).toMatchObject({ bytes: megabytes * 1_000_000 + 2 });
    expect(JSON.stringify(output).length).toBeLessThan(500);
    expect(await read(bench, output)).toBe('x'.repeat(megabytes * 1_000_000));
  });

  it('beyond the cap keeps head and tail with a mark, and is a success', async () => {
    const bench = await createBench();
    const { output } = await shell(bench, 'echo begin; head -c 3000000 /dev/zero | tr "\\0" x; echo; echo end');
    const text = await read(bench, output);
    expect(text).toMatch(/^begin\nx+\n\[… \d+ bytes left out …\]\nx+\nend$/);
    expect(toText(text).length).toBeLessThan(101 * 1024);
  });

  it('that is not UTF-8 has replacement characters in place of the broken bytes, and a note says so', async () => {
    const bench = await createBench();
    const { output, note } = await shell(bench, 'printf "a\\377b"');
    expect(await read(bench, output)).toBe('a\uFFFDb');
    expect(note).toBe('exit 0; bytes of its output that are no UTF-8 stand as U+FFFD');
    // Where the middle is left out, a character that the cut divides is none of these.
    const cut = await shell(bench, 'for i in $(seq 9000); do printf "\\303\\251x"; done', { max_output_kb: 10 });
    expect(cut.note).toBe('exit 0');
  });

  it('keeps control characters in the log', async () => {
    const bench = await createBench();
    await shell(bench, 'printf "\\033[31mred\\a"');
    expect((await readLog(bench)).map(({ text }) => text).join('')).toBe('\u001b[31mred\u0007');
  });

  it('with a schema is the JSON it holds', async () => {
    const bench = await createBench();
    const schema = { type: 'object', required: ['files'], properties: { files: { type: 'integer' } } };
    expect(await shell(bench, 'echo "{\\"files\\": 3}"', { schema })).toMatchObject({
      output: { value: { files: 3 } },
    });
    await expect(failureOf(shell(bench, 'echo "{\\"files\\": \\"many\\"}"', { schema }))).resolves.toMatchObject({
      type: 'answer-invalid',
      message: expect.stringContaining('`/files` must be integer'),
    });
    await expect(failureOf(shell(bench, 'echo no', { schema }))).resolves.toMatchObject({
      type: 'answer-invalid',
      message: expect.stringContaining('not JSON'),
    });
    await expect(failureOf(shell(bench, 'head -c 200000 /dev/zero', { schema }))).resolves.toMatchObject({
      type: 'answer-invalid',
      message: expect.stringContaining('max_output_kb'),
    });
  });
});

describe('what a command is given', () => {
  it('is argv as written: a value with shell syntax in it stays one argument', async () => {
    const bench = await createBench();
    const environment = { 'input:x': { value: '; rm -rf / $(id) `id`' } };
    expect(await runCommand(bench, ['printf', '%s|', reference('input:x'), 'b c'], { environment })).toMatchObject({
      output: { value: '; rm -rf / $(id) `id`|b c|' },
    });
  });

  it('can be a stored value, through stdin', async () => {
    const bench = await createBench();
    const big = 'line\n'.repeat(400_000);
    const environment = { 'step:0.output': await bench.store.putAlways(big) };
    expect(await runCommand(bench, ['wc', '-c'], { environment, stdin: reference('step:0.output') })).toMatchObject({
      output: { value: String(big.length) },
    });
  });

  it('is nothing on stdin unless the step says so, and what it does not read is no failure', async () => {
    const bench = await createBench();
    expect(await shell(bench, 'wc -c')).toMatchObject({ output: { value: '0' } });
    expect(await shell(bench, 'exit 0', { stdin: literal('x'.repeat(1_000_000)) })).toMatchObject({ note: 'exit 0' });
  });

  it('is a small environment: no variable of the worker but the listed ones', async () => {
    const bench = await createBench();
    process.env['CANARY_SECRET'] = 'canary';
    const { output } = await runCommand(bench, ['env'], { env: { MINE: literal('yes') } });
    delete process.env['CANARY_SECRET'];
    const names = toText(await read(bench, output))
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(names).toEqual(expect.arrayContaining(['PATH', 'MINE', 'PERDURE_RUN_TAG']));
    expect(
      names.filter((name) => !['PATH', 'HOME', 'LANG', 'TZ', 'TMPDIR', 'MINE', 'PERDURE_RUN_TAG'].includes(name ?? '')),
    ).toEqual([]);
    expect(output).toEqual({
      value: expect.stringMatching(new RegExp(`PERDURE_RUN_TAG=${bench.store.id}:${process.pid}:\\d+:test-run$`, 'm')),
    });
  });

  it('is the workspace as its folder, or one below it', async () => {
    const bench = await createBench();
    await mkdir(join(bench.folder, 'sub'));
    expect(await runCommand(bench, ['pwd'])).toMatchObject({ output: { value: bench.folder } });
    expect(await runCommand(bench, ['pwd'], { cwd: literal('sub') })).toMatchObject({
      output: { value: join(bench.folder, 'sub') },
    });
  });
});

describe('a command that fails', () => {
  it('says its exit code and the end of its stderr', async () => {
    const bench = await createBench();
    const failure = await failureOf(shell(bench, 'for i in $(seq 1 2000); do echo "line $i" >&2; done; exit 3'));
    expect(failure).toMatchObject({ type: 'command-failed', nonRetryable: true });
    expect(failure.message).toMatch(/^exit 3: line 1\n[\s\S]*line 2000$/);
    expect(failure.message.length).toBeLessThan(2_000);
  });

  it('says by which signal it was ended', async () => {
    const bench = await createBench();
    await expect(failureOf(shell(bench, 'kill -9 $$'))).resolves.toMatchObject({
      type: 'command-failed',
      message: expect.stringContaining('SIGKILL'),
    });
  });

  it.each([
    ['a program that is nowhere', ['no-such-program-here'], 'command-not-found', '`no-such-program-here`'],
    ['a program named like a part of every object', ['constructor'], 'command-not-found', '`constructor`'],
    ['a file that is not there', ['./nothing.sh'], 'command-not-found', 'there is none'],
    ['a file that may not be executed', ['./plain.txt'], 'command-not-found', 'chmod +x'],
    ['a folder', ['./folder'], 'command-not-found', 'no file'],
    ['a NUL in an argument', ['echo', 'a\0b'], 'command-refused', '`a\\0b`'],
    ['one argument of 128 KiB', ['echo', 'x'.repeat(140_000)], 'command-refused', 'E2BIG'],
    [
      '2 MiB of arguments',
      ['echo', ...Array.from({ length: 40 }, () => 'x'.repeat(100_000))],
      'command-refused',
      'E2BIG',
    ],
  ])('%s is a clear failure', async (_what, argv, type, message) => {
    const bench = await createBench();
    await writeFile(join(bench.folder, 'plain.txt'), 'x');
    await chmod(join(bench.folder, 'plain.txt'), 0o600);
    await mkdir(join(bench.folder, 'folder'));
    await expect(failureOf(runCommand(bench, argv))).resolves.toMatchObject({
      type,
      nonRetryable: true,
      message: expect.stringContaining(message),
    });
  });

  it('because it is installed under another name hints at that', async () => {
    const bench = await createBench();
    const bin = join(bench.folder, 'bin');
    await mkdir(bin);
    await writeFile(join(bin, 'python3'), '#!/bin/sh\necho real\n', { mode: 0o755 });
    await expect(
      failureOf(runCommand(bench, ['python', '-V'], { env: { PATH: literal(bin) } })),
    ).resolves.toMatchObject({ message: expect.stringContaining('`python3` is installed') });
  });

  it('because its folder is missing names the folder', async () => {
    const bench = await createBench();
    await expect(failureOf(runCommand(bench, ['pwd'], { cwd: literal('gone') }))).resolves.toMatchObject({
      type: 'command-refused',
      message: expect.stringContaining(join(bench.folder, 'gone')),
    });
  });

  it('because a stored value is gone says which', async () => {
    const bench = await createBench();
    const ref = `sha256:${'b'.repeat(64)}` as const;
    await expect(
      failureOf(runCommand(bench, ['echo', reference('input:x')], { environment: { 'input:x': { ref, bytes: 600 } } })),
    ).resolves.toMatchObject({ type: 'store-missing', message: expect.stringContaining(ref) });
  });
});

describe('what has run', () => {
  it('has ended well also where its log cannot be kept', async () => {
    const bench = await createBench();
    await mkdir(join(bench.folder, '.perdure', 'logs', RUN, 'step.ndjson'), { recursive: true });
    expect(await shell(bench, 'echo done')).toMatchObject({ output: { value: 'done' } });
  });

  it('has ended well also where it cannot be kept for later runs', async () => {
    const bench = await createBench();
    await mkdir(join(bench.folder, '.perdure', 'journal', 'first-run-id.ndjson'), { recursive: true });
    expect(await shell(bench, 'echo done')).toMatchObject({ output: { value: 'done' } });
  });
});
