// @module-tag git
// @seconds 60
import { execFile } from 'node:child_process';
import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Json } from '../../src/plan/values/json.js';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Finished, Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const LOG = 'log.txt';
/** A step that says in the log that it ran. */
const says = (id: string, more = 'effect: none', line = id): string =>
  `  - id: ${id}\n    command: [sh, -c, 'echo "${line}" >> ${LOG}; echo "${line}"']\n    ${more}\n`;
const fails = (id: string): string =>
  `  - id: ${id}\n    command: [sh, -c, 'echo ${id} >> ${LOG}; test -e mended']\n    effect: none\n`;
const GATE = '  - id: gate\n    approval: Go on?\n';
const file = (name: string, ...steps: string[]): string => `name: ${name}\nsteps:\n${steps.join('')}`;

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt }) => ({ text: prompt.slice(0, 20) }));
  // The log is no part of the state that git tells of: a run's own lines change nothing.
  project = await openProject(
    { '.gitignore': `.perdure/\n${LOG}\nmended\n` },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
  await promisify(execFile)('git', ['init', '-q', project.folder]);
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const json = async <T = Json>(...args: string[]): Promise<T> => {
  const { stdout, stderr } = await project.run(...args, '--json');
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout) as T;
};
/** What ran since the log was last looked at. */
const ran = async (): Promise<string[]> => {
  const lines = (await project.read(LOG)).split('\n').filter((line) => line !== '');
  await rm(join(project.folder, LOG), { force: true });
  return lines;
};
const write = (name: string, ...steps: string[]): Promise<void> =>
  writeFile(join(project.folder, `${name}.yml`), file(name, ...steps));
const start = (name: string, id: string): Promise<Finished> => project.run('run', `${name}.yml`, '--id', id);

describe('a rerun of a rerun', () => {
  it('that was cancelled early takes over what the first run did, and repeats no external effect', async () => {
    const [hello, publish, boom] = [says('hello'), says('publish', 'effect: external'), fails('boom')];
    await write('again', hello, publish, boom);
    await start('again', 'first');
    expect(await ran()).toEqual(['hello', 'publish', 'boom']);
    await write('again', GATE, hello, publish, boom);
    expect((await project.run('rerun', 'first', '--id', 'second', '--no-wait')).code).toBe(4);
    await project.run('cancel', 'second');
    await project.run('watch', 'second');
    expect(await json('rerun', 'second', '--dry-run')).toMatchObject({
      reuse: ['hello', 'publish'],
      run: ['boom'],
      ask: ['gate'],
      refuse: [],
    });
    // Who has nothing left of the first run does not repeat what it did either.
    const record = join(project.folder, '.perdure', 'runs', 'first.json');
    await rename(record, `${record}.pruned`);
    expect(await json('rerun', 'second', '--dry-run')).toMatchObject({ run: ['hello', 'boom'], refuse: ['publish'] });
    await rename(`${record}.pruned`, record);
    await writeFile(join(project.folder, 'mended'), '');
    expect(await json('rerun', 'second', '--id', 'third', '--yes')).toMatchObject({ status: 'success' });
    expect(await ran()).toEqual(['boom']);
  });

  it('knows what steps cost that the run before had taken over', async () => {
    const ask = '  - id: think\n    agent: general-purpose\n    prompt: Think hard.\n';
    await write('dear', ask);
    const { spend } = await json<{ spend: { usd: number } }>('run', 'dear.yml', '--id', 'dear');
    expect(spend.usd).toBeGreaterThan(0);
    expect(await json('rerun', 'dear', '--id', 'cheap')).toMatchObject({ spend: { usd: 0 } });
    expect(await json('rerun', 'cheap', '--from', 'think', '--dry-run')).toMatchObject({
      run: ['think'],
      usd: spend.usd,
    });
  });
});

