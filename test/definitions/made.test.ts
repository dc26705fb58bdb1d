// @module-tag git
// @seconds 20
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ShippedProject } from './shipped-project.js';
import { openShippedProject } from './shipped-project.js';

let project: ShippedProject;
beforeAll(async () => {
  project = await openShippedProject();
});
afterAll(async () => {
  await project.close();
});

const planned = (text: string) => ({
  'You plan work that': () => ({ text }),
  'You review code': () => ({ text: 'No defects.' }),
});
const run = (text: string) => project.run('review-as-planned', ['-i', 'target=adder.js'], planned(text));

describe('review-as-planned', () => {
  it('runs the workflow that an agent made, once it is approved', async () => {
    const { result } = await run(
      'execution: parallel\nsteps:\n  - {id: defects, agent: code-reviewer, prompt: "Look at adder.js: ' +
        '${not.a.reference}"}\n',
    );
    expect(result).toMatchObject({
      status: 'error',
      error: expect.stringContaining('generated/review.yml  Its input `not` is given by nobody.') as string,
    });
    const second = await run(
      'execution: parallel\nsteps:\n  - {id: defects, agent: code-reviewer, prompt: Look at adder.js.}\n',
    );
    expect(second.result).toMatchObject({ status: 'success', output: 'No defects.', spend: { steps: 2 } });
    expect(project.asked('You review code').map(({ prompt }) => prompt)).toEqual([
      expect.stringContaining('Look at adder.js.'),
    ]);
  });

  it.each([
    ['a command', 'steps:\n  - command: [touch, made]\n', 'Expected `agent` steps only, got a `command` step.'],
    ['a workflow', 'steps:\n  - workflow: review-repository\n', 'got a `workflow` step'],
    ['more tools', 'steps:\n  - agent: expert-code-implementer\n', 'which whoever made this may not'],
    [
      'another model',
      'steps:\n  - {agent: code-reviewer, model: claude-opus-9}\n',
      'Expected one of the models of this run',
    ],
  ])('refuses %s, and nothing of it starts', async (_, text, message) => {
    const { result, code } = await run(text);
    expect(code).toBe(1);
    expect(result.error).toContain(message);
    expect(result.spend.steps).toBe(1);
  });

  it('has ten steps, cut out of the budget of the run', async () => {
    const steps = Array.from(
      { length: 11 },
      (_, index) => `  - {id: s${index}, agent: code-reviewer, prompt: Look.}\n`,
    ).join('');
    const { result } = await run(`steps:\n${steps}`);
    expect(result).toMatchObject({
      status: 'error',
      error: expect.stringContaining('all 10 steps are used') as string,
      spend: { steps: 11 },
    });
  });
});
