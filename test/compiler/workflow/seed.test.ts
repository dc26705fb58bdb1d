import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../src/compiler/project/config.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';
import { compileIn, planOf } from '../helpers/temporary-project.js';

const SEED = join(packageRoot(), 'test/compiler/fixtures/seed-003');

function compile(name: string): ReturnType<typeof compileIn> {
  return compileIn(SEED, `.glee/workflows/${name}.yml`);
}

describe('the examples of workflows, word for word', () => {
  it('full-review runs three agents in order, and lists its undeclared input', () => {
    const { plan, problems } = compile('full-review');
    expect(problems).toEqual([]);
    expect(plan?.inputs).toEqual({ target: { type: 'any', required: true, description: null } });
    expect(plan?.steps.map(({ needs }) => needs)).toEqual([
      [],
      [{ step: 0, skip: false }],
      [
        { step: 0, skip: true },
        { step: 1, skip: true },
      ],
    ]);
    expect(plan?.steps[2]).toMatchObject({
      on_error: 'stop',
      inputs: { security_report: { expression: { root: 'step:0.output' } } },
    });
  });

  it('parallel-scan starts its group at once, and the report after it', () => {
    const { plan } = compile('parallel-scan');
    expect(plan?.groups).toEqual({ scanners: [0, 1, 2] });
    expect(plan?.steps.map(({ needs }) => needs.map(({ step }) => step))).toEqual([[], [], [], [0, 1, 2]]);
    expect(plan?.steps[3]).toMatchObject({
      inputs: { reports: { expression: { root: 'group:scanners.outputs', path: [] } } },
    });
  });

  it('run-restaurant nests four workflows, and asks for what serve-customers needs', () => {
    const { plan, problems } = compile('run-restaurant');
    expect(problems).toEqual([]);
    expect(plan?.steps.map((step) => step.kind === 'workflow' && step.workflow)).toEqual([
      'accounting',
      'purchasing',
      'serve-customers',
      'cleaning',
    ]);
    expect(Object.keys(plan?.inputs ?? {})).toEqual(['channel']);
  });

  it('an agent keeps its program, limits and prompt', () => {
    const [agent] = Object.values(compileIn(SEED, '.glee/agents/security-scanner.yml').plan?.agents ?? {});
    expect(agent).toMatchObject({
      name: 'security-scanner',
      program: 'codex',
      max_output_kb: 50,
      prompt: { value: expect.stringContaining('SQL injection') },
    });
  });

  it('an imported agent keeps where it comes from in its file, and out of the Plan', () => {
    const { plan, problems } = compileIn(SEED, '.glee/agents/security-reviewer.yml');
    expect(problems).toEqual([]);
    expect(JSON.stringify(plan)).not.toContain('imported_at');
  });

  it('the override with a default takes the reader out of the dependents', () => {
    const plan = planOf(
      'steps:\n  - agent: scanner\n    on_error: continue    # continue | stop | skip_dependents (default: ' +
        'stop)\n\n  - agent: reporter\n' +
        ('    inputs:\n      # Handle potential missing output from previous step\n      security_report: ' +
          '${steps[0].output ?? "No security scan available"}\n'),
    );
    expect(plan.steps[1]?.needs).toEqual([{ step: 0, skip: false }]);
    expect(plan.steps[1]).toMatchObject({
      inputs: { security_report: { expression: { kind: 'coalesce', right: { value: 'No security scan available' } } } },
    });
  });

  it('.glee/config.yml supplies the limits', () => {
    const { config, problems } = loadConfig(findProject(SEED));
    expect(problems).toEqual([]);
    expect(config.workflows?.budgets?.max_cost_usd).toBe(5);
  });
});
