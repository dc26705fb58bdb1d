// @seconds 80
import { describe, expect, it } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from './project.js';
import { kill, openProject, until } from './project.js';
import { FULL, random } from './seed.js';

const LINES = 'lines.txt';
const BRANCHES = 20;
const BUDGET = 7;
/** The top is level 1 of 5. */
const DEPTHS = 5;

const command = (name: string): string =>
  `command: [sh, -c, 'echo "start $0" >> ${LINES}; sleep 0.2; echo "done $0" >> ${LINES}', "${name}"]`;

/** Twenty branches side by side, each one command `depth` runs below, with a budget for seven of them. */
function branches(depth: number): Record<string, string> {
  const leaf =
    depth === 0
      ? (index: number) => `  - ${command(String(index))}\n`
      : (index: number) => `  - workflow: ./level${depth - 1}.yml\n    inputs: {name: "${index}"}\n`;
  const files: Record<string, string> = {
    'definitions/workflows/top.yml':
      `name: top\nexecution: parallel\nbudgets: {max_steps: ${BUDGET}, max_parallel: ` +
      `4}\nsteps:\n${Array.from({ length: BRANCHES }, (_, index) => leaf(index)).join('')}`,
  };
  for (let level = 0; level < depth; level++) {
    const step = level === 0 ? command('${name}') : `workflow: ./level${level - 1}.yml\n    inputs: {name: "\${name}"}`;
    files[`definitions/workflows/level${level}.yml`] = `name: level${level}\nsteps:\n  - ${step}\n`;
  }
  return files;
}

const linesOf = async (project: Project, word: string): Promise<string[]> =>
  (await project.read(LINES)).split('\n').filter((line) => line.startsWith(word));

async function killAll(project: Project): Promise<void> {
  const { host, server } = await project.pids();
  for (const pid of [host, server]) if (pid !== null) kill(pid);
}

describe('a budget of seven for twenty branches, with the worker killed', () => {
  const draw = random('budget');
  const cases = Array.from({ length: FULL ? 50 : 1 }, () => ({
    depth: Math.floor(draw() * DEPTHS),
    after: 1 + Math.floor(draw() * (BUDGET - 1)),
    delay: Math.floor(draw() * 200),
  }));

  it.each(cases)(
    'lets exactly seven start, $depth runs below, killed $delay ms after line $after',
    async ({ depth, after, delay }) => {
      const project = await openProject(branches(depth));
      try {
        const first = project.start('run', 'definitions/workflows/top.yml', '--id', 'seven', '--json');
        await until(async () => first.process.exitCode !== null || (await linesOf(project, 'start')).length >= after);
        await new Promise((resolve) => {
          setTimeout(resolve, delay);
        }); // the random moment itself, not a wait for something
        const { host } = await project.pids();
        if (host !== null) kill(host);
        await first.finished;
        const { stdout, stderr } = await project.run('run', 'definitions/workflows/top.yml', '--id', 'seven', '--json');
        if (stdout === '') throw new Error(stderr);
        expect(JSON.parse(stdout)).toMatchObject({
          status: 'error',
          error: expect.stringContaining('all 7 steps are used') as string,
          spend: { steps: BUDGET },
          budget: { steps_remaining: 0 },
        });
        expect(new Set(await linesOf(project, 'start')).size).toBe(BUDGET);
      } finally {
        await project.close();
      }
    },
  );
});

describe('a run that is paused at its budget, with everything killed', () => {
  it('is still paused on return, and a top-up repeats nothing', async () => {
    const steps = Array.from({ length: 4 }, (_, index) => `  - ${command(String(index))}\n`).join('');
    const budgets = '{max_steps: 2, on_exhausted: {max_steps: pause}}';
    const project = await openProject({
      'definitions/workflows/paused.yml': `name: paused\nbudgets: ${budgets}\nsteps:\n${steps}`,
    });
    try {
      expect(
        (await project.run('run', 'definitions/workflows/paused.yml', '--id', 'paused', '--no-wait', '--json')).code,
      ).toBe(4);
      await killAll(project);
      expect(JSON.parse((await project.run('show', 'paused', '--json')).stdout)).toMatchObject({
        status: 'paused',
        spend: { steps: 2 },
      });
      expect((await project.run('budget', 'paused', '--add-steps', '2')).code).toBe(0);
      const { stdout } = await project.run('watch', 'paused', '--json');
      expect(stdout).toContain('run-ended');
      expect(JSON.parse((await project.run('show', 'paused', '--json')).stdout)).toMatchObject({
        status: 'success',
        spend: { steps: 4 },
      });
      expect(await linesOf(project, 'start')).toEqual(['start 0', 'start 1', 'start 2', 'start 3']);
    } finally {
      await project.close();
    }
  });
});