describe('an external effect that has happened', () => {
  it('is taken over also where files have changed that it does not name', async () => {
    await write('ship', says('publish', 'effect: external'), `  - id: last\n    command: [sh, -c, 'exit 1']\n`);
    await start('ship', 'ship');
    await ran();
    await write('ship', says('publish', 'effect: external'), says('last'));
    await writeFile(join(project.folder, 'another.txt'), 'new');
    expect(await json('rerun', 'ship', '--id', 'shipped')).toMatchObject({
      status: 'success',
      steps: [{ reused: true }, { reused: false }],
    });
    expect(await ran()).toEqual(['last']);
  });

  it('is refused for other content each time, which a dry run tells, and done anew with --again', async () => {
    await write('other', says('publish', 'effect: external'));
    await start('other', 'other-0');
    await ran();
    await write('other', says('publish', 'effect: external', 'published'));
    for (const round of [0, 1, 2]) {
      expect(await json('rerun', `other-${round}`, '--dry-run')).toMatchObject({
        reuse: [],
        run: [],
        refuse: ['publish'],
      });
      expect(await json('rerun', `other-${round}`, '--id', `other-${round + 1}`)).toMatchObject({
        status: 'error',
        error: expect.stringContaining('`publish` of other-') as string,
      });
    }
    expect(await ran()).toEqual([]);
    expect(await json('rerun', 'other-3', '--again', '--id', 'other-4')).toMatchObject({ status: 'success' });
    expect(await ran()).toEqual(['published']);
  });

  it('happens once for each item, however many ask the same, and for one that had failed', async () => {
    const next = `echo batch >> ${LOG}; n=$(grep -c batch ${LOG}); echo $n; test $n -ne 3 || test -e mended`;
    const batches = `  - id: send
    foreach: {items: [a, b, c, d], max_parallel: 1}
    command: [sh, -c, '${next}']
    effect: external
`;
    await rm(join(project.folder, 'mended'), { force: true });
    await write('batches', batches);
    expect((await project.run('run', 'batches.yml', '--id', 'batches', '--max-steps', '7')).code).toBe(1);
    await writeFile(join(project.folder, 'mended'), '');
    expect(await json('rerun', 'batches', '--dry-run')).toMatchObject({
      reuse: ['send/0', 'send/1'],
      run: ['send/2', 'send/3'],
    });
    // The one that failed had counted too.
    expect(await json('rerun', 'batches', '--id', 'batches-2')).toMatchObject({
      status: 'success',
      output: ['1', '2', '4', '5'],
      budget: { max_steps: 7 },
    });
    await ran();
  });

  it('may have happened in a try of a nested run that is not its last', async () => {
    const once = `[sh, -c, 'echo flag >> ${LOG}; test $(grep -c flag ${LOG}) -ne 2']`;
    const pay = `[sh, -c, 'echo pay >> ${LOG}; sleep 600']`;
    await write(
      'kpay',
      `  - id: flag\n    command: ${once}\n    effect: none\n`,
      `  - id: pay\n    command: ${pay}\n    effect: external\n    timeout: 2s\n`,
    );
    await write('payer', '  - id: k\n    workflow: ./kpay.yml\n    retry: {attempts: 2, backoff: 1s}\n');
    expect((await start('payer', 'payer')).code).toBe(1);
    expect(await json('rerun', 'payer', '--dry-run')).toMatchObject({ refuse: ['k/pay'] });
    expect(await json('rerun', 'payer', '--id', 'payer-2')).toMatchObject({
      error: expect.stringContaining('`k/pay` of payer had an external effect') as string,
    });
    // The rerun's first try of `k` takes `flag` over, its second one runs it anew.
    expect(await ran()).toEqual(['flag', 'pay', 'flag', 'flag']);
  });

  it('may have happened where the run time was over in the middle of it, which is shown like any end', async () => {
    const command = `[sh, -c, 'echo publish >> ${LOG}; sleep 600']`;
    const endless = `  - id: publish\n    command: ${command}\n    effect: external\n`;
    await writeFile(
      join(project.folder, 'late.yml'),
      `${file('late', says('hello'), endless)}budgets: {max_runtime_mins: 0.3}\n`,
    );
    expect(await json('run', 'late.yml', '--id', 'late')).toMatchObject({
      status: 'timeout',
      error: expect.stringContaining('max_runtime_mins') as string,
      steps: [{ status: 'success' }, { status: 'error', error: expect.stringContaining('cancelled') as string }],
    });
    expect(await json('show', 'late')).toMatchObject({ status: 'timeout' });
    expect(await ran()).toEqual(['hello', 'publish']);
    expect(await json('rerun', 'late', '--dry-run')).toMatchObject({ reuse: ['hello'], refuse: ['publish'] });
  });
});

