import { expect, it, onTestFinished } from 'vitest';
import { openProject } from '../faults/project.js';

it('says of a name that no closed run has which one is near, or where all are', async () => {
  const project = await openProject({ 'greets.yml': 'name: greets\nsteps:\n  - command: [echo, hello]\n' });
  onTestFinished(() => project.close());
  const stats = async (name: string): Promise<string> => (await project.run('stats', name)).stdout;
  const listed = 'No closed run of a definition `greet` is known: `perdure list` has all runs.\n';
  expect(await stats('greet')).toBe(listed);
  expect((await project.run('run', 'greets.yml')).code).toBe(0);
  expect(await stats('greet')).toBe('No closed run of a definition `greet` is known: did you mean `greets`?\n');
  expect(await stats('other')).toBe(listed.replace('greet', 'other'));
  expect(await stats('greets')).not.toContain('is known');
});