describe('a tree that is paused at its cost limit two levels below, with everything killed', () => {
  it('is still paused on return, and a top-up asks nothing twice', async () => {
    const endpoint = await startModelEndpoint(({ prompt }) => ({
      text: `answer to ${/question \w/.exec(prompt)?.[0] ?? ''}`,
      usage: { output: 16_000 },
    }));
    const ask = (name: string): string => `  - agent: general-purpose\n    prompt: question ${name}\n`;
    const nested = (name: string): string => `  - workflow: ./${name}.yml\n`;
    const file = (name: string, ...steps: string[]): string => `name: ${name}\nsteps:\n${steps.join('')}`;
    const project = await openProject(
      {
        'perdure.yml':
          'models: {aliases: {sonnet: claude-sonnet-5-5}, prices: {claude-sonnet-5-5: {input: 2, output: 10}}}\n',
        'dear.yml': `${file('dear', ask('a'), nested('middle'), ask('d'))}budgets: {max_cost_usd: 0.6}\n`,
        'middle.yml': file('middle', ask('b'), nested('deep')),
        'deep.yml': file('deep', ask('c')),
      },
      { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
    );
    const shown = async (): Promise<object> =>
      JSON.parse((await project.run('show', 'dear', '--json')).stdout) as object;
    try {
      const first = await project.run('run', 'dear.yml', '--id', 'dear', '--no-wait', '--json');
      expect(first.code, first.stderr + first.stdout).toBe(4);
      // Each answer costs about $0.16, and a call reserves about $0.33.
      expect(endpoint.requests).toHaveLength(2);
      await killAll(project);
      expect(await shown()).toMatchObject({ status: 'paused' });
      expect(endpoint.requests).toHaveLength(2);
      expect((await project.run('budget', 'dear', '--add-usd', '5')).code).toBe(0);
      expect((await project.run('watch', 'dear', '--json')).stdout).toContain('run-ended');
      expect(await shown()).toMatchObject({ status: 'success', spend: { steps: 4 } });
      expect(endpoint.requests.map(({ prompt }) => /question \w/.exec(prompt)?.[0])).toEqual([
        'question a',
        'question b',
        'question c',
        'question d',
      ]);
    } finally {
      await project.close();
      await endpoint.close();
    }
  });
});

describe('a gate whose deadline passes while everything is stopped', () => {
  it('takes its default as soon as something runs again, and its time cost the budget nothing', async () => {
    const workflow =
      `name: asleep\nbudgets: {max_runtime_mins: 1}\nsteps:\n  - id: ship\n    approval: Ship it?\n    deadline: ` +
      `15s\n    default: approve\n  - ${command('after')}\n`;
    const project = await openProject({ 'definitions/workflows/asleep.yml': workflow });
    try {
      const { code, stdout } = await project.run(
        'run',
        'definitions/workflows/asleep.yml',
        '--id',
        'asleep',
        '--no-wait',
        '--json',
      );
      expect(code, stdout).toBe(4);
      await killAll(project);
      const [gate] = (JSON.parse(stdout) as { steps: { gate?: { deadline?: string } }[] }).steps.flatMap(
        ({ gate: shown }) => shown ?? [],
      );
      await until(() => Date.now() > Date.parse(gate?.deadline ?? ''));
      const { stdout: events } = await project.run('watch', 'asleep', '--json');
      expect(events).toContain('run-ended');
      expect(JSON.parse((await project.run('show', 'asleep', '--json')).stdout)).toMatchObject({
        status: 'success',
        steps: [{ id: 'ship', status: 'success', note: expect.stringContaining('default') as string }, {}],
      });
    } finally {
      await project.close();
    }
  });
});
