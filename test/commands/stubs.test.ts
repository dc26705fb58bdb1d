// @seconds 60
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Finished, Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const NOTES = `name: notes
inputs:
  city: {type: string, required: true}
steps:
  - id: each
    foreach: [north, south]
    agent: general-purpose
    prompt: "The \${item} of \${city}"
  - id: check
    command: [touch, ran.txt]
    on_error: continue
  - id: mend
    agent: general-purpose
    prompt: "Mend it: \${steps.each.output}"
    when: "\${steps.check.status != 'success'}"
  - id: name
    ask: "What is it called?"
  - id: ok
    approval: "Publish \${steps.name.output}?"
    on_error: continue
  - id: publish
    command: [touch, published.txt]
    effect: external
    when: "\${steps.ok.status == 'success'}"
output: "\${steps.name.output}"
`;
const FLOW = `Explore:"Look at {{place}}":found
(if found contains "moss")~> general-purpose:"Say what grows: {found}":plants
(if passed)~> general-purpose:"Say that nothing grows there: {found}"
`;
const BENCH = `name: bench
steps:
  - id: said
    serial: {device: uno, expect: "tick 3", timeout: 60s}
  - id: slow
    command: [sleep, "600"]
    timeout: 1s
    on_error: continue
output: "\${steps.said.output} \${steps.slow.status}"
`;
const AGENT = 'name: general-purpose\nprompt: You do it.\n';

let project: Project;
const board = createServer((socket) => {
  socket.on('error', () => undefined); // whoever listened has gone
  socket.write('ready\ntick 3 and a half\n');
});
beforeAll(async () => {
  await new Promise<void>((listening) => board.listen(0, '127.0.0.1', listening));
  // bound to a port just now
  const { port } = board.address() as AddressInfo;
  project = await openProject({
    'perdure.yml': `devices: {uno: {kind: avr-arduino, board: uno, port: "net:127.0.0.1:${port}"}}\n`,
    'definitions/agents/general-purpose.yml': AGENT,
    'definitions/agents/explore.yml': AGENT.replace('general-purpose', 'explore'),
    'definitions/workflows/notes.yml': NOTES,
    'definitions/workflows/bench.yml': BENCH,
    'definitions/workflows/slow.yml': SLOW,
    'definitions/workflows/counted.yml': COUNTED,
    'definitions/flows/look.flow': FLOW,
  });
});
afterAll(async () => {
  board.close();
  await project.close();
});

async function tested(files: Record<string, string>, ...more: string[]): Promise<Finished> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(project.folder, name)), { recursive: true });
    await writeFile(join(project.folder, name), text);
  }
  return project.run('test', ...Object.keys(files), ...more);
}

/** A day and a half of waiting. */
const SLOW = `name: slow
steps:
  - id: later
    wait: 12h
  - id: then
    wait: {until: "2099-01-31T10:00:00+01:00"}
  - id: check
    command: [make, check]
    retry: {attempts: 3, backoff: 12h}
    on_error: continue
output: "\${steps.then.output}"
`;

/** What commands print is a text, and a `schema` makes more of it. */
const COUNTED = `name: counted
steps:
  - {id: count, command: [wc, -l]}
  - {id: five, command: [echo, five], when: "\${steps.count.output == 5}"}
  - {id: other, command: [echo, other], when: "\${steps.count.output == '5'}"}
  - {id: typed, command: [wc, -l], schema: {type: object, required: [n]}, on_error: continue}
`;

const STUBS = `definition: notes
input: {city: Oslo}
stubs:
  each/0: fjord
  each/*: forest
  check: {failed: no such file}
  mend: mended
  name: Trees
  ok: {failed: too early}
expect:
  path: [each/0, each/1, check, mend, name, ok]
  output: Trees
  status: partial
`;

