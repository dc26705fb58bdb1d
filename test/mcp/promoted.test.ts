import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { RunResult } from '../../src/plan/result.js';
import { openBench, COUNT, open, project } from './helpers/server-bench.js';

openBench();

it('what a client made is promoted word for word once a person has approved it, and not before', async () => {
  const { call } = await open();
  const agent = await call('agent_create', { name: 'teller', description: 'Tells.', instructions: 'You tell.' });
  const definition = 'name: told\nsteps:   [{agent: teller, prompt: "Tell it."}]\n';
  await call('workflow_create', { name: 'told', definition });

  const refused = String((await call('workflow', { name: 'told' }))['run']);
  expect((await project.run('reject', refused, '--as', 'ana')).code).toBe(0);
  await call('run_wait', { run: refused });
  expect(JSON.parse((await project.run('promote', refused, '--json')).stdout)).toEqual([]);

  const run = String((await call('workflow', { name: 'told' }))['run']);
  expect((await project.run('promote', `${run}/told`)).stderr).toContain('No closed run');
  expect((await project.run('approve', run, '--as', 'ana')).code).toBe(0);
  expect(await call('run_wait', { run })).toMatchObject({ status: 'success' });
  // The workflow names an agent that the project does not have yet.
  expect((await project.run('promote', `${run}/told`)).code).not.toBe(0);
  for (const name of ['teller', 'told']) {
    const { code, stderr } = await project.run('promote', `${run}/${name}`);
    expect(code, stderr).toBe(0);
  }
  expect(await project.read('definitions/agents/teller.yml')).toBe(agent['definition']);
  expect(await project.read('definitions/workflows/told.yml')).toBe(definition);
  // A person uses it like any other.
  expect(await ran('told')).toMatchObject({ status: 'success', output: 'answer to Tell it.' });
});

it(
  'a tool that a client made is promoted as it was approved, and then is one of the project',
  {
    tags: ['sandbox'],
  },
  async () => {
    const { call } = await open();
    const { definition } = await call('tool_create', { name: 'count', definition: COUNT });
    const run = String((await call('tool', { name: 'count', params: { text: 'one two' } }))['run']);
    // Its text, then the call.
    expect((await project.run('approve', run, '--as', 'ana')).code).toBe(0);
    expect(await call('run_wait', { run })).toMatchObject({ gates: [{ content: { kind: 'call', name: 'count' } }] });
    expect((await project.run('approve', run, '--as', 'ana')).code).toBe(0);
    expect(await call('run_wait', { run })).toMatchObject({ status: 'success', output: 2 });
    const { code, stderr } = await project.run('promote', `${run}/count`);
    expect(code, stderr).toBe(0);
    expect(await project.read('definitions/tools/count/tool.yml')).toBe(definition);
    const uses = 'name: uses\nsteps:\n  - {tool: count, inputs: {text: "one two three"}}\n';
    writeFileSync(join(project.folder, 'definitions/workflows/uses.yml'), uses);
    expect(await ran('uses')).toMatchObject({ status: 'success', output: 3 });
  },
);

/** What a definition of the project comes to when a person runs it. */
async function ran(name: string): Promise<RunResult> {
  const { stdout, stderr } = await project.run('run', name, '--yes', '--json');
  expect(stdout, stderr).not.toBe('');
  return JSON.parse(stdout) as RunResult;
}
