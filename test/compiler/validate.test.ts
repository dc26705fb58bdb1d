import { describe, expect, it } from 'vitest';
import { printProblems } from '../../src/compiler/print-problems.js';
import { packageRoot } from '../../src/compiler/read.js';
import { validatePaths } from '../../src/compiler/validate.js';
import { brief, createProject } from './temporary-project.js';

const AGENT = 'name: security-scanner\nprompt: Scan.\n';

describe('validatePaths', () => {
  it('finds nothing wrong with what is shipped', () => {
    expect(validatePaths(['definitions'], packageRoot()).problems).toEqual([]);
  });

  it('looks through folders, and says how many files it saw', () => {
    const root = createProject({
      'definitions/workflows/one.yml': 'steps:\n  - agent: securty-scanner\n', 'definitions/agents/security-scanner.yml': AGENT,
      'definitions/invalid/x.yml': 'x', 'node_modules/x/definitions/y.yml': 'y', 'notes.md': '# Notes',
    });
    const { files, problems } = validatePaths(['.'], root);
    expect(files).toBe(2);
    expect(problems.map(brief)).toEqual(['2:12 unknown-agent']);
  });

  it('reports a problem of a shared file once', () => {
    const root = createProject({ 'a.yml': 'steps:\n  - workflow: ./c.yml\n', 'b.yml': 'steps:\n  - workflow: ./c.yml\n', 'c.yml': 'steps:\n  - agent: nobody\n' });
    expect(validatePaths(['a.yml', 'b.yml', 'c.yml'], root).problems).toHaveLength(1);
  });

  it('reports a path that is not there, and the configuration', () => {
    const root = createProject({ 'perdure.yml': 'modles: {}\n' });
    expect(validatePaths(['nope.yml'], root).problems.map(brief)).toEqual(['1:1 unreadable-file', '1:1 unknown-key']);
  });
});

describe('printProblems', () => {
  const print = (text: string, color = false): string => {
    const root = createProject({ 'definitions/workflows/full-review.yml': text, 'definitions/agents/security-scanner.yml': AGENT });
    const { files, problems, sources } = validatePaths(['definitions'], root);
    return printProblems(problems, sources, { files, color });
  };

  it('shows place, code, message, line, caret and the mend', () => {
    expect(print('steps:\n  - agent: securty-scanner\n')).toBe(
      [
        'definitions/workflows/full-review.yml:2:12  unknown-agent  There is no agent `securty-scanner`.',
        '   2 |   - agent: securty-scanner',
        '     |            ^^^^^^^^^^^^^^^ did you mean `security-scanner`?',
        '',
        '1 problem in 1 of 2 files',
        '',
      ].join('\n'),
    );
  });

  it('shows a long line around its caret', () => {
    const printed = print(`steps:\n  - {agent: security-scanner, prompt: "${'x'.repeat(500)} \${steps.nope.output}"}\n`);
    const [, line = '', caret = ''] = printed.split('\n');
    expect(line.length).toBeLessThan(120);
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('steps.nope.output');
  });

  it('sends no control character to a terminal', () => {
    expect(print('steps:\n  - agent: "\\e[31m\u202e"\n')).toContain('\\u{202e}');
    expect(print('steps:\n  - agent: "a\u001b[31mb"\n')).toContain('a␛[31mb');
  });

  it('colours only when asked', () => {
    const text = 'steps:\n  - agent: nobody\n';
    expect(print(text)).not.toContain('\x1b[');
    expect(print(text, true)).toContain('\x1b[31munknown-agent');
  });

  it('counts problems and warnings apart', () => {
    expect(print('inputs: {x: {}}\nsteps:\n  - {agent: security-scanner, when: "yes"}\n')).toContain('1 problem and 1 warning in 1 of 2 files');
    expect(print('steps:\n  - agent: security-scanner\n')).toBe('No problems in 2 files\n');
  });
});
