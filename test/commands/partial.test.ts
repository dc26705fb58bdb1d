// @seconds 60
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import { signedIn, startUi } from '../tools/pages.js';

/** One step fails, what depends on it is skipped, and another succeeds. */
const CHILD = `name: child
execution: dag
steps:
  - {id: bad, command: [sh, -c, "exit 3"]}
  - {id: after, needs: [bad], command: [echo, never]}
  - {id: good, command: [echo, good]}
`;
const named = (name: string, steps: string): [string, string] => [
  `definitions/workflows/${name}.yml`,
  `name: ${name}\n${steps}`,
];
const MADE = JSON.stringify({
  execution: 'dag',
  steps: [
    { id: 'bad', agent: 'general-purpose', prompt: 'break' },
    { id: 'good', agent: 'general-purpose', prompt: 'say' },
  ],
});

const PARTS = {
  name: 'parts',
  definition: {
    execution: 'dag',
    steps: [
      { id: 'bad', agent: 'helper', prompt: 'break' },
      { id: 'good', agent: 'helper', prompt: 'say' },
    ],
  },
};

/** Ways to nest, each a workflow of its own. */
const NESTINGS: Record<string, string> = {
  nested: 'steps:\n  - {id: inner, workflow: child}\n',
  asked: 'steps:\n  - {id: inner, workflow: child, on_error: continue}\n',
  deep: 'steps:\n  - {id: inner, workflow: nested}\n',
  each: 'steps:\n  - {id: inner, foreach: [1, 2], workflow: child}\n',
  bodies:
    'steps:\n  - id: inner\n    foreach: [1, 2]\n    execution: dag\n    steps:\n      - {id: bad, command: ' +
    '[sh, -c, "exit 3"]}\n      - {id: after, command: [echo, "${steps.bad.output}"]}\n      - {id: good, ' +
    'command: [echo, good]}\n',
  rounds: 'steps:\n  - {id: inner, loop: {until: "${index == 1}", max: 3}, workflow: child}\n',
  batches:
    `steps:\n  - {id: inner, foreach: [${Array.from({ length: 201 }, (_, index) => index).join(', ')}], when: ` +
    `"\${item == 7}", workflow: child}\n`,
  talks: 'steps:\n  - {id: inner, agent: maker, prompt: Go.}\n',
  'talks-below': 'steps:\n  - {id: inner, agent: asker, prompt: Go.}\n',
  'talks-each': 'steps:\n  - {id: inner, foreach: [1, 2], agent: maker, prompt: "Go ${item}."}\n',
  'talks-deep': 'steps:\n  - {id: inner, workflow: talks}\n',
  'made-last':
    'steps:\n  - {id: inner, loop: {until: "${index == 1}", max: 3, at_max: continue}, on_error: continue, ' +
    'workflow: child}\n',
  'at-last': 'steps:\n  - {id: inner, workflow: child, retry: {attempts: 3}}\n  - {id: last, command: [echo, x]}\n',
  cleans: 'steps:\n  - {id: good, command: [echo, x]}\nfinally:\n  - {id: inner, workflow: child}\n',
  made: `steps:\n  - id: think\n    set: {plan: ${MADE}}\n  - {id: inner, plan: "\${steps.think.output.plan}"}\n`,
};

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, system, results: { count } }) => {
    if (system.includes('You ask.') && count === 0) return { tools: [{ name: 'maker', input: { input: 'Go.' } }] };
    if (system.includes('You make.') && count < 2)
      return { tools: [count === 0 ? { name: 'workflow_create', input: PARTS } : { name: 'parts', input: {} }] };
    return prompt.includes('break') ? { status: 400, message: 'broken on purpose' } : { text: 'said' };
  });
  const files = Object.entries(NESTINGS).map(([name, steps]) => named(name, steps));
  project = await openProject(
    {
      'definitions/workflows/child.yml': CHILD,
      'definitions/agents/helper.yml': 'name: helper\nprompt: You help.\n',
      'definitions/agents/maker.yml': 'name: maker\nprompt: You make.\ntools: [workflow_create]\n',
      'definitions/agents/asker.yml': 'name: asker\nprompt: You ask.\ntools: [maker]\n',
      ...Object.fromEntries(files),
    },
    { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
  );
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

interface Result {
  status: string;
  error: string;
  steps: { id: string; status: string; partial?: string }[];
}

describe('a run in which something failed below and was passed over', () => {
  it.each(Object.keys(NESTINGS))('is `partial`, says what failed, and exits with 1: %s', async (name) => {
    const { code, stdout } = await project.run('run', name, '--id', name, '--yes', '--json');
    const result = JSON.parse(stdout) as Result;
    expect([code, result.status, result.error]).toEqual([1, 'partial', expect.stringContaining('bad: ')]);
    expect(result.steps.find(({ id }) => id === 'inner')).toMatchObject({
      status: 'success',
      partial: expect.stringContaining('bad: ') as string,
    });
    const shown = await project.run('show', name);
    expect(shown.stdout).toMatch(/^ *! \d+ inner/m);
    expect(shown.stdout).toContain(`! ${name} · partial`);
  });

  it.each(Object.keys(NESTINGS))('is as `partial` when it is run again: %s', async (name) => {
    const { code, stdout } = await project.run('rerun', name, '--id', `${name}-2`, '--yes', '--json');
    const result = JSON.parse(stdout) as Result;
    expect([code, result.status, result.error]).toEqual([1, 'partial', expect.stringContaining('bad: ')]);
  });

  it('is told on the page of the step in which it failed', async () => {
    const { link, origin, running } = await startUi(project);
    const { read } = await signedIn(link);
    for (const name of Object.keys(NESTINGS)) {
      const page = await read(`${origin}/runs/${name}/steps/inner`);
      expect(page, name).toMatch(/<h1>[^]*partial[^]*<\/h1>/);
      expect(page, name).toMatch(/What failed in it[^]*bad: /);
    }
    running.process.kill('SIGINT');
    await running.finished;
  });

  it('is a success where a later round made up for it, with a word', async () => {
    const { writeFile } = await import('node:fs/promises');
    await writeFile(
      `${project.folder}/definitions/workflows/mended.yml`,
      'name: mended\nsteps:\n  - {id: inner, loop: {until: "${steps.inner.status == \'success\'}", max: 3}, ' +
        'command: [sh, -c, "test $0 = 1", "${index}"], on_error: continue}\n',
    );
    const { code, stdout } = await project.run('run', 'mended', '--id', 'mended', '--json');
    expect([code, (JSON.parse(stdout) as { steps: { note: string }[] }).steps[0]?.note]).toEqual([
      0,
      '2 rounds, 1 of them failed in whole or in part',
    ]);
  });
});
