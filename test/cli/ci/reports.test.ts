import { spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, readFileSync, readSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { marked } from 'marked';
import { describe, expect, it } from 'vitest';
import { annotations, withoutCommands } from '../../../src/cli/ci/github.js';
import { junitXml } from '../../../src/cli/ci/junit.js';
import { writeJunit } from '../../../src/cli/ci/report.js';
import { summaryOf } from '../../../src/cli/ci/summary.js';
import { commandStep } from '../../plan/helpers/build-plan.js';
import { temporaryFolder } from '../../store/helpers/harness.js';
import { ended, gateStep, runView, stepView } from '../helpers/views.js';

const HOSTILE = 'bad <b>&"\u0000\n::set-env name=X::y\n| a | `b`, 100%';
const view = runView(
  [
    stepView(commandStep(0, ['true'], { id: 'first' }), ended('success', { duration_ms: 1_500 })),
    stepView(commandStep(1, ['false'], { id: 'second' }), ended('error', { error: HOSTILE })),
    stepView(commandStep(2, ['true'], { id: 'third' }), ended('skipped')),
  ],
  { status: 'error', error: HOSTILE, endedAt: 3_000, name: 'check' },
);

describe('the report of a run', () => {
  it("is JUnit's XML with a case for each step, whatever was said", () => {
    const xml = junitXml(view);
    expect(xml).toContain('<testsuites tests="3" failures="1" time="3.000">');
    expect(xml).toContain('<testcase classname="check" name="first" time="1.500"/>');
    expect(xml).toContain('name="second" time="1.000"><failure message="bad &lt;b&gt;&amp;&quot;\\u{0}">');
    expect(xml).toContain('name="third" time="1.000"><skipped/></testcase>');
    // eslint-disable-next-line no-control-regex -- what XML cannot hold
    expect(xml).not.toMatch(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]|<b>/);
  });

  it('has a case for the run itself where none of its steps failed', () => {
    const alone = junitXml(runView([], { status: 'timeout', error: 'too long', endedAt: 1 }));
    expect(alone).toContain('name="run" time="0.000"><failure message="too long">too long</failure>');
  });

  it('tells everywhere why a run came to less than success by none of its steps', () => {
    const steps = [
      stepView(commandStep(0, ['true'], { id: 'first' }), ended('success')),
      stepView(commandStep(1, ['true'], { id: 'second' }), ended('skipped')),
    ];
    const error = 'max_tokens: the next step may take 700 tokens';
    const part = runView(steps, { status: 'partial', error, endedAt: 1, name: 'check' });
    expect(junitXml(part)).toContain(`<testsuites tests="3" failures="1"`);
    expect(junitXml(part)).toContain(`name="run" time="0.000"><failure message="${error}">`);
    expect(summaryOf(part)).toContain(`### \`check\`\n\n    ${error}\n`);
    expect(annotations(part)).toEqual([`::error title=check%3A check::${error}`]);
  });

  it('is one annotation for each step that failed, on one line that says nothing else to GitHub', () => {
    expect(annotations(view)).toEqual([
      '::error title=check%3A second::bad <b>&"\\u{0}%0A::set-env name=X::y%0A| a | `b`, 100%25',
    ]);
    expect(withoutCommands().begin).not.toBe(withoutCommands().begin);
  });

  it('names what failed by itself before what was cut off for it, of which GitHub shows ten', () => {
    const cut = Array.from({ length: 10 }, (_, index) =>
      stepView(
        commandStep(index, ['a'], { id: `cut${index}` }),
        ended('error', { error: 'cancelled: item 10 failed', failure: 'cancelled' }),
      ),
    );
    const cause = stepView(commandStep(10, ['b'], { id: 'cause' }), ended('error', { error: 'exit 1' }));
    const stopped = runView([...cut, cause], { status: 'error', endedAt: 1, name: 'check' });
    expect(annotations(stopped)[0]).toBe('::error title=check%3A cause::exit 1');
    expect(summaryOf(stopped)).toContain('\n\n### `cause`\n\n    exit 1\n\n### `cut0`\n');
  });

  it('names a gate that still waits, where nobody is to decide it', () => {
    const gate = stepView(gateStep(0, 'approve'), { status: 'waiting' });
    const waiting = runView([gate], { status: 'waiting', name: 'check' });
    expect(annotations(waiting)[0]).toMatch(/^::error title=check%3A approve::waits for a person: /);
    expect(summaryOf(waiting)).toMatch(/### `approve`\n\n {4}waits for a person: /);
  });

  it('is a summary in which what was said is no Markdown', () => {
    const summary = summaryOf(view);
    expect(summary).toContain('## `check`: error');
    expect(summary).toContain('| `second` | error | 1.0s |');
    expect(summary).toContain('### `second`\n\n    bad <b>&"\\u{0}\n    ::set-env name=X::y\n    | a | `b`, 100%\n');
  });

  it.each([
    'a & b &#x202e; &lt;b&gt; &copy;',
    '[link](https://evil.example) ![image](https://evil.example/x.png) <https://evil.example>',
    'https://evil.example www.evil.example a@evil.example',
    '<!-- comment',
    '@octocat @org/team #1 octo/repo#1 0123456789abcdef0123456789abcdef01234567 :tada:',
    '| a | b |',
    '\\| a \\',
    '`code` ``more`',
    '`',
    '# *b* _i_ ~~s~~ $x$ - [ ] a',
  ])('is a summary in which a name is code and nothing else: %s', (name) => {
    const step = stepView(commandStep(0, ['false'], { id: name }), ended('error', { error: 'x' }));
    const run = runView([step], { run: name, status: 'error', endedAt: 3_000, name });
    const codes: string[] = [];
    const kinds = new Set<string>();
    const html = marked.parse(summaryOf(run), {
      async: false,
      gfm: true,
      walkTokens: (token) => {
        kinds.add(token.type);
        if (token.type === 'codespan') codes.push(token.text as string);
      },
    });
    const shown = name.replaceAll('|', '\\u{7c}');
    expect(codes).toEqual([shown, shown, shown, shown]);
    expect([...kinds].sort()).toEqual(['code', 'codespan', 'heading', 'paragraph', 'space', 'table', 'text']);
    expect(html.match(/<td>/g)).toHaveLength(4);
  });

  it('is a summary that GitHub has room for, whatever failed, and that says how much more there is', () => {
    const steps = Array.from({ length: 1_000 }, (_, index) =>
      stepView(commandStep(index, ['false'], { id: `s${index}` }), ended('error', { error: '\u200b'.repeat(10_000) })),
    );
    const summary = summaryOf(runView(steps, { status: 'error', endedAt: 3_000, name: 'check' }));
    expect(Buffer.byteLength(summary)).toBeLessThan(1024 * 1024);
    const told = summary.match(/^### `s/gm)?.length ?? 0;
    expect(told).toBeGreaterThan(10);
    expect(summary).toContain(`\n${1_000 - told} more failed.\n`);
  });
});

describe('the file of a report', () => {
  it('is written whole or not at all: who reads the one before sees no half of the next', async () => {
    const cwd = await temporaryFolder();
    writeJunit('out/junit.xml', 'the first', { cwd });
    symlinkSync('out/junit.xml', join(cwd, 'linked.xml'));
    const reader = openSync(join(cwd, 'out/junit.xml'), 'r');
    writeJunit('linked.xml', 'next', { cwd });
    expect([readFileSync(reader, 'utf8'), readFileSync(join(cwd, 'out/junit.xml'), 'utf8')]).toEqual([
      'the first',
      'next',
    ]);
    closeSync(reader);
    expect(readdirSync(join(cwd, 'out'))).toEqual(['junit.xml']);
  });

  it('that cannot be written is told with its path, and a pipe stays one', async () => {
    const cwd = await temporaryFolder();
    mkdirSync(join(cwd, 'folder'));
    expect(() => writeJunit('folder', 'x', { cwd })).toThrow(
      `The report \`${join(cwd, 'folder')}\` could not be written: `,
    );
    spawnSync('mkfifo', [join(cwd, 'pipe')]);
    const pipe = openSync(join(cwd, 'pipe'), 'r+');
    writeJunit('pipe', 'said', { cwd });
    const said = Buffer.alloc(4);
    expect([readSync(pipe, said), said.toString(), statSync(join(cwd, 'pipe')).isFIFO()]).toEqual([4, 'said', true]);
    closeSync(pipe);
  });
});