describe('a command that may read any file', () => {
  it('is taken over where only the definition was edited, and runs again where another file was', async () => {
    const reads = says('reads', 'effect: workspace');
    await write('edits', reads, fails('last'));
    await rm(join(project.folder, 'mended'), { force: true });
    await start('edits', 'edits');
    await ran();
    await write('edits', reads, says('last'));
    expect(await json('rerun', 'edits', '--dry-run')).toMatchObject({ reuse: ['reads'], run: ['last'] });
    await writeFile(join(project.folder, 'other.txt'), 'new');
    expect(await json('rerun', 'edits', '--dry-run')).toMatchObject({ reuse: [], run: ['reads', 'last'] });
    await rm(join(project.folder, 'other.txt'));
  });
});

describe('a command that names what it reads and writes', () => {
  const makes = (files: string): string =>
    `  - id: makes\n    command: [sh, -c, 'echo makes >> ${LOG}; echo made > made.txt']\n    reads: [given]\n${files}`;
  const action = async (run: string): Promise<string> => {
    const told = await json<Record<string, string[]>>('rerun', run, '--dry-run');
    return ['reuse', 'run', 'may_run'].find((name) => told[name]?.includes('makes')) ?? 'not told';
  };

  it('is taken over only while the files that it wrote are as it left them', async () => {
    const made = join(project.folder, 'made.txt');
    const other = join(project.folder, 'other.txt');
    await write('made', makes('    writes: [made.txt]\n'), fails('last'));
    await rm(join(project.folder, 'mended'), { force: true });
    await start('made', 'made');
    await writeFile(other, 'changed');
    expect(await action('made')).toBe('reuse');
    await writeFile(made, 'edited');
    expect(await action('made')).toBe('run');
    await rm(made);
    expect(await action('made')).toBe('run');
    await writeFile(join(project.folder, 'mended'), '');
    await ran();
    expect(await json('rerun', 'made', '--id', 'made-2')).toMatchObject({ status: 'success' });
    expect(await readFile(made, 'utf8')).toBe('made\n');
    expect(await ran()).toEqual(['makes', 'last']);
    await rm(join(project.folder, 'mended'));
    expect(await json('rerun', 'made-2', '--dry-run')).toMatchObject({ reuse: ['makes', 'last'] });
    await rm(made);
    await rm(other);
  });

  it('counts as one that may have written any file where it names none', async () => {
    await write('made', makes(''), fails('last'));
    await rm(join(project.folder, 'mended'), { force: true });
    await start('made', 'made-3');
    expect(await action('made-3')).toBe('reuse');
    await rm(join(project.folder, 'made.txt'));
    expect(await action('made-3')).toBe('run');
    await ran();
  });
});

describe('a step of finally', () => {
  it('clears up after a rerun too, unless its effect is none or outside', async () => {
    const down = ['down', 'log'].map(
      (id, index) =>
        `  - id: ${id}\n    command: [sh, -c, 'echo ${id} >> ${LOG}']\n    effect: ${['workspace', 'none'][index]}\n`,
    );
    await writeFile(join(project.folder, 'clear.yml'), `${file('clear', fails('up'))}finally:\n${down.join('')}`);
    await rm(join(project.folder, 'mended'), { force: true });
    await start('clear', 'clear');
    expect(await ran()).toEqual(['up', 'down', 'log']);
    await writeFile(join(project.folder, 'mended'), '');
    expect(await json('rerun', 'clear', '--dry-run')).toMatchObject({ run: ['up', 'down'], reuse: ['log'] });
    expect(await json('rerun', 'clear', '--id', 'cleared')).toMatchObject({ status: 'success' });
    expect(await ran()).toEqual(['up', 'down']);
  });
});

