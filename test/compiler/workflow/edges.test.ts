import { describe, expect, it } from 'vitest';
import { planOf, problemsOf } from '../helpers/temporary-project.js';

/**
 * Steps in short: `g:x r:0,1 n:0 a:0`, meaning group x, references to 0 and 1, needs 0, after 0; `?1` has a default,
 * `~1` reads the status.
 */
function workflow(mode: string, steps: string[]): string {
  const lines = steps.map((step) => {
    const words = step.split(' ').filter((word) => word !== '');
    const pick = (key: string): string[] =>
      words.flatMap((word) => (word.startsWith(`${key}:`) ? word.slice(2).split(',') : []));
    const group = pick('g')
      .map((name) => `parallel_group: ${name}, `)
      .join('');
    const named = (key: string, short: string): string =>
      pick(short).length === 0 ? '' : `${key}: [${pick(short).join(', ')}], `;
    const needs = named('needs', 'n') + named('after', 'a');
    const uses = [
      ...pick('r').map((target) => `\${steps[${target}].output}`),
      ...pick('?').map((target) => `\${steps[${target}].output ?? 'none'}`),
      ...pick('~').map((target) => `\${steps[${target}].status}`),
      ...pick('p').map((name) => `\${parallel_group.${name}.outputs}`),
    ];
    return `  - {${group}${needs}command: [echo, "${uses.join(' ')}"]}`;
  });
  return `execution: ${mode}\nsteps:\n${lines.join('\n')}\n`;
}

/** Edges in short: `0! 1` is a need of 0 with `skip` and one of 1 without. */
function edges(mode: string, steps: string[]): string[] {
  return planOf(workflow(mode, steps)).steps.map(({ needs }) =>
    needs.map(({ step, skip }) => `${step}${skip ? '!' : ''}`).join(' '),
  );
}

