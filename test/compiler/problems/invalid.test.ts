import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compileDefinition } from '../../../src/compiler/compile.js';
import { loadConfig } from '../../../src/compiler/project/config.js';
import { PROBLEM_CODES } from '../../../src/compiler/problems/problem.js';
import { findProject } from '../../../src/compiler/project/project.js';
import { packageRoot } from '../../../src/compiler/text/disk.js';

const FOLDER = join(packageRoot(), 'definitions', 'invalid');
const examples = readdirSync(FOLDER).map((entry) => ({ code: entry.replace(/\.\w+$/, ''), path: join(FOLDER, entry) }));

describe('definitions/invalid', () => {
  it.each(examples)('has exactly the problem $code', ({ code, path }) => {
    const file = statSync(path).isDirectory() ? join(path, 'main.yml') : path;
    const project = findProject(join(file, '..'));
    const { problems, plan } = compileDefinition({ file, cwd: FOLDER, project, config: loadConfig(project).config });
    expect(problems.map((problem) => problem.code)).toEqual([code]);
    expect(plan === null).toBe(problems[0]?.severity === 'error');
  });

  it('has one example for every code', () => {
    expect(examples.map(({ code }) => code).sort()).toEqual(Object.keys(PROBLEM_CODES).sort());
  });

  it('has one row in docs/problems.md for every code', () => {
    const rows = readFileSync(join(packageRoot(), 'docs', 'problems.md'), 'utf8').matchAll(/^\| `([a-z-]+)`/gm);
    expect([...rows].map(([, code]) => code).sort()).toEqual(Object.keys(PROBLEM_CODES).sort());
  });
});
