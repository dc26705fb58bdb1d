// @seconds 20
import { readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const AGENT = `name: reader
prompt: You read.
tools: [read_file]
`;
const TOUR = `name: tour
inputs:
  city: {type: string, required: true}
steps:
  - id: plan
    agent: general-purpose
    prompt: "Plan a tour of \${city}"
  - id: each
    foreach: [north, south]
    agent: general-purpose
    prompt: "The \${item} of \${city}"
  - id: look
    agent: reader
    prompt: "Read notes.txt"
  - id: count
    command: [wc, -w]
    stdin: "\${steps.plan.output}"
  - id: inner
    workflow: inner
    inputs: {about: "\${steps.look.output}"}
  - id: ok
    approval: "Is \${steps.plan.output} good?"
output: "\${steps.inner.output} \${steps.count.output}"
`;
const INNER = `name: inner
inputs:
  about: {type: string, required: true}
steps:
  - id: deep
    agent: general-purpose
    prompt: "Say it: \${about}"
`;
const OUTSIDE = `name: outside
steps:
  - id: ask
    agent: general-purpose
    prompt: "Anything"
  - id: publish
    command: [sh, -c, "echo published >> published.txt"]
    effect: external
`;

const AGAIN = `name: again
steps:
  - id: flaky
    command: [sh, -c, "test -e there || { touch there; exit 3; }; echo in"]
    retry: {attempts: 2, backoff: 10ms}
  - id: slow
    agent: hasty
    prompt: "Look for a while"
    retry: {attempts: 2, backoff: 10ms}
  - id: refused
    agent: general-purpose
    prompt: "No answer at all"
    on_error: continue
output: "\${steps.flaky.output} \${steps.slow.output} \${steps.refused.status}"
`;

const LOOK = { tools: [{ name: 'read_file', input: { path: 'notes.txt' } }] };

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  let looks = 0;
  endpoint = await startModelEndpoint(({ prompt, body }) => {
    if (JSON.stringify(body).includes('for a while')) return ++looks === 1 ? LOOK : { text: 'at last' };
    if (prompt.includes('No answer')) return { status: 400, message: 'no such thing' };
    if (prompt.includes('notes.txt') && !JSON.stringify(body).includes('tool_result')) return LOOK;
    return { text: prompt.includes('Plan') ? 'one two three' : `<${prompt.slice(-30)}>` };
  });
  project = await openProject(
    {
      'definitions/workflows/tour.yml': TOUR,
      'definitions/workflows/inner.yml': INNER,
      'definitions/workflows/outside.yml': OUTSIDE,
      'definitions/workflows/again.yml': AGAIN,
      'definitions/agents/reader.yml': AGENT,
      'definitions/agents/hasty.yml': `${AGENT.replace('reader', 'hasty')}max_turns: 1\n`,
      'notes.txt': 'The notes.\n',
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  expect(
    (await project.run('run', 'definitions/workflows/tour.yml', '--id', 'first', '-i', 'city=Oslo', '--yes')).code,
  ).toBe(0);
  expect((await project.run('run', 'outside', '--id', 'outer', '--yes')).code).toBe(0);
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

describe('a recorded run', () => {
  it('is a file with its input, its end, and every answer by the path of its step', async () => {
    const { code, stdout, stderr } = await project.run('record', 'first');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'recordings/tour.yml\n' });
    expect(stderr).toContain('6 answers');
    const text = await project.read('recordings/tour.yml');
    expect(text).toContain('definition: definitions/workflows/tour.yml');
    expect(text).toContain('city: Oslo');
    for (const step of ['plan', 'each/0', 'each/1', 'look', 'inner/deep']) expect(text).toContain(`step: ${step}\n`);
    expect(text).toContain('name: read_file');
  });

  it('is not written over', async () => {
    const { code, stderr } = await project.run('record', 'first');
    expect(code).toBe(2);
    expect(stderr).toContain('is there already');
  });

  it('passes as a test without a model, and in everything else for real', async () => {
    const before = endpoint.requests.length;
    const { code, stdout } = await project.run('test', 'recordings');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '✓ recordings/tour.yml\n1 passed, 0 failed\n' });
    expect(endpoint.requests).toHaveLength(before);
  });

  it('fails as a test when what comes out is another, and says what', async () => {
    const changed = (await project.read('recordings/tour.yml'))
      .replace('text: one two three', 'text: one two three four')
      .replace('look: success', 'look: skipped');
    await writeFile(join(project.folder, 'changed.yml'), changed);
    const { code, stdout } = await project.run(
      ...['test', 'changed.yml', 'recordings/tour.yml', '--junit', 'reports/tests.xml'],
    );
    expect(code).toBe(1);
    const report = await project.read('reports/tests.xml');
    expect(report).toContain('<testsuite name="perdure test" tests="2" failures="1"');
    expect(report).toMatch(
      /<testcase classname="tour" name="changed.yml" time="[\d.]+"><failure message="look: expected `skipped`, got/,
    );
    expect(report).toMatch(/<testcase classname="tour" name="recordings\/tour.yml" time="[\d.]+"\/>/);
    expect(stdout.split('\n')).toEqual([
      '✗ changed.yml',
      '    look: expected `skipped`, got `success`',
      expect.stringMatching(/^ {4}output: expected `.*3\\?n?`, got `.*4\\?n?`$/),
      expect.stringMatching(/^ {4}perdure show test-tour-[a-z2-7]{8}$/),
      '✓ recordings/tour.yml',
      '1 passed, 1 failed',
      '',
    ]);
  });

  it('fails as a test where a step has no answer: no stand-in is made up', async () => {
    const text = await project.read('recordings/tour.yml');
    await writeFile(join(project.folder, 'less.yml'), text.replace('step: inner/deep', 'step: inner/other'));
    const { code, stdout } = await project.run('test', 'less.yml', '--json');
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      {
        file: 'less.yml',
        status: 'failed',
        differences: expect.arrayContaining([
          'status: expected `success`, got `error`',
          expect.stringContaining('No answer is recorded for turn 1 of `inner/deep`'),
        ]) as string[],
      },
    ]);
  });

  it('does what is external only when that is asked for', async () => {
    expect((await project.run('record', 'outer')).code).toBe(0);
    const refused = await project.run('test', 'recordings/outside.yml');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('would do `publish`, whose effect is external');
    expect(await project.read('published.txt')).toBe('published\n');
    expect((await project.run('test', 'recordings/outside.yml', '--external')).code).toBe(0);
    expect(await project.read('published.txt')).toBe('published\npublished\n');
  });

  it('has every try of a step, and why an agent gave no answer, and is played again so', async () => {
    expect((await project.run('run', 'again', '--id', 'again')).stdout).toBe('in at last error\n');
    expect((await project.run('record', 'again', '--commands')).code).toBe(0);
    const { answers, commands } = parse(await project.read('recordings/again.yml')) as Record<string, unknown>;
    expect(commands).toEqual([
      { step: 'flaky', failed: expect.stringContaining('3') as string },
      { step: 'flaky', output: 'in' },
    ]);
    expect(answers).toEqual([
      { step: 'slow', try: 1, turn: 1, text: '', calls: [expect.objectContaining({ name: 'read_file' })] },
      { step: 'slow', try: 2, turn: 1, text: 'at last' },
      {
        step: 'refused',
        text: '',
        failed: expect.stringContaining('no such thing') as string,
        failure: 'request-refused',
      },
    ]);
    const asked = endpoint.requests.length;
    const { code, stdout } = await project.run('test', 'recordings/again.yml', '--json');
    expect({ code, stdout }).toMatchObject({ code: 0 });
    const [{ run }] = JSON.parse(stdout) as [{ run: string }];
    const { steps } = JSON.parse((await project.run('show', run, '--json')).stdout) as {
      steps: { attempts: number }[];
    };
    expect(steps.map(({ attempts }) => attempts)).toEqual([2, 2, 1]);
    expect(endpoint.requests).toHaveLength(asked);
  });

  it('takes of a rerun the answers that it reused from the run before, and says which are kept no more', async () => {
    expect((await project.run('rerun', 'first', '--id', 'second', '--yes')).code).toBe(0);
    const asked = endpoint.requests.length;
    const recorded = await project.run('record', 'second', '--to', 'second.yml', '--json');
    expect(JSON.parse(recorded.stdout)).toEqual({ file: 'second.yml', answers: 6, missing: [] });
    expect((await project.run('test', 'second.yml')).stdout).toContain('1 passed');
    expect(endpoint.requests).toHaveLength(asked);

    const journals = join(project.folder, '.perdure', 'journal');
    for (const name of await readdir(journals)) await rename(join(journals, name), join(journals, `${name}.away`));
    const less = await project.run('record', 'second', '--to', 'less-of-it.yml', '--json');
    expect(JSON.parse(less.stdout)).toEqual({
      ...{ file: 'less-of-it.yml', answers: 0 },
      missing: ['plan', 'each/0', 'each/1', 'look', 'inner/deep'],
    });
    expect(less.stderr).toContain(
      'What models answered in `plan`, `each/0`, `each/1` and 2 more is not kept any more: write it into the file',
    );
    for (const name of await readdir(journals))
      await rename(join(journals, name), join(journals, name.replace('.away', '')));
  });

  it('is none where somebody cancelled it: a test would not end so', async () => {
    await writeFile(join(project.folder, 'waits.yml'), 'steps:\n  - approval: Go on?\n');
    expect((await project.run('run', 'waits.yml', '--id', 'stopped', '--no-wait')).code).toBe(4);
    await project.run('cancel', 'stopped');
    await project.run('watch', 'stopped');
    const { code, stderr } = await project.run('record', 'stopped', '--to', 'stopped.yml');
    expect([code, stderr]).toEqual([2, expect.stringContaining('The run `stopped` was cancelled')]);
  });

  it.each<[string, string[], string]>([
    ['a run that is not known', ['record', 'nobody'], 'There is no'],
    ['a file that is not there', ['test', 'nothing.yml'], 'There is no `nothing.yml`'],
    ['a folder without recordings', ['test', 'definitions'], 'There are no recordings in `definitions`'],
    [
      'a file that is no recording',
      ['test', 'definitions/workflows/tour.yml'],
      'definitions/workflows/tour.yml:1:1  unknown-key  There is no key `name` here.',
    ],
    ['a file that is no YAML', ['test', 'broken.yml'], 'broken.yml:1:4  invalid-yaml  '],
  ])('refuses %s', async (_, args, says) => {
    await writeFile(join(project.folder, 'broken.yml'), 'a: [\n');
    const { code, stderr } = await project.run(...args);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });
});

it('a recording names its definition from the root of the project, wherever the test is started', async () => {
  expect((await project.runIn('definitions', 'test', '../recordings/tour.yml')).stdout).toContain('1 passed, 0 failed');
  expect(await readFile(join(project.folder, 'recordings', 'tour.yml'), 'utf8')).toContain('definition: definitions/');
});