describe('edges', () => {
  it.each([
    // mode, steps, edges
    ['sequential', ['', '', ''], ['', '0', '1']],
    ['sequential', ['', '', 'r:0'], ['', '0', '0! 1']],
    ['sequential', ['', 'r:0'], ['', '0!']],
    ['sequential', ['', '?:0'], ['', '0']],
    ['sequential', ['', '', '~:0'], ['', '0', '0 1']],
    ['sequential', ['', '', 'n:0'], ['', '0', '0! 1']],
    ['sequential', ['g:x', 'g:x', 'p:x'], ['', '0', '0 1']],
    ['parallel', ['', '', ''], ['', '', '']],
    ['parallel', ['', '', 'r:0'], ['', '', '0!']],
    ['parallel', ['g:x', 'g:x', ''], ['', '', '0 1']],
    ['parallel', ['g:x', 'g:x', 'p:x'], ['', '', '0 1']],
    ['parallel', ['', 'g:x', 'g:x', ''], ['', '0', '0', '1 2']],
    ['parallel', ['', '', 'g:x', 'g:x', '', ''], ['', '', '0 1', '0 1', '2 3', '4']],
    ['parallel', ['g:x', 'g:x', 'g:y', 'g:y', ''], ['', '', '0 1', '0 1', '2 3']],
    ['parallel', ['g:x', '', 'g:x', ''], ['', '0', '', '1 2']],
    ['parallel', ['g:x', 'g:y', 'g:x', 'g:y', ''], ['', '0', '', '0', '1 2 3']],
    ['parallel', ['g:x', 'g:x r:0'], ['', '0!']],
    ['parallel', ['g:x', 'g:x', 'r:1'], ['', '', '0 1!']],
    ['dag', ['', '', ''], ['', '', '']],
    ['dag', ['', 'n:0', 'n:0', 'n:1,2'], ['', '0!', '0!', '1! 2!']],
    ['dag', ['r:2', '', 'r:1'], ['2!', '', '1!']],
    ['dag', ['', '', '?:0 r:1'], ['', '', '0 1!']],
    ['dag', ['', '?:0 r:0'], ['', '0!']],
    ['dag', ['', '?:0 ~:0'], ['', '0']],
    ['dag', ['', 'n:0 ?:0'], ['', '0!']],
    ['dag', ['', '', 'n:0 ?:1'], ['', '', '0! 1']],
    ['dag', ['', 'a:0', 'a:0,1'], ['', '0', '0 1']],
    ['dag', ['', 'a:0 n:0', 'a:0 ?:1'], ['', '0!', '0 1']],
    ['sequential', ['', '', 'a:0'], ['', '0', '0 1']],
    ['dag', ['g:x', 'g:x', 'p:x'], ['', '', '0 1']],
    ['dag', ['g:x', 'g:x', 'p:x r:0'], ['', '', '0! 1']],
  ])('of %s %j are %j', (mode, steps, expected) => {
    expect(edges(mode, steps)).toEqual(expected);
  });

  it('counts a default only for what stands before it', () => {
    const text =
      'execution: dag\nsteps:\n  - {command: [a]}\n  - {command: [b]}\n  - {command: [c, "${steps[0].output ?? ' +
      'steps[1].output}"]}\n';
    expect(planOf(text).steps[2]?.needs).toEqual([
      { step: 0, skip: false },
      { step: 1, skip: true },
    ]);
  });

  it('sees references in every place that may hold one', () => {
    const text = [
      'execution: dag',
      'steps:',
      '  - {id: a, command: [a]}',
      '  - {command: [b], env: {X: "${steps.a.output}"}}',
      '  - {command: [b], stdin: "${steps.a.output}"}',
      '  - {command: [b], cwd: "${steps.a.output}"}',
      '  - {command: [b], when: "${steps.a.output == 1}"}',
      '  - {agent: scanner, prompt: "${steps.a.output}"}',
      '  - {agent: scanner, inputs: {x: {y: ["${steps.a.output}"]}}}',
      '  - {agent: scanner, rehearsal: "${steps.a.output}"}',
      '  - {approval: "${steps.a.output}"}',
      '  - {approval: Go?, content: "${steps.a.output}"}',
      '  - {approval: {message: "${steps.a.output}"}}',
    ].join('\n');
    for (const step of planOf(text).steps.slice(1)) expect(step.needs).toEqual([{ step: 0, skip: true }]);
  });

  it.each([
    ['sequential', ['r:1', ''], 'forward-reference'],
    ['sequential', ['r:0'], 'forward-reference'],
    ['sequential', ['n:1', ''], 'forward-reference'],
    ['parallel', ['r:1', ''], 'forward-reference'],
    ['parallel', ['p:x', 'g:x'], 'forward-reference'],
    ['parallel', ['g:x', 'g:x p:x'], 'forward-reference'],
    ['dag', ['r:1', 'r:0'], 'step-cycle'],
    ['dag', ['r:0'], 'step-cycle'],
    ['dag', ['n:0'], 'step-cycle'],
    ['dag', ['a:1', 'n:0'], 'step-cycle'],
    ['sequential', ['a:1', ''], 'forward-reference'],
    ['dag', ['g:x', 'g:x p:x'], 'step-cycle'],
    ['dag', ['n:2', 'n:0', 'n:1'], 'step-cycle'],
  ])('of %s %j are refused: %s', (mode, steps, code) => {
    const codes = problemsOf(workflow(mode, steps)).map((problem) => problem.split(' ')[1]);
    expect(codes).toEqual([code]);
  });

  it('of 2,000 steps after a group are few, and quickly made', () => {
    const steps = ['g:x', 'g:x', ...Array.from({ length: 2000 }, () => '')];
    expect(edges('parallel', steps).slice(0, 5)).toEqual(['', '', '0 1', '2', '3']);
  });

  it.each([
    ['sequential', 'stop'],
    ['parallel', 'continue'],
    ['dag', 'skip_dependents'],
  ])('and the failure rule of %s is %s, unless a step says otherwise', (mode, rule) => {
    const plan = planOf(
      `execution: ${mode}\nsteps:\n  - {command: [a]}\n  - {command: [b], on_error: stop}\n  - {command: [b], ` +
        `on_error: continue}\n`,
    );
    expect(plan.steps.map(({ on_error }) => on_error)).toEqual([rule, 'stop', 'continue']);
  });
});
