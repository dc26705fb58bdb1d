import { expect, it } from 'vitest';
import { open, project } from './helpers/server-bench.js';

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
});
