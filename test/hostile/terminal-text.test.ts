// @seconds 25
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ModelEndpoint } from '../fakes/model-endpoint.js';
import { startModelEndpoint } from '../fakes/model-endpoint.js';
import type { Project } from '../faults/project.js';
import { openProject } from '../faults/project.js';
import { onTerminal } from './on-terminal.js';

/** What a model may say to a terminal: each would act there, or hide something from who looks. */
const ATTACKS = [
  '\u001b]0;EVIL-TITLE\u0007',
  '\u001b]52;c;RVZJTA==\u0007',
  '\u001b]8;;http://evil.example\u001b\\EVIL-LINK\u001b]8;;\u001b\\',
  '\u001b[2J\u001b[H',
  '\u001b[31;5mEVIL-RED\u001b[0m',
  '\u001bPq#0EVIL\u001b\\',
  '\u001b_EVIL\u001b\\',
  '\u009b2J',
  '\u009d0;EVIL\u009c',
  '\u0090EVIL\u009c',
  '\u001bc',
  'good\rEVIL',
  'a\bb',
  '\u0007',
  '\u202eLIVE\u202c',
  '\u2066x\u2069',
  'zero\u200bwidth',
  '\u007f',
  '\u0000',
  'tag\u{e0041}\u{e0042}s',
  'sel\ufe0fector',
  'fill\u3164er',
  `e${'\u0301'.repeat(9)}`,
];
const SAYS = `first line\n${ATTACKS.join('\n')}\n\u001b]0;unfinished\nlast line of the answer`;
const WORKFLOW = `name: evil
steps:
  - id: says
    agent: general-purpose
    prompt: Say something.
  - id: prints
    command: [printf, "%b", '\\033]0;EVIL-TITLE\\007\\033[2J\\0302\\0233 2Jprinted\\n']
  - id: ok
    approval: "Take \${steps.says.output}?"
    content: "\${steps.says.output}\${steps.prints.output}"
  - id: fails
    command: [sh, -c, "printf '%s' \\"$0\\" >&2; exit 3", "\${steps.ok.output}"]
    on_error: continue
output: "\${steps.ok.output}"
`;

let endpoint: ModelEndpoint;
let project: Project;
beforeAll(async () => {
  endpoint = await startModelEndpoint(() => ({ text: SAYS }));
  project = await openProject(
    { 'evil.yml': WORKFLOW },
    { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url },
  );
  expect((await project.run('run', 'evil.yml', '--id', 'evil', '--no-wait')).code).toBe(4);
});
afterAll(async () => {
  await project.close();
  await endpoint.close();
});

/**
 * What our own screen uses: colours and styles, cursor up, line erasure, cursor visibility, autowrap, bracketed paste.
 */
// eslint-disable-next-line no-control-regex -- these characters are what is looked for
const OURS = /\u001b\[(?:(?:0|1|2|22|3[1-69])?m|\d*[ABCDGJK]|\?(?:25|7|2004|2026)[hl])|\r\n/g;

/** What must not be there: controls, invisible and directing characters, and marks that pile up. */
const HARMFUL = new RegExp(
  String.raw`(?!\r)[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u202a-\u202e\u2066-\u2069\u3164\u{e0000}-\u{e0fff}]` +
    String.raw`|[a-z]\ufe0f|\p{M}{5}`,
  'gu',
);
// eslint-disable-next-line no-control-regex -- these characters are what the attacks are made of
const ACTING = /\u001b\[(?:2J|H|31;5m)|EVIL-TITLE\u0007/;

/** Nothing of the attacks has reached the terminal as more than text. */
function expectHarmless(bytes: string): void {
  const rest = bytes.replace(/\^C/g, '').replace(OURS, '');
  expect(rest.match(HARMFUL) ?? []).toEqual([]);
  expect(bytes).not.toMatch(ACTING);
  expect(rest).not.toMatch(/good\rEVIL/);
}

describe('text of models and commands on a terminal', () => {
  it('is shown, while a gate asks, without a sequence that acts, and to its last line', async () => {
    const { bytes } = await onTerminal(
      project,
      ['watch', 'evil'],
      [
        ['later ', 'o'],
        ['later ', '\u0003'],
      ],
    );
    expectHarmless(bytes);
    expect(bytes).toContain('last line of the answer');
  });

  it('is shown with all that is in it, with `--no-wait`, in `show`, and in logs to a pipe', async () => {
    const watched = await project.run('watch', 'evil', '--no-wait');
    const shown = await project.run('show', 'evil');
    const logs = await project.run('logs', 'evil', 'says');
    for (const text of [watched.stderr, shown.stdout, logs.stdout]) {
      expect(text).toContain('tag\\u{e0041}\\u{e0042}s');
      expect(text).toContain('zero\\u{200b}width');
      expect(text).toContain('last line of the answer');
      expectHarmless(text);
    }
  });

  it.each([
    'show evil',
    'list',
    'list --waiting',
    'logs evil',
    'show evil --json',
    'list --waiting --json',
    'logs evil --json',
    'watch evil --no-wait --json',
  ])('is harmless in `%s` of a run that waits', async (line) => {
    const { bytes } = await onTerminal(project, line.split(' '));
    expect(bytes).not.toBe('');
    expectHarmless(bytes);
  });

  it('is harmless at the end of a run and after it, in the result, in failures and in notes', async () => {
    expect((await project.run('approve', 'evil', '--comment', SAYS.replace('\0', ''), '--as', 'ana')).code).toBe(0);
    for (const args of [
      ['watch', 'evil'],
      ['show', 'evil'],
      ['show', 'evil', '--json'],
      ['logs', 'evil'],
      ['logs', 'evil', 'fails'],
      ['list'],
    ]) {
      const { bytes } = await onTerminal(project, args);
      expect(bytes).not.toBe('');
      expectHarmless(bytes);
    }
  });

  it('is kept byte for byte in JSON, and for other programs', async () => {
    const shown = await project.run('show', 'evil', '--json');
    const { steps } = JSON.parse(shown.stdout) as { steps: { output: string }[] };
    expect(steps[0]?.output).toBe(SAYS);
    expect((await project.run('watch', 'evil')).stdout.startsWith(SAYS)).toBe(true);
  });

  it('never gets into ids: names with control characters are refused before anything starts', async () => {
    const id = 'x\u001b[31m';
    const files = [
      'name: "a\\e[31m"\nsteps:\n  - command: [x]\n',
      'steps:\n  - id: "a\\e[31m"\n    command: [x]\n',
      'steps:\n  - agent: "a\\e]0;x\\a"\n',
      'steps:\n  - workflow: "a\\u202eb"\n',
    ];
    for (const text of files) {
      const other = await openProject({ 'x.yml': text });
      const { code, stderr } = await other.run('run', 'x.yml');
      expect(code).toBe(2);
      expectHarmless(stderr);
      expect((await other.run('run', 'x.yml', '--json')).stdout).not.toContain('\u001b');
      await other.close();
    }
    for (const args of [
      ['run', 'evil.yml', '--id', id],
      ['run', 'evil.yml', '--as', id],
      ['run', id],
      ['show', id],
      ['logs', 'evil', id],
      ['approve', `evil/${id}`],
      ['cancel', id],
      ['watch', id],
      [id],
    ]) {
      const { code, stdout, stderr } = await project.run(...args);
      expect([1, 2], args.join(' ')).toContain(code);
      expectHarmless(stdout + stderr);
    }
  });
});
