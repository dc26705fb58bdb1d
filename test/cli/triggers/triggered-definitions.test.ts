import { expect, it } from 'vitest';
import type { ListedSchedule } from '../../../src/cli/triggers/list-schedules.js';
import { newFolder, perdureHere } from '../helpers/command-line.js';

const STEPS = 'steps: [{id: a, command: [echo, hi]}]';

async function listed(files: Record<string, string>): Promise<Pick<ListedSchedule, 'name' | 'file' | 'drift'>[]> {
  const { stdout } = await perdureHere(newFolder(files), ['schedules', 'list', '--json']);
  return (JSON.parse(stdout) as ListedSchedule[]).map(({ name, file, drift }) => ({ name, file, drift }));
}

it.each([
  ['on one line', 'yml', `{name: nightly, schedule: "@daily", ${STEPS}}`],
  ['in JSON of one line', 'json', '{"name":"nightly","schedule":"@daily","steps":[{"id":"a","command":["echo","a"]}]}'],
  [
    'in JSON whose key is escaped',
    'json',
    '{"name":"nightly","\\u0073chedule":"@daily","steps":[{"command":["true"]}]}',
  ],
  ['with a space before the colon', 'yml', `name : nightly\nschedule : "@daily"\n${STEPS}\n`],
  ['in quotes', 'yml', `"name": nightly\n'schedule': "@daily"\n${STEPS}\n`],
  ['as explicit keys', 'yml', `? name\n: nightly\n? schedule\n: "@daily"\n${STEPS}\n`],
  ['indented as a whole', 'yml', `  # a comment\n  name: nightly\n  schedule: "@daily"\n  ${STEPS}\n`],
  ['with its name on the next line', 'yml', `name: >-\n  nightly\nschedule: "@daily"\n${STEPS}\n`],
])('finds a schedule and its name however they are written: %s', async (_how, ending, text) => {
  const file = `definitions/workflows/file.${ending}`;
  expect(await listed({ [file]: text })).toEqual([{ name: 'nightly', file, drift: 'new' }]);
});

it('takes a definition whose trigger is misspelled for a broken one, and one without a trigger for none', async () => {
  const files = {
    'definitions/workflows/slip.yml': `name: slip\nschedul: "@daily"\n${STEPS}\n`,
    'definitions/workflows/plain.yml':
      'name: plain\ndescription: "on: the schedule"\n' + 'steps:\n  - command: [a, "on: b"]\n',
    'definitions/workflows/half.yml': `name: half\nschedule: [\n`,
  };
  expect(await listed(files)).toEqual([
    { name: 'half', file: 'definitions/workflows/half.yml', drift: 'broken' },
    { name: 'slip', file: 'definitions/workflows/slip.yml', drift: 'broken' },
  ]);
});

it('refuses two files of one name, and names both', async () => {
  const folder = newFolder({
    'definitions/workflows/a.json': '{"name": "job", "schedule": "@daily", "steps": [{"command": ["true"]}]}',
    'definitions/workflows/b.yml':
      'name : job\nschedule: "@hourly"\n' + `on: {webhook: {signature: github, secret: "\${env.HS}"}}\n${STEPS}`,
  });
  for (const args of [['schedules', 'sync', '--dry-run'], ['listen'], ['validate', '.']]) {
    const { code, stdout, stderr } = await perdureHere(folder, args, { env: { HS: 'a secret of this test' } });
    expect(code).toBe(2);
    expect(stdout + stderr).toMatch(/b\.yml[^]*`a\.json` in this folder has the name `job` already/);
  }
});

it('takes the first of a name in the order of the folders', async () => {
  const files = {
    'definitions/workflows/own.yml': `name: job\nschedule: "@daily"\n${STEPS}\n`,
    '.glee/workflows/theirs.yml': `name: job\nschedule: "@hourly"\n${STEPS}\n`,
  };
  expect(await listed(files)).toEqual([{ name: 'job', file: 'definitions/workflows/own.yml', drift: 'new' }]);
});