describe('a test with stubs', () => {
  it('passes where every step ends as its stub says, and runs no command', async () => {
    const { code, stdout } = await tested({ 'notes.test.yml': STUBS });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '✓ notes.test.yml\n    each/0 → each/1 → check → mend → name → ok\n1 passed, 0 failed\n',
    });
    expect(
      await project.run('test', 'notes.test.yml', '--json').then(({ stdout: text }): unknown => JSON.parse(text)),
    ).toEqual([
      {
        ...{ file: 'notes.test.yml', status: 'passed', differences: [] },
        run: expect.stringContaining('test-notes-') as string,
        path: ['each/0', 'each/1', 'check', 'mend', 'name', 'ok'],
      },
    ]);
  });

  it('fails where the way is another, and tells which stub nothing used', async () => {
    const { code, stdout } = await tested({
      'other.yml': STUBS.replace('{failed: no such file}', 'done').replace('{failed: too early}', 'approve'),
    });
    expect(code).toBe(1);
    expect(stdout).toContain('    path: expected `each/0 → each/1 → check → mend → name → ok`, got `each/0 → ');
    expect(stdout).toContain('    other.yml:7:3: The stub `mend` is for nothing that ran.\n');
    expect(stdout).toContain('There is no stub for `publish`.');
    expect(stdout).toContain('    other.yml:3:1: `publish` ran and has no stub: add it under `stubs`.\n');
    expect(await project.read('published.txt')).toBe('');
  });

  it('fails where a question has none: no answer is made up', async () => {
    const { code, stdout } = await tested({ 'unasked.yml': STUBS.replace('  name: Trees\n', '') });
    expect(code).toBe(1);
    expect(stdout).toContain('`name` ran and has no stub: add it under `stubs`.');
  });

  it('makes of a stub what a step makes of the real thing', async () => {
    const { code, stdout } = await tested({
      'counted.test.yml': `definition: counted
stubs: {count: 5, other: other, typed: {m: 3}}
expect: {status: partial, path: [count, other, typed], steps: {five: skipped, typed: error}}
`,
    });
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('1 passed') as string });
  });

  it('waits for nothing: no moment, no time, and no next try', async () => {
    const { code, stdout } = await tested({
      'slow.test.yml': `definition: slow
stubs: {check: {failed: "no"}}
expect: {status: partial, output: "2099-01-31T09:00:00.000Z", steps: {later: success, check: error}}
`,
    });
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('1 passed, 0 failed') as string,
    });
    const run = /test-slow-[a-z2-7]{8}/.exec((await project.run('list')).stdout)?.[0] ?? '';
    const { steps } = JSON.parse((await project.run('show', run, '--json')).stdout) as {
      steps: { id: string; attempts: number }[];
    };
    expect(steps.find(({ id }) => id === 'check')?.attempts).toBe(3);
  });

  it('runs for real only what says so, and what is external only when that is asked for', async () => {
    const real = STUBS.replace('{failed: no such file}', '{real: true}')
      .replace('  mend: mended\n', '')
      .replace('check, mend', 'check')
      .replace('{failed: too early}', 'approve\n  publish: {real: true}')
      .replace('ok]', 'ok, publish]')
      .replace('partial', 'success');
    const refused = await tested({ 'real.yml': real });
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringContaining('`real.yml` would do `publish`, whose effect is external.'),
    ]);
    expect(await tested({ 'real.yml': real }, '--external')).toMatchObject({ code: 0 });
    expect((await project.run('workspace', 'show')).code).not.toBe(0);
  });

  it.each<[string, (text: string) => string, string, string]>([
    [
      'a step that there is not',
      (text) => text.replace('  mend:', '  mnd:'),
      'wrong.yml:7:3  unknown-step  `notes` has no step `mnd` that asks or acts.',
      'did you mean `mend`?',
    ],
    [
      'a step that runs others',
      (text) => text.replace('each/*', 'each'),
      'wrong.yml:5:3  unknown-step  `notes` has no step `each`',
      'did you mean `each/*`?',
    ],
    [
      'a form that there is not',
      (text) => text.replace('{failed: no', '{faild: no'),
      'wrong.yml:6:11  unknown-key  There is no key `faild` here.',
      'did you mean `failed`?',
    ],
    [
      'a failure that there is not',
      (text) => text.replace('{failed: no such file}', '{failed: slow, failure: timeuot}'),
      'wrong.yml:6:34  invalid-value  Expected a kind of failure',
      'did you mean `timeout`?',
    ],
    [
      'a key that there is not',
      (text) => text.replace('expect:', 'expects:'),
      'wrong.yml:10:1  unknown-key  There is no key `expects` here.',
      'did you mean `expect`?',
    ],
    [
      'an input that there is not',
      (text) => text.replace('{city: Oslo}', '{town: Oslo}'),
      'wrong.yml:2:1  invalid-value  ',
      'town',
    ],
  ])('is refused with its line where it has %s', async (_, change, says, hint) => {
    const { code, stderr } = await tested({ 'wrong.yml': change(STUBS) });
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr).toContain(hint);
  });
});

