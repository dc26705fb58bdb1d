// @seconds 50
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject, until } from '../faults/project.js';

const WORKFLOW =
  'name: parts\n# As its maker wrote it: nothing is put in order.\nsteps:   [{agent: helper, prompt: "Part 1"}]\n';
const TOOL =
  'name: lines\nversion: 1\ndescription: Counts lines.\nkind: command\ninputs:\n  ' +
  'schema: {type: object, properties: {file: {type: string}}}\n' +
  'outputs: {format: text}\nexec: {command: {entrypoint: wc, args: ["-l", "${file}"]}}\n';
const MAKES = [
  { name: 'agent_create', input: { name: 'judge', instructions: 'You judge.', description: 'Judges.' } },
  { name: 'workflow_create', input: { name: 'parts', definition: WORKFLOW } },
  { name: 'tool_create', input: { name: 'lines', definition: TOOL } },
];

let project: Project;
let endpoint: ModelEndpoint;
beforeAll(async () => {
  endpoint = await startModelEndpoint(({ prompt, system, results: { count } }) =>
    system.includes('You make.') && count === 0
      ? { tools: MAKES }
      : { text: prompt.includes('Plan it.') ? PLANNED : prompt.includes('Plan in JSON.') ? IN_JSON : prompt },
  );
  project = await openProject(
    {
      'perdure.yml': 'agents: {generated_agents_dir: generated}\npermissions: {allow: ["make:tool"]}\n',
      'definitions/agents/helper.yml': 'name: helper\nprompt: You help.\n',
      'definitions/agents/maker.yml':
        'name: maker\nprompt: You make.\ntools: [agent_create, agent_call, workflow_create, tool_create, shell]\n',
      'planned.yml':
        'name: planned\nsteps:\n  - {id: think, agent: helper, prompt: Plan it.}\n' +
        '  - {id: do, plan: "${steps.think.output}", message: Do it like that?}\n',
      'json.yml':
        'name: json\nsteps:\n  - {id: think, agent: helper, prompt: Plan in JSON.}\n' +
        '  - {id: do, plan: "${steps.think.output}", message: Do it like that?}\n',
      'uses.yml':
        'name: uses\nsteps:\n  - {id: judged, agent: judge, prompt: Judge it.}\n' +
        '  - {id: counted, tool: lines, inputs: {file: definitions/agents/helper.yml}}\n' +
        '  - {id: done, workflow: parts}\n' +
        'output:\n  judged: "${steps.judged.output}"\n  counted: "${steps.counted.output}"\n' +
        '  done: "${steps.done.output}"\n',
      'talk.yml': 'name: talk\nsteps:\n  - {id: work, agent: maker, prompt: Go.}\n',
    },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  const talk = await project.run('run', 'talk.yml', '--id', 'talk', '--yes');
  expect(talk.code, talk.stderr).toBe(0);
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

const promote = (...args: string[]) => project.run('promote', ...args);
const read = (file: string): string => readFileSync(join(project.folder, file), 'utf8');

const IN_JSON = '{"steps": [{"id": "look", "agent": "helper", "prompt": "Look."}],  "name": "glances"}';
const PLANNED = 'name: looks\n# As it was planned.\nsteps:   [{id: look, agent: helper, prompt: "Look."}]\n';

describe('promote of a workflow that a step planned', () => {
  const planning = (id: string) => project.start('run', 'planned.yml', '--id', id, '--json');
  const gateOf = (id: string): Promise<unknown> =>
    until(async () => (await project.run('show', id, '--json')).stdout.includes('"ready"'));

  it('writes exactly what was approved', async () => {
    const running = planning('planned');
    await gateOf('planned');
    expect((await promote('planned/looks')).stderr).toContain('No closed run');
    expect((await project.run('approve', 'planned', '--as', 'ana')).code).toBe(0);
    await running.finished;
    expect(JSON.parse((await promote('planned', '--json')).stdout)).toEqual([
      { kind: 'workflow', name: 'looks', approved: 'person', description: null },
    ]);
    const { code, stderr } = await promote('planned/looks');
    expect(code, stderr).toBe(0);
    expect(read('definitions/workflows/looks.yml')).toBe(PLANNED);
    const { stdout } = await project.run('run', 'looks', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ status: 'success', output: 'Look.' });
  });

  it('writes it in JSON where that was approved, also under another name', async () => {
    expect((await project.run('run', 'json.yml', '--id', 'json', '--yes')).code).toBe(0);
    expect((await promote('json/glances')).code).toBe(0);
    expect(read('definitions/workflows/glances.yml')).toBe(IN_JSON);
    const renamed = await promote('json/glances', '--rename', 'peeks', '--json');
    expect(JSON.parse(renamed.stdout)).toMatchObject({ name: 'peeks', exact: false });
    expect(read('definitions/workflows/peeks.yml')).toBe(IN_JSON.replace('glances', 'peeks'));
    const { code, stdout } = await project.run('run', 'peeks', '--json');
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ output: 'Look.' })]);
  });

  it('knows nothing of what was rejected', async () => {
    const running = planning('rejected');
    await gateOf('rejected');
    expect((await project.run('reject', 'rejected', '--as', 'ana')).code).toBe(0);
    await running.finished;
    const listed = await promote('rejected', '--json');
    expect(JSON.parse(listed.stdout)).toEqual([]);
    expect(listed.stderr).toContain('Run `rejected` has made nothing that was approved.');
    const { code, stderr } = await promote('rejected/looks', '--rename', 'rejected');
    expect(code, stderr).not.toBe(0);
    expect(existsSync(join(project.folder, 'definitions/workflows/rejected.yml'))).toBe(false);
  });
});

