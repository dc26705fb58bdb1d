import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { imported, stepOf } from './helpers/imported.js';

const recipe = (more: string): string => `version: 1.0.0\ntitle: Check It\ndescription: Checks.\n${more}`;

describe('recipes of goose', () => {
  it('are a workflow with one agent, and parameters are its inputs', () => {
    const { files, plan, lost } = imported({
      'r.yaml': recipe(
        'instructions: You check.\nprompt: "Check {{ file }} \\\\{{ n }}, ${x}."\nparameters:\n' +
          '  - {key: file, input_type: string, requirement: required, description: The file.}\n' +
          '  - {key: n, input_type: number, requirement: optional, default: "3"}\n' +
          'extensions: [{type: builtin, name: developer}, {type: stdio, name: gh, cmd: gh}]\n' +
          'settings: {goose_model: claude-sonnet-4-5, max_turns: 7, temperature: 0.1}\nactivities: [x]\n',
      ),
    });
    expect(plan('check-it').inputs).toMatchObject({ file: { type: 'string' }, n: { type: 'number', default: 3 } });
    expect(parse(files['definitions/workflows/check-it.yml'] ?? '')).toMatchObject({
      steps: [{ agent: 'check-it', prompt: "Check ${file} ${'\\\\'}${n}, \\${x}.\n" }],
    });
    expect(parse(files['definitions/agents/check-it.yml'] ?? '')).toMatchObject({
      model: 'claude-sonnet-4-5',
      max_turns: 7,
      prompt: 'You check.\n',
    });
    expect(lost).toEqual({ 'extensions.gh': true, 'settings.temperature': true, version: false, activities: false });
  });

  it('that retry go round until their checks pass, and values stay data', () => {
    const { plan, files } = imported({
      'r.yaml': recipe(
        'prompt: Do it.\nparameters: [{key: file, requirement: required}]\nretry:\n  max_retries: 2\n' +
          '  checks: [{type: shell, command: "test -f {{ file }}"}]\n  on_failure: git checkout .\n',
      ),
    });
    expect(stepOf(plan('check-it'), 'tried')).toMatchObject({ kind: 'loop', max: 3 });
    expect(files['definitions/workflows/check-it.yml']).toMatch(/test -f \\?"\$PARAMETER_FILE/);
  });

  it.each([
    ['instructions: "See {{ nothing }}"\n', 'unknown-variable 4'],
    ['prompt: |\n  {% if x %}y{% endif %}\n', 'unsupported-key 5'],
    ['prompt: x\nsub_recipes: [{name: a, path: b.yaml}]\n', 'unsupported-key 5'],
  ])('with %j are refused', (more, problem) => {
    const { refused, files } = imported({ 'r.yaml': recipe(more) }, 'r.yaml');
    expect([refused[0], files]).toEqual([expect.stringContaining(problem), {}]);
  });
});

const page = (head: string, body: string): Record<string, string> => ({
  '.github/workflows/triage.md': `---\n${head}---\n\n${body}`,
});

describe('agentic workflows of GitHub', () => {
  it('are a workflow with one agent; what GitHub gives are inputs', () => {
    const { files, plan, lost } = imported({
      ...page(
        'on:\n  issues:\n    types: [opened]\npermissions: read-all\n' +
          'engine: {id: claude, model: sonnet, max-turns: 9}\n' +
          'tools:\n  github: {toolsets: [issues]}\n  edit:\n  bash: ["gh issue *", ls]\n' +
          'safe-outputs:\n  add-comment:\n' +
          'timeout-minutes: 10\nimports: [shared/style.md]\n',
        '# Triage\nIssue #${{ github.event.issue.number }}.\n',
      ),
      '.github/workflows/shared/style.md': '---\ntools: {}\n---\nBe kind.\n',
    });
    expect(plan('triage').inputs).toHaveProperty('issue_number');
    expect(parse(files['definitions/workflows/triage.yml'] ?? '')).toMatchObject({
      steps: [{ prompt: 'Be kind.\n\n# Triage\nIssue #${issue_number}.\n', timeout: '10m' }],
    });
    expect(parse(files['definitions/agents/triage.yml'] ?? '')).toMatchObject({
      model: 'sonnet',
      max_turns: 9,
      tools: ['Read', 'Grep', 'Glob', 'Edit', 'Write', 'Bash(gh issue *)', 'Bash(ls *)'],
    });
    expect(lost).toMatchObject({ on: true, permissions: true, 'safe-outputs': true, 'tools.github': true });
  });

  it.each([
    ['on: push\n', 'See ${{ secrets.KEY }}.\n', 'invalid-value 5'],
    ['on: push\n', '{{#if x}}\ny\n{{/if}}\n', 'unsupported-key 5'],
    ['on: push\nimports: [nowhere.md]\n', 'x\n', 'unreadable-file 3'],
    ['on: push\n', '', 'missing-key 2'],
  ])('%j %j are refused with one problem', (head, body, problem) => {
    const { refused, files } = imported(page(head, body));
    expect([refused, files]).toEqual([[expect.stringContaining(problem)], {}]);
  });
});