const FLOW_TEST = `---
flow: ../definitions/flows/look.flow
input: {place: the roof}
mocks:
  found: green moss
  plants: moss
expect: {path: [found, plants]}
---
`;

describe('a test of a flow', () => {
  it('asks no agent, and prints the way that the flow took', async () => {
    const { code, stdout } = await tested({ 'flows/moss.flow.test': FLOW_TEST });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: '✓ flows/moss.flow.test\n    found → plants\n1 passed, 0 failed\n',
    });
  });

  it('goes the other way by another mock, where an agent that nothing reads needs none', async () => {
    const { code, stdout } = await tested({
      'flows/bare.flow.test': FLOW_TEST.replace('green moss', '"RESULT: passed"').replace('[found, plants]', '[found]'),
    });
    expect(code).toBe(1);
    expect(stdout).toContain('    path: expected `found`, got `found → general-purpose`\n');
    expect(stdout).toContain('    flows/bare.flow.test:6:3: The mock `plants` is for nothing that ran.\n');
    expect(stdout).not.toContain('no mock');
  });

  it('holds the flow itself, where it has one', async () => {
    const { code, stdout } = await tested({
      'flows/own.flow.test': `---\nmocks: {a: one}\n---\nExplore:"Count":a -> general-purpose:"Add one to {a}"\n`,
    });
    expect([code, stdout]).toEqual([0, expect.stringContaining('    a → general-purpose\n')]);
    expect((await project.run('validate', 'flows/own.flow.test')).code).toBe(0);
  });

  it('tells which step has no mock', async () => {
    const { code, stdout } = await tested({
      'flows/less.flow.test': FLOW_TEST.replace('  found: green moss\n', ''),
    });
    expect(code).toBe(1);
    expect(stdout).toContain('    flows/less.flow.test:4:1: `found` ran and has no mock: add it under `mocks`.\n');
  });

  it.each<[string, string, string]>([
    ['a name that there is not', 'flow: ../definitions/flows/look.flow\nmocks: {fuond: x}', ':3:9  unknown-step'],
    ['a flow that is not there', 'flow: gone.flow', ':2:7  missing-key  There is no file `gone.flow`'],
    ['no flow', 'mocks: {a: x}', ':2:1  missing-key  Expected a flow below the front matter'],
  ])('is refused with its line where it has %s', async (_, head, says) => {
    const { code, stderr } = await tested({ 'flows/bad.flow.test': `---\n${head}\n---\n` });
    expect(code).toBe(2);
    expect(stderr).toContain(`flows/bad.flow.test${says}`);
  });
});

describe('a recorded run', () => {
  it('has what a board said and which command took too long, and is played again without either', async () => {
    expect((await project.run('run', 'bench', '--id', 'first')).code).toBe(1);
    board.close();
    expect((await project.run('record', 'first', '--commands')).code).toBe(0);
    const text = await project.read('recordings/bench.yml');
    expect(text).toContain('devices:\n  - step: said\n    output: |-\n      ready\n      tick 3 and a half\n');
    expect(text).toContain('- step: slow\n    failed: The step did not end within its time limit of 1 s.\n');
    expect(text).toContain('    failure: timeout\n');
    expect(await project.run('test', 'recordings')).toMatchObject({ code: 0 });
    await writeFile(join(project.folder, 'recordings/bench.yml'), text.replace('step: said', 'step: siad'));
    const { code, stdout } = await project.run('test', 'recordings');
    expect(code).toBe(1);
    expect(stdout).toContain('No result is recorded for `said`: it is not run.');
  });
});
