import { expect, it, onTestFinished } from 'vitest';
import { openProject } from '../faults/project.js';

it('refuses a name that no closed run has, and says which one is near, or where all are', async () => {
  const project = await openProject({
    'greets.yml': 'name: greets\nsteps:\n  - command: [echo, hello]\n',
    'definitions/workflows/kept.yml': 'name: kept\nsteps:\n  - command: [echo, hello]\n',
  });
  onTestFinished(() => project.close());
  const refused = (name: string, hint: string) => ({
    code: 2,
    stdout: '',
    stderr: `Error: No closed run of a definition \`${name}\` is known.\n  ${hint}\n`,
  });
  const listed = '`perdure list` has all runs.';
  expect(await project.run('stats', 'greet')).toMatchObject(refused('greet', listed));
  expect((await project.run('run', 'greets.yml')).code).toBe(0);
  expect(await project.run('stats', 'greet')).toMatchObject(refused('greet', 'did you mean `greets`?'));
  expect(await project.run('stats', 'other')).toMatchObject(refused('other', listed));
  expect(await project.run('stats', 'other', '--json')).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('"exit": 2') as string,
  });
  const none = { code: 0, stderr: '', stdout: expect.stringContaining('closed runs say too little') as string };
  expect(await project.run('stats', 'greets')).toMatchObject(none);
  // One that has not run yet is no other one.
  expect(await project.run('stats', 'kept')).toMatchObject(none);
});
