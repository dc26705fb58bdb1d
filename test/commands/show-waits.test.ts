// @seconds 15
import { expect, it, onTestFinished } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject, until } from '../faults/project.js';

it('show tells why a step is tried again, as watch does', async () => {
  const endpoint = await startModelEndpoint(() => ({ status: 503, message: 'busy today' }));
  onTestFinished(() => endpoint.close());
  const project = await openProject(
    { 'asks.yml': 'name: asks\nsteps:\n  - {id: ask, agent: general-purpose, prompt: "Say it."}\n' },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  onTestFinished(() => project.close());
  expect((await project.run('run', 'asks.yml', '--id', 'one', '--detach')).code).toBe(0);
  const told = await until(
    async () => /try \d+ · again after: .*/.exec((await project.run('show', 'one')).stdout)?.[0],
  );
  expect(told).toContain('The provider is');
});
