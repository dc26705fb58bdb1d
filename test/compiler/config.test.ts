import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/compiler/config.js';
import { findProject } from '../../src/compiler/project.js';
import { brief, createProject } from './temporary-project.js';

function load(own: string, glee?: string) {
  const files = glee === undefined ? { 'perdure.yml': own } : { 'perdure.yml': own, '.glee/config.yml': glee };
  const { config, problems } = loadConfig(findProject(createProject(files)));
  return { config, problems: problems.map((problem) => `${problem.file} ${brief(problem)} ${problem.severity}`) };
}

describe('perdure.yml', () => {
  it.each(['', '# only a comment\n', '{}'])('may say nothing: %j', (text) => {
    expect(load(text)).toEqual({ config: {}, problems: [] });
  });

  it('is strict', () => {
    expect(load('workflow: {}\nmodels: {defualt: sonnet}\n').problems).toEqual(['perdure.yml 1:1 unknown-key error', 'perdure.yml 2:10 unknown-key error']);
  });

  it('refuses what this version does not do, so that nobody relies on it', () => {
    expect(load('approvals: {require_token: true}\n').problems).toEqual(['perdure.yml 1:1 unsupported-key error']);
  });

  it('takes keys of providers as references only', () => {
    expect(load('providers: {anthropic: {key: "${env.KEY}"}}\n').problems).toEqual([]);
    expect(load('providers: {anthropic: {key: sk-ant-123}}\n').problems).toEqual(['perdure.yml 1:30 invalid-value error']);
  });

  it('is supplemented by .glee/config.yml, whose unknown keys are warnings', () => {
    const { config, problems } = load('workflows: {max_depth: 3, budgets: {max_steps: 5}}\n', 'theme: dark\nworkflows: {max_depth: 9, budgets: {max_steps: 9, max_parallel: 2}}\n');
    expect(config).toEqual({ workflows: { max_depth: 3, budgets: { max_steps: 5, max_parallel: 2 } } });
    expect(problems).toEqual(['.glee/config.yml 1:1 unknown-key warning']);
  });

  it('never shows a value that may be a secret', () => {
    const { problems, sources } = loadConfig(findProject(createProject({ 'perdure.yml': 'providers: {anthropic: {key: sk-ant-123}}\n' })));
    expect(JSON.stringify([problems, [...sources]])).not.toContain('sk-ant-123');
  });
});

describe('findProject', () => {
  it('takes the nearest folder upwards with perdure.yml, then with .git', () => {
    const root = createProject({ '.git/HEAD': '', 'a/perdure.yml': '', 'a/b/c.yml': '', 'd/e.yml': '' });
    expect(findProject(join(root, 'a/b'))).toEqual({ root: join(root, 'a'), stateDir: join(root, 'a/.perdure'), configFile: join(root, 'a/perdure.yml') });
    expect(findProject(join(root, 'd')).root).toBe(root);
  });
});
