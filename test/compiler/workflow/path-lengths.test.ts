import { describe, expect, it } from 'vitest';
import { compileIn, createProject } from '../helpers/temporary-project.js';

const LONG = 'x'.repeat(59);

/** A workflow of blocks in each other, whose ids have 62 characters. */
function blocks(depth: number): string {
  const below = (level: number, indent: string): string =>
    level === depth
      ? `${indent}- command: [echo, hi]\n`
      : `${indent}- id: a${String(level).padStart(2, '0')}${LONG}\n${indent}  foreach: [1]\n${indent}  steps:\n` +
        below(level + 1, `${indent}    `) +
        `${indent}- command: [echo, hi]\n`;
  return `steps:\n${below(0, '  ')}`;
}

const found = (files: Record<string, string>, top: string): { code: string; message: string; line: number }[] =>
  compileIn(createProject({ 'perdure.yml': 'workflows: {max_depth: 30}\n', ...files }), top).problems.map(
    ({ code, message, line }) => ({ code, message, line }),
  );

describe('the path of a step', () => {
  it('that is too long to name an activity is a problem, at the outermost of the blocks around it', () => {
    expect(found({ 'deep.yml': blocks(11) }, 'deep.yml')).toEqual([]);
    expect(found({ 'deep.yml': blocks(12) }, 'deep.yml')).toEqual([
      {
        code: 'path-too-long',
        line: 2,
        message: expect.stringMatching(/at most 800 characters, got one of 8\d\d/) as string,
      },
    ]);
  });

  it('counts the workflows that it is nested in, and is told once, where it gets too long', () => {
    const levels = 16;
    const files = Object.fromEntries(
      Array.from({ length: levels }, (_, level) => [
        `n${String(level)}.yml`,
        level === levels - 1
          ? 'steps:\n  - command: [echo, hi]\n'
          : `steps:\n  - id: a${String(level).padStart(2, '0')}${LONG}\n    workflow: ./n${String(level + 1)}.yml\n`,
      ]),
    );
    const [problem, ...others] = found(files, 'n0.yml');
    expect(others).toEqual([]);
    expect(problem?.code).toBe('path-too-long');
    expect(found(files, 'n6.yml')).toEqual([]);
  });

  it('is not the only long name: what a step requires has a bound too', () => {
    const many = (of: string): string =>
      Array.from({ length: 16 }, (_, index) => `${of}${String(index)}${'y'.repeat(36)}`).join(', ');
    const requires = `requires: {labels: [${many('l')}], programs: [${many('p')}]}`;
    const [problem] = found({ 'req.yml': `steps:\n  - command: [echo, hi]\n    ${requires}\n` }, 'req.yml');
    expect(problem).toMatchObject({
      code: 'invalid-value',
      message: expect.stringContaining('800 characters') as string,
    });
  });
});
