import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printProblems } from '../../src/compiler/problems/print-problems.js';
import { packageRoot } from '../../src/compiler/text/disk.js';
import { validatePaths } from '../../src/compiler/validate.js';
import { brief, compileIn, createProject } from './helpers/temporary-project.js';

const AGENT = 'name: security-scanner\nprompt: Scan.\n';

/** Root may read everything: the work is done as a user who may not. */
function asNobody<T>(work: () => T): T {
  const me = process.geteuid?.() ?? 0;
  if (me !== 0) return work();
  process.seteuid?.(65534);
  try {
    return work();
  } finally {
    process.seteuid?.(me);
  }
}

describe('validatePaths', () => {
  it('finds nothing wrong with what is shipped', () => {
    // The shipped projects have toolsets, which this version warns that it does not run. One build has every key.
    const { problems } = validatePaths(['definitions'], packageRoot());
    expect(
      problems.filter(
        ({ code, file }) =>
          code !== 'unsupported-key' ||
          !(file.startsWith('definitions/projects/') || file === 'definitions/builds/every-key.yml'),
      ),
    ).toEqual([]);
  });

  it('looks through folders, and says how many files it saw', () => {
    const root = createProject({
      'definitions/workflows/one.yml': 'steps:\n  - agent: securty-scanner\n',
      'definitions/agents/security-scanner.yml': AGENT,
      'definitions/invalid/x.yml': 'x',
      'node_modules/x/definitions/y.yml': 'y',
      'notes.md': '# Notes',
    });
    const { files, problems } = validatePaths(['.'], root);
    expect(files).toBe(2);
    expect(problems.map(brief)).toEqual(['2:12 unknown-agent']);
  });

  it('reports a folder that it cannot read, and all that is in it', () => {
    const root = createProject({ 'd/ok.yml': 'steps:\n  - command: [ls]\n', 'd/shut/b.yml': 'steps: 3\n' });
    chmodSync(root, 0o755);
    chmodSync(join(root, 'd/shut'), 0o000);
    const { files, problems } = asNobody(() => validatePaths(['d'], root));
    chmodSync(join(root, 'd/shut'), 0o700); // Who is no root could not remove it.
    expect({ files, problems }).toMatchObject({ files: 2, problems: [{ code: 'unreadable-file', file: 'd/shut' }] });
  });

  it('reports a problem of a shared file once', () => {
    const root = createProject({
      'a.yml': 'steps:\n  - workflow: ./c.yml\n',
      'b.yml': 'steps:\n  - workflow: ./c.yml\n',
      'c.yml': 'steps:\n  - agent: nobody\n',
    });
    expect(validatePaths(['a.yml', 'b.yml', 'c.yml'], root).problems).toHaveLength(1);
  });

  it.each(['hullo.yml', 'hello.yaml', './hello', './helo'])(
    'names the file beside `%s`, which is not there',
    (file) => {
      const root = createProject({ 'hello.yml': 'steps: []\n' });
      expect(validatePaths([file], root).problems).toMatchObject([
        { code: 'unreadable-file', suggestion: 'did you mean `hello.yml`?' },
      ]);
      expect(validatePaths(['elsewhere.yml'], root).problems).toMatchObject([
        { code: 'unreadable-file', suggestion: null },
      ]);
    },
  );

  it.each([
    ['a file of another name in one letter', 'a.yml', { 'b.yml': '' }, null],
    ['a short name with another ending', 'a.yaml', { 'a.yml': '', 'b.yaml': '' }, 'a.yml'],
    ['a folder', 'hello.yml', { 'hello/x.yml': '' }, null],
    ['an ending in common, and little else', 'none.yml', { 'home.yml': '' }, null],
    [
      'the same name with another ending before a near one',
      'hello.yaml',
      { 'hallo.yaml': '', 'hello.yml': '' },
      'hello.yml',
    ],
  ])('takes %s for what it is', (_, file, files, meant) => {
    const { problems } = validatePaths([file], createProject(files));
    expect(problems).toMatchObject([
      { code: 'unreadable-file', suggestion: meant === null ? null : `did you mean \`${meant}\`?` },
    ]);
  });

  it('reports a path that is not there, and the configuration', () => {
    const root = createProject({ 'perdure.yml': 'modles: {}\n' });
    expect(validatePaths(['nope.yml'], root).problems.map(brief)).toEqual(['1:1 unreadable-file', '1:1 unknown-key']);
  });
});

