// @seconds 15
import { expect, it, onTestFinished } from 'vitest';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import { openProject } from '../faults/project.js';

const STEPS = 100;
/** What fails at first, and what reads it, directly or by another; nothing else depends on them. */
const FAILS = 5;
const READS: Record<number, number> = { 50: FAILS, 77: FAILS, 90: 50, 91: 49 };

const stepOf = (index: number): string => {
  const read = READS[index];
  return (
    `  - id: s${index}\n    agent: general-purpose\n    prompt: "step ` +
    `<${index}>${read === undefined ? '' : ` after \${steps.s${read}.output}`}"\n    retry: {attempts: 1}\n`
  );
};
const WORKFLOW = `name: hundred
execution: dag
budgets: {max_steps: 300}
steps:
${Array.from({ length: STEPS }, (_, index) => stepOf(index)).join('')}  - id: each
    foreach: [${Array.from({ length: STEPS }, (_, index) => index).join(', ')}]
    on_error: skip_dependents
    agent: general-purpose
    prompt: "item <\${item}>"
    retry: {attempts: 1}
  - id: sum
    agent: general-purpose
    prompt: "sum of \${steps.each.output}"
`;
const BROKEN = ['step <5>', 'item <5>'];

it(
  `of ${STEPS} steps and ${STEPS} items of which one failed early, a rerun asks that one and its dependents, and ` +
    `nothing else`,
  async () => {
    let breaks = true;
    // What each was asked, by its own words.
    const asked = (prompt: string): string => /(step|item) <\d+>/.exec(prompt)?.[0] ?? 'sum';
    const endpoint = await startModelEndpoint(({ prompt }) =>
      breaks && BROKEN.some((words) => prompt.includes(words))
        ? { status: 400, message: 'broken on purpose' }
        : { text: `answer to ${asked(prompt).replace(/[<>]/g, '')}` },
    );
    onTestFinished(() => endpoint.close());
    const project = await openProject(
      { 'hundred.yml': WORKFLOW },
      { ANTHROPIC_API_KEY: 'test', ANTHROPIC_BASE_URL: endpoint.url },
    );
    onTestFinished(() => project.close());
    expect((await project.run('run', 'hundred.yml', '--id', 'before', '--json')).stdout).toContain('broken on purpose');
    expect(endpoint.requests).toHaveLength(2 * STEPS - 3);

    breaks = false;
    const { stdout: told } = await project.run('rerun', 'before', '--dry-run', '--json');
    expect(JSON.parse(told)).toMatchObject({
      run: ['s5', 'each/5'],
      may_run: ['s50', 's77', 'sum', 's90'],
    });
    const { stdout, stderr } = await project.run('rerun', 'before', '--id', 'after', '--json');
    expect(JSON.parse(stdout), stderr).toMatchObject({ status: 'success', spend: { steps: 6 } });
    expect(
      endpoint.requests
        .slice(2 * STEPS - 3)
        .map(({ prompt }) => asked(prompt))
        .sort(),
    ).toEqual(['item <5>', 'step <50>', 'step <5>', 'step <77>', 'step <90>', 'sum'].sort());
  },
);