describe('a dry run', () => {
  const NESTED = file(
    'nested',
    `  - id: known\n    command: [sh, -c, 'echo $0', "\${a}"]\n    effect: none\n`,
    `  - id: other\n    command: [sh, -c, 'echo $0', "\${b}"]\n    effect: none\n`,
  );
  const rounds = `  - id: round
    loop: {until: "\${steps.count.output == '3'}", max: 5}
    steps:
      - id: count
        command: [sh, -c, 'echo $(($0 + 1))', "\${steps.count.output ?? 0}"]
        effect: none
      - id: tell
        command: [sh, -c, 'echo "$0 $1"', "\${steps.count.output}", "\${steps.flaky.output ?? 'none'}"]
        effect: none
`;
  const items = `  - id: each
    foreach: [p, q]
    workflow: ./nested.yml
    inputs: {a: "\${item}", b: "\${steps.flaky.output ?? 'none'}"}
`;

  it('of loops, items and nested workflows tells what then happens, step by step', async () => {
    await writeFile(join(project.folder, 'nested.yml'), NESTED);
    await writeFile(join(project.folder, 'deep.yml'), `${file('deep', fails('flaky'), rounds, items)}execution: dag\n`);
    await rm(join(project.folder, 'mended'), { force: true });
    await start('deep', 'deep');
    await writeFile(join(project.folder, 'mended'), '');
    // What a step gives that runs anew nobody knows before: the first round is the only one that is sure to come out as
    // before.
    expect(await json('rerun', 'deep', '--dry-run')).toMatchObject({
      reuse: ['round/0/count', 'each/0/known', 'each/1/known'],
      run: ['flaky'],
      may_run: ['round/0/tell', 'round', 'each/0/other', 'each/1/other'],
    });
    const { steps } = await json<{ steps: Json[] }>('rerun', 'deep', '--id', 'deeper');
    expect(reusedIn(steps)).toEqual([
      'round/0/count',
      'round/1/count',
      'round/2/count',
      'each/0/known',
      'each/1/known',
    ]);
  });

  it('claims nothing of what a step that runs decides: conditions, and files that it may change', async () => {
    const touch = `  - id: touch\n    command: [sh, -c, 'test -e mended && cp mended seen']\n`;
    const free = (id: string, more: string): string =>
      `  - id: ${id}\n    command: [sh, -c, 'cat seen 2>&1 || true']\n    effect: none\n    ${more}\n`;
    const steps = [
      free('early', 'reads: [seen]'),
      touch,
      free('late', 'reads: [seen]'),
      free('other', 'reads: []'),
      free('maybe', 'when: "${steps.touch.status == \'success\'}"'),
      `  - id: named\n    set: {what: said}\n    when: "\${steps.touch.status == 'success'}"\n`,
      `  - id: after\n    command: [echo, "\${steps.named.output.what ?? 'nothing'}"]\n    effect: none\n`,
    ];
    await writeFile(join(project.folder, 'doubt.yml'), `${file('doubt', ...steps)}execution: dag\n`);
    await rm(join(project.folder, 'mended'), { force: true });
    await start('doubt', 'doubt');
    expect(await json('rerun', 'doubt', '--dry-run')).toMatchObject({
      reuse: ['early', 'other'],
      run: ['touch'],
      may_run: ['late', 'maybe', 'after'],
    });
  });

  it('does without a result whose value is gone, and so does the run', async () => {
    const big = `  - id: big\n    command: [sh, -c, 'echo big >> ${LOG}; seq 1 1000']\n    effect: none\n`;
    await write('gone', big, fails('last'));
    await rm(join(project.folder, 'mended'), { force: true });
    await start('gone', 'gone');
    await ran();
    await project.run('server', 'stop');
    for (const name of await readdir(join(project.folder, '.perdure', 'values'), { recursive: true })) {
      if ((await project.read(join('.perdure', 'values', name))).startsWith('"1\\n2\\n'))
        await rm(join(project.folder, '.perdure', 'values', name));
    }
    expect(await json('rerun', 'gone', '--dry-run')).toMatchObject({ reuse: [], run: ['big', 'last'] });
    await writeFile(join(project.folder, 'mended'), '');
    expect(await json('rerun', 'gone', '--id', 'back')).toMatchObject({ status: 'success' });
    expect(await ran()).toEqual(['big', 'last']);
  });
});

interface Shown {
  path: string;
  reused?: boolean;
  steps?: Shown[];
  items?: Shown[];
  iterations?: Shown[];
}

/** Paths of what was taken over, in their order. */
function reusedIn(steps: Json): string[] {
  return (steps as unknown as Shown[]).flatMap(({ path, reused, steps: below = [], items = [], iterations = [] }) => [
    ...(reused === true ? [path] : []),
    ...[below, items, iterations].flatMap((list) => reusedIn(list as unknown as Json)),
  ]);
}