describe('printProblems', () => {
  const print = (text: string, color = false): string => {
    const root = createProject({
      'definitions/workflows/full-review.yml': text,
      'definitions/agents/security-scanner.yml': AGENT,
    });
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
    const printed = print(
      `steps:\n  - {agent: security-scanner, prompt: "${'x'.repeat(500)} \${steps.nope.output}"}\n`,
    );
    const [, line = '', caret = ''] = printed.split('\n');
    expect(line.length).toBeLessThan(120);
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('steps.nope.output');
  });

  it('sends no control character to a terminal', () => {
    expect(print('steps:\n  - agent: "\\e[31m\u202e"\n')).toContain('\\u{202e}');
    expect(print('steps:\n  - agent: "a\u001b[31mb"\n')).toContain('a\\u{1b}[31mb');
  });

  it('colours only when asked', () => {
    const text = 'steps:\n  - agent: nobody\n';
    expect(print(text)).not.toContain('\x1b[');
    expect(print(text, true)).toContain('\x1b[31munknown-agent');
  });

  it('counts problems and warnings apart', () => {
    expect(print('inputs: {x: {}}\nsteps:\n  - {agent: security-scanner, when: "yes"}\n')).toContain(
      '1 problem and 1 warning in 1 of 2 files',
    );
    expect(print('steps:\n  - agent: security-scanner\n')).toBe('No problems in 2 files\n');
  });
});

describe('a definition that is named on the command line', () => {
  const files = {
    'definitions/workflows/full-review.yml': 'steps:\n  - agent: Explore\n',
    'definitions/flows/fix-tests.flow': 'Explore:"x"\n',
    'hello.yml': 'steps: []\n',
  };

  it.each([
    ['full-reviw', 'did you mean `full-review`?'],
    ['fixtests', 'did you mean `fix-tests`?'],
    ['code-reviwer', 'did you mean `code-reviewer`?'],
    ['hello', 'did you mean `hello.yml`?'],
    ['zzzzzzzzzz', 'there are `full-review`, `fix-tests`'],
  ])('and is not there is told with what may be meant: `%s`', (name, suggestion) => {
    expect(compileIn(createProject(files), name).problems).toMatchObject([
      { code: 'unknown-workflow', message: `There is no definition and no file \`${name}\`.`, suggestion },
    ]);
  });

  it.each<[Record<string, string>]>([
    [{ 'workflows/a.yml': 'name: z\n', 'workflows/b.yml': 'name: z\n', 'agents/z.yml': 'prompt: x' }],
    [{ 'workflows/z.yml': '', 'workflows/z.yaml': '' }],
    [{ 'agents/z.md': '---\nname: z\n---\nx', 'agents/z.yml': 'prompt: x' }],
  ])('and is the name of two files of one folder is refused, with both', (written) => {
    const steps = (file: string, text: string): string =>
      file.startsWith('workflows') ? `${text}steps: [{command: [a]}]\n` : text;
    const root = createProject(
      Object.fromEntries(Object.entries(written).map(([file, text]) => [`definitions/${file}`, steps(file, text)])),
    );
    const { plan, problems } = compileIn(root, 'z');
    expect([plan, problems.map(({ code }) => code)]).toEqual([null, ['duplicate-name']]);
    const [first, second] = Object.keys(written)
      .sort()
      .filter((_, index, all) => index >= all.length - 2);
    for (const file of [first, second]) expect(problems[0]?.message).toContain(`\`definitions/${file}\``);
  });

  it('means a workflow before a flow, and both before an agent', () => {
    const root = createProject({
      'definitions/agents/z.yml': 'prompt: x',
      'definitions/flows/z.flow': 'Explore:"x"\n',
      'definitions/workflows/z.yml': 'steps: [{command: [a]}]\n',
    });
    expect(compileIn(root, 'z').file).toBe(join(root, 'definitions/workflows/z.yml'));
  });
});
