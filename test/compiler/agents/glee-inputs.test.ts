import { describe, expect, it } from 'vitest';
import type { InputSpec } from '../../../src/plan/step.js';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const SCANNER = `name: security-scanner
description: Scan code for security vulnerabilities
agent: claude
timeout_mins: 5
max_output_kb: 50
prompt: |
  Look at \${target_file} at level \${depth}.
inputs:
`;

/** The inputs of Glee's own agent, whose declaration is one line. */
function declared(line: string): InputSpec | undefined {
  const root = createProject({ '.glee/agents/security-scanner.yml': `${SCANNER}  ${line}\n` });
  const { plan, problems } = compileIn(root, '.glee/agents/security-scanner.yml');
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  return Object.values(plan?.agents ?? {})[0]?.inputs['target_file'];
}

const WORKFLOW = (inputs: string): string =>
  `name: scan\nsteps:\n  - agent: security-scanner\n    inputs: {${inputs}}\nexecution: sequential\n`;

function problemsOf(declaration: string, inputs: string, folder = '.glee'): string[] {
  const root = createProject({
    [`${folder}/agents/security-scanner.yml`]: `${SCANNER}  ${declaration}\n`,
    '.glee/workflows/scan.yml': WORKFLOW(inputs),
  });
  const { problems } = compileIn(root, '.glee/workflows/scan.yml');
  return problems.map(({ severity, code }) => `${severity} ${code}`);
}

// As Glee has it: an input is wanted where it says so; a default takes its place; else its name stays in the prompt.
describe('inputs of agents of Glee', () => {
  it.each<[string, Partial<InputSpec>]>([
    ['- {name: target_file, type: string, description: The file}', { type: 'string', required: false }],
    ['- {name: target_file, type: string, required: true}', { required: true }],
    ['- {name: target_file, type: string, required: false}', { required: false }],
    ['- {name: target_file, type: string, default: src}', { required: false, default: 'src' }],
    ['- {name: target_file, required: true, default: src}', { required: false, default: 'src' }],
    ['- target_file', { type: 'any', required: false }],
    ['target_file: {type: string}', { type: 'string', required: false }],
    ['target_file:', { required: false }],
  ])('are declared by %s', (line, expected) => {
    expect(declared(line)).toMatchObject(expected);
  });

  it.each([
    ['- {name: target_file, type: string}', 'depth: deep', ['warning unknown-variable']],
    [
      '- {name: target_file, type: string, required: true}',
      'depth: deep',
      ['warning unknown-variable', 'error missing-input'],
    ],
    ['- {name: target_file, type: string, default: src}', 'depth: deep', []],
    ['- {name: target_file, type: string}', 'target_file: a.py, depth: deep', []],
  ])('%s, given {%s}', (declaration, inputs, expected) => {
    expect(problemsOf(declaration, inputs).sort()).toEqual(expected.sort());
  });

  it('are wanted in an agent of ours that says nothing, as before', () => {
    const line = '- {name: target_file, type: string}';
    expect(problemsOf(line, 'depth: deep', 'definitions')).toContain('error missing-input');
  });
});
