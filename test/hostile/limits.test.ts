import { readdir } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const LIMITS = ['max_cost_usd', 'max_tokens', 'max_steps', 'max_runtime_mins', 'max_parallel'];
const NO_LIMITS = [
  '-1',
  '-0.5',
  '0',
  '.nan',
  '.inf',
  '-.inf',
  '1e309',
  '1e300',
  '9007199254740993',
  '"5"',
  'true',
  '[5]',
  '{}',
];
const STEP = 'steps:\n  - id: a\n    command: [touch, done]\n';
/** What names a place inside of Perdure or Temporal: none of it is a definition's to say. */
const INSIDE = [
  'task_queue: perdure-devices',
  'queue: other',
  'activity: flash',
  'activity_type: __temporal_sys',
  'workflow_type: perdure',
  'kind: flash',
  'namespace: other',
  'worker: other',
];

const unlimited = Object.fromEntries(
  LIMITS.flatMap((limit) =>
    NO_LIMITS.map((value, index) => [`${limit}-${index}.yml`, `name: x\nbudgets:\n  ${limit}: ${value}\n${STEP}`]),
  ),
);
const inside = Object.fromEntries(
  INSIDE.map((line, index) => [`inside-${index}.yml`, `name: x\n${STEP}    ${line}\n`]),
);

let project: Project;
beforeAll(async () => {
  project = await openProject({ ...unlimited, ...inside, 'good.yml': `name: x\n${STEP}` });
});
afterAll(() => project.close());

async function faultsOf(files: Record<string, string>): Promise<{ file: string; line: number }[]> {
  const { code, stdout } = await project.run('validate', '--json', ...Object.keys(files));
  expect(code).toBe(2);
  const { problems } = JSON.parse(stdout) as { problems: { file: string; line: number; severity: string }[] };
  return problems.filter(({ severity }) => severity === 'error').map(({ file, line }) => ({ file, line }));
}

describe('a definition', () => {
  it('has no limit that is none: negative, endless, not exact, or no number', async () => {
    expect(await faultsOf(unlimited)).toEqual(
      expect.arrayContaining(Object.keys(unlimited).map((file) => ({ file, line: 3 }))),
    );
  });

  it('names no queue, activity or worker', async () => {
    expect(await faultsOf(inside)).toEqual(
      expect.arrayContaining(Object.keys(inside).map((file) => ({ file, line: 5 }))),
    );
  });

  it.each(NO_LIMITS)('gets no limit `%s` from the command line, and nothing starts', async (value) => {
    const { code, stderr } = await project.run('run', 'good.yml', `--max-cost-usd=${value}`);
    expect(code).toBe(2);
    expect(stderr).toContain('--max-cost-usd');
    expect(await readdir(project.folder)).not.toContain('.perdure');
  });
});