describe('promote', () => {
  it('lists what a run made, and who allowed it', async () => {
    const { stdout } = await promote('talk', '--json');
    expect(JSON.parse(stdout)).toEqual([
      { kind: 'agent', name: 'judge', approved: 'person', description: 'Judges.' },
      { kind: 'workflow', name: 'parts', approved: 'person', description: null },
      { kind: 'tool', name: 'lines', approved: 'permissions', description: null },
    ]);
  });

  it('writes an agent, a workflow and a tool byte for byte as they were approved', async () => {
    const made = read('generated/judge.agent');
    // What runs and what is promoted is what was approved, whatever became of the file.
    writeFileSync(join(project.folder, 'generated/judge.agent'), '---\nname: judge\n---\nAnother.\n');
    for (const name of ['judge', 'parts', 'lines']) {
      const { code, stdout, stderr } = await promote(`talk/${name}`);
      expect(code, stderr).toBe(0);
      expect(stdout).toContain('word for word');
    }
    expect(read('definitions/agents/judge.agent')).toBe(made);
    expect(made).toContain('# Made in run talk\n');
    expect(read('definitions/workflows/parts.yml')).toBe(WORKFLOW);
    expect(read('definitions/tools/lines/tool.yml')).toBe(TOOL);
    expect((await project.run('validate', 'definitions')).code).toBe(0);
    expect(JSON.parse(read('definitions/agents/registry.json'))).toMatchObject({ agents: { judge: { run: 'talk' } } });
  });

  it('makes of them what definitions of the project can use', async () => {
    const { code, stdout, stderr } = await project.run('run', 'uses.yml', '--yes', '--json');
    expect([code, JSON.parse(stdout)], stderr).toEqual([
      0,
      expect.objectContaining({
        output: {
          judged: 'Judge it.',
          counted: expect.stringContaining('2 definitions/agents/helper.yml') as string,
          done: 'Part 1',
        },
      }),
    ]);
  });

  it('replaces nothing unless that is said, and leaves the same as it is', async () => {
    expect((await promote('talk/parts')).code).toBe(0);
    writeFileSync(join(project.folder, 'definitions/workflows/parts.yml'), 'name: parts\nsteps: [{command: [a]}]\n');
    const refused = await promote('talk/parts');
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /There is a workflow `parts` already: `definitions\/workflows\/parts\.yml`[^]*`--rename parts-2`/,
    );
    expect(read('definitions/workflows/parts.yml')).toContain('command');
    expect(JSON.parse((await promote('talk/parts', '--skip', '--json')).stdout)).toMatchObject({ to: null });
    const renamed = await promote('talk/parts', '--rename', 'parts-2', '--json');
    expect(JSON.parse(renamed.stdout)).toMatchObject({ name: 'parts-2', exact: false });
    expect(read('definitions/workflows/parts-2.yml')).toBe(WORKFLOW.replace('name: parts', 'name: parts-2'));
    expect((await promote('talk/parts', '--overwrite')).code).toBe(0);
    expect(read('definitions/workflows/parts.yml')).toBe(WORKFLOW);
  });

  it('writes to another folder of the project, and to none outside', async () => {
    expect((await promote('talk/lines', '--to', 'kept')).code).toBe(0);
    expect(read('kept/lines/tool.yml')).toBe(TOOL);
    expect((await promote('talk/lines', '--to', '..')).code).toBe(2);
  });

  it.each([
    [['nobody/judge'], 'No closed run `nobody`'],
    [['talk/jugde'], 'did you mean `judge`?'],
    [['talk/judge', '--kind', 'tool'], 'has made no tool `judge`'],
  ])('says what it knows: %j', async (args, message) => {
    const { code, stderr } = await promote(...args);
    expect(code).toBeGreaterThan(0);
    expect(stderr).toContain(message);
  });

  it('writes nothing that the project cannot use', async () => {
    await rm(join(project.folder, 'definitions/agents/helper.yml'));
    await rm(join(project.folder, 'definitions/workflows/parts.yml'));
    const { code, stderr } = await promote('talk/parts');
    expect(code).not.toBe(0);
    expect(stderr).toContain('unknown-agent');
    expect(existsSync(join(project.folder, 'definitions/workflows/parts.yml'))).toBe(false);
  });
});
