// @seconds 15
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';

const LATE = `name: late
execution: dag
steps:
  - {id: command, deadline: 1s, command: [sleep, "30"], on_error: continue}
  - {id: nested, deadline: 1s, workflow: slow.yml, on_error: continue}
  - {id: limited, timeout: 1s, workflow: slow.yml, on_error: continue}
  - {id: tried, deadline: 1s, command: ["false"], retry: {attempts: 3, backoff: 30s}, on_error: continue}
  - {id: waits, deadline: 1s, wait: 1h, on_error: continue}
  - id: items
    deadline: 1s
    foreach: {items: ["0", "30", "0"], max_parallel: 1}
    command: [sleep, "\${item}"]
    on_error: continue
  - {id: all, deadline: 1s, foreach: ["0", "30"], command: [sleep, "\${item}"], on_error: continue}
  - {id: rounds, deadline: 1s, loop: {until: "\${index == 99}", max: 100}, command: [sleep, "0.4"], on_error: continue}
  - {id: inTime, deadline: 1m, foreach: ["0"], command: [sleep, "\${item}"]}
  - id: ok
    approval: Go on?
    after: [command, nested, limited, tried, waits, items, all, rounds, inTime]
`;

let project: Project;
beforeAll(async () => {
  project = await openProject({
    'late.yml': LATE,
    'slow.yml': 'name: slow\nsteps:\n  - {id: s, command: [sleep, "30"]}\n',
  });
});
afterAll(() => project.close());

interface Shown {
  id: string;
  status: string;
  error: string | null;
  items?: { status: string }[];
  iterations?: { status: string }[];
}

/** How each step ended, and each of its items or rounds that began. */
async function ends(): Promise<string[]> {
  const { steps } = JSON.parse((await project.run('show', 'late', '--json')).stdout) as { steps: Shown[] };
  return steps
    .filter(({ id }) => id !== 'ok')
    .map(({ id, status, error, items, iterations }) => {
      const began = (items ?? iterations ?? []).map((one) => one.status).filter((one) => one !== 'skipped');
      return `${id}: ${status}: ${error} ${began.join()}`;
    });
}

it('tells at a gate what came of steps that a limit ended before it, as it is told when all is over', async () => {
  const { code, stderr } = await project.run('run', 'late.yml', '--id', 'late', '--no-wait');
  expect(code).toBe(4);
  expect(stderr).not.toMatch(/✓ (waits|items|all|rounds)\b(?!\/)/);
  const shown = await ends();
  expect((await project.run('approve', 'late')).code).toBe(0);
  expect((await project.run('watch', 'late')).code).toBe(1);
  expect(shown).toEqual(await ends());
  expect(shown.filter((end) => end.includes(': timeout: '))).toHaveLength(8);
  expect(shown.at(-1)).toBe('inTime: success: null success');
  expect(shown.find((end) => end.startsWith('all:'))).toMatch(/ success,error$/);
});
