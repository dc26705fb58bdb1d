import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellCommand } from '../../../src/plan/text/shell-command.js';
import { shortWords } from '../../../src/plan/text/short-words.js';

const WORDS = [
  'it$(echo out)',
  '`echo out`',
  "it's a b",
  'ok; echo out',
  'a\\',
  "\\'; echo out; #'",
  "\\\\'$(echo out)'\\",
  'two\nlines',
  '',
  '~',
  '=ls',
  '{a,b}*?[c]',
  '!!',
  '#',
  '-x',
  '--json',
  'plain-word_1.2/a:b@c%d+e=f',
];
const SHELLS = ['sh', 'dash', 'bash', 'zsh', 'fish'].filter(
  (shell) => shell === 'sh' || spawnSync(shell, ['-c', 'true']).status === 0,
);

/** What a program is given by a shell that a line was typed in. */
function givenBy(shell: string, line: string): string[] {
  const { stdout } = spawnSync(shell, ['-c', line], { encoding: 'utf8' });
  return stdout.split('\0').slice(0, -1);
}

it.each(SHELLS)('a command that is copied into %s names each word as it is', (shell) => {
  expect(givenBy(shell, shellCommand("printf '%s\\0'", WORDS))).toEqual(['--', ...WORDS]);
});

it('a word behind a command is no option, and options stay what they are', () => {
  expect(shellCommand('perdure budget', ['run'], '--abort')).toBe('perdure budget run --abort');
  expect(shellCommand('perdure budget', ['-run'], '--abort')).toBe('perdure budget --abort -- -run');
});

it('a word that is too long to be shown whole is cut before it is quoted, so that nothing of it gets out', () => {
  const bare = `${'x'.repeat(300)}'${'y'.repeat(300)}`;
  // The places where the end of the word may be cut, which a quote stands at.
  for (let at = 30; at < 50; at++) {
    const word = `${bare}'${';echo${IFS}out;'.padStart(at, 'z')}`;
    const [shown = '', ...others] = givenBy('sh', shortWords(shellCommand("printf '%s\\0'", [word])));
    expect(shown).toContain('characters]');
    expect(others).toEqual([]);
  }
});
