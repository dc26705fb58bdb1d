import { describe, expect, it } from 'vitest';
import type { CommandRule } from '../../../src/plan/tools/command-rule.js';
import { isOption, judgeCommand, needsNetwork, ruleFor } from '../../../src/plan/tools/command-rule.js';

const RULES: CommandRule[] = [
  { words: 'git', class: 'workspace' },
  { words: 'git status', class: 'safe' },
  { words: 'git', class: 'denied' },
  { words: 'git push', class: 'network' },
  { words: 'find', class: 'safe', refuses: ['-exec', '-o'] },
  { words: 'sort', class: 'safe', refuses: ['--output', '-o'] },
  { words: 'tool', class: 'safe', refuses: ['add'] },
  { words: 'pip install', class: 'install' },
  { words: 'sudo', class: 'denied' },
  { words: 'fd', class: 'safe', asks: ['-x', '--exec'], refuses: ['--danger'] },
  { words: 'x x', class: 'safe', refuses: ['x'] },
];
const judge = (line: string, network: boolean | string[] = false): unknown =>
  judgeCommand({ commands: RULES, network }, line.split(' '));

describe('the rule of a command', () => {
  it.each([
    ['git log', 'git', 'workspace'],
    ['git status --short', 'git status', 'safe'],
    ['git push origin', 'git push', 'network'],
    ['pip install x', 'pip install', 'install'],
  ])('of `%s` is the longest that it begins with, and of two alike the first', (line, words, kind) => {
    expect(ruleFor(RULES, line.split(' '))).toMatchObject({ words, class: kind });
  });

  it.each(['gitk', 'pip', 'pip uninstall x', 'x git', ''])(
    'of `%s` is none: words are held against whole words, from the first',
    (line) => {
      expect(ruleFor(RULES, line.split(' '))).toBeNull();
    },
  );
});

describe('a command', () => {
  it.each<[string, unknown]>([
    ['git status', { verdict: 'allow', sandbox: false }],
    ['git commit -m x', { verdict: 'allow', sandbox: true }],
    ['pip install x', { verdict: 'ask', reason: '`pip install` brings packages in, and runs what is in them.' }],
    ['git push', { verdict: 'deny', reason: '`git push` needs the network, which is closed to this agent.' }],
    ['sudo ls', { verdict: 'deny', reason: '`sudo` is not run for agents.' }],
    [
      'unheard of a command',
      { verdict: 'deny', reason: 'Nobody has said what `unheard of a` does: it is in no class of commands.' },
    ],
  ])('`%s` is judged by its class', (line, verdict) => {
    expect(judge(line)).toEqual(verdict);
  });

  it.each([
    [true, 'allow'],
    [false, 'deny'],
    [['example.org'], 'deny'],
  ])('that needs the network has it where that is %j: %s', (network, verdict) => {
    expect(judge('git push', network)).toMatchObject({ verdict });
  });

  it.each([
    ['find src -exec rm', '-exec'],
    ['find src -execdir rm', '-execdir'],
    ['find src -ro x', '-ro'],
    ['find -o', '-o'],
    ['sort --output=x', '--output=x'],
    ['sort --outp=x', '--outp=x'],
    ['sort --output x', '--output'],
    ['sort -nox a', '-nox'],
    ['tool add', 'add'],
  ])('`%s` is not run: `%s` may be meant as an option that its rule refuses', (line, refused) => {
    const words = line.split(' ')[0] ?? '';
    expect(judge(line)).toEqual({ verdict: 'deny', reason: `\`${words}\` is not run with \`${refused}\`.` });
  });

  it.each([
    'find src -name exec',
    'find xo',
    'sort -- a',
    'sort --',
    'sort --outputs',
    'sort --x-output',
    'sort o',
    'sort --no',
    'tool added',
    'tool xadd',
  ])('`%s` is run: it has no such option', (line) => {
    expect(judge(line)).toMatchObject({ verdict: 'allow' });
  });

  it.each([
    ['/etc/passwd', true],
    ['~/x', true],
    ['--file=/etc/x', true],
    ['a:/b', true],
    ['a,/b', true],
    ['@/x', true],
    ['-I/usr', true],
    ['-fI/usr', true],
    ['..', true],
    ['a/../b', true],
    ['x=..', true],
    ['a/b', false],
    ['a..b', false],
    ['x~', false],
    ['--I/usr', false],
    ['-1/2', false],
    ['a/...', false],
  ])('that only reads is looked at in the sandbox where `%s` may name a file elsewhere: %s', (word, sandbox) => {
    expect(judge(`git status ${word}`)).toEqual({ verdict: 'allow', sandbox });
  });

  it.each([
    ['fd a -x rm', '-x'],
    ['fd a --exec rm', '--exec'],
    ['fd -lx', '-lx'],
  ])('`%s` is asked about: `%s` may be meant', (line, asked) => {
    expect(judge(line)).toEqual({ verdict: 'ask', reason: `\`fd\` does more with \`${asked}\` than it does without.` });
  });

  it('is refused rather than asked about, and its own words are no options of it', () => {
    expect(judge('fd -x --danger')).toMatchObject({ verdict: 'deny' });
    expect(judge('x x y')).toMatchObject({ verdict: 'allow' });
    expect(judge('x x x')).toMatchObject({ verdict: 'deny' });
    expect(judge('fd a')).toEqual({ verdict: 'allow', sandbox: false });
    expect(judge('git push', true)).toEqual({ verdict: 'allow', sandbox: true });
  });

  it.each<[string, string, boolean]>([
    ['--output', '--output', true],
    ['--output=a', '--output', true],
    ['--out', '--output', true],
    ['--outputs', '--output', false],
    ['--', '--output', false],
    ['-output', '--output', false],
    ['-o', '-o', true],
    ['-ao', '-o', true],
    ['-oa', '-o', true],
    ['--o', '-o', false],
    ['o', '-o', false],
    ['-exec', '-exec', true],
    ['-execdir', '-exec', true],
    ['-e', '-exec', false],
    ['xo', 'xo', true],
    ['-o', 'xo', false],
    ['add', 'add', true],
    ['adds', 'add', false],
  ])('with %j may mean the option %j: %s', (word, option, may) => {
    expect(isOption(word, option)).toBe(may);
  });

  it('is not sent to the sandbox for the path of the program itself', () => {
    const commands: CommandRule[] = [{ words: '/usr/bin/ls', class: 'safe' }];
    expect(judgeCommand({ commands, network: false }, ['/usr/bin/ls'])).toEqual({ verdict: 'allow', sandbox: false });
  });

  it.each([
    ['pip install x', false, true],
    ['git status', true, true],
    ['git status', ['example.org'], false],
    ['git push', false, false],
    ['unheard', false, false],
  ])('`%s` with network %j gets it in its sandbox: %s', (line, network, expected) => {
    expect(needsNetwork({ commands: RULES, network: network }, line.split(' '))).toBe(expected);
  });
});
