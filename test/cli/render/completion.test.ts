import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { COMMANDS } from '../../../src/cli/commands/index.js';
import { completionScript } from '../../../src/cli/render/completion.js';
import { temporaryFolder } from '../../activities/helpers/harness.js';

/** What bash offers for a line of words, the last one unfinished. */
const offered = (...words: string[]): string[] => offeredWith('', words);

function offeredWith(before: string, words: string[], cwd = '/'): string[] {
  const list = words.map((word) => `'${word}'`).join(' ');
  const script =
    `${before}${completionScript('bash', COMMANDS)}COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _perdure; ` +
    `printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8', cwd })
    .split('\n')
    .filter((line) => line !== '');
}

/** What a bash on a terminal does with a line that is typed so: `perdure` shows its arguments. */
function typedInBash(cwd: string, line: string): string {
  const start = `${completionScript('bash', COMMANDS)}perdure() { printf '<%s>' "$@"; }\n`;
  writeFileSync(join(cwd, 'start.sh'), start);
  return execFileSync('script', ['-qec', 'bash --noprofile --rcfile start.sh -i', '/dev/null'], {
    encoding: 'utf8',
    cwd,
    input: `perdure ${line}\nexit\n`,
    env: { PATH: process.env['PATH'], HOME: cwd, TERM: 'dumb' },
  });
}

/** A folder with these files, and folders where a name ends so. */
async function folderWith(...names: string[]): Promise<string> {
  const folder = await temporaryFolder();
  for (const name of names) {
    if (name.endsWith('/')) mkdirSync(join(folder, name));
    else writeFileSync(join(folder, name), '');
  }
  return folder;
}

describe('the completion of bash', () => {
  it.each([
    [
      ['perdure', 're'],
      ['reject', 'receipt', 'resume', 'rerun', 'record'],
    ],
    [['perdure', 'agents', 'im'], ['import']],
    [['perdure', 'run', 'x', '--max-c'], ['--max-cost-usd']],
    [['perdure', 'run', 'et'], []],
    [
      ['perdure', 'plan', 'x', '--format', ''],
      ['text', 'json', 'graph', 'mermaid', 'svg'],
    ],
    [['perdure', 'agents', 'import', '--from', 'cl'], ['claude']],
    [['perdure', 'run', 'x', '--junit', '--'], []],
    [
      ['perdure', 'show', 'x', '--format', '='],
      ['tree', 'json', 'graph'],
    ],
    // Where somebody has taken `=` out of what divides words.
    [['perdure', 'show', 'x', '--format=gr'], ['--format=graph']],
  ])('offers for %j', (words, expected) => {
    expect(offered(...words)).toEqual(expected);
  });

  it.each([
    ['runs', ['perdure', 'show', 're'], ['release-7k2m4xqa', 'review-3h9s6d2p']],
    ['runs', ['perdure', 'workspace', 'diff', 'rel'], ['release-7k2m4xqa']],
    ['gates', ['perdure', 'approve', ''], ['release-7k2m4xqa/notes']],
    ['runs', ['perdure', 'run', 're'], []],
  ])('asks for %s where %j is typed', (kind, words, expected) => {
    const known = { runs: 'release-7k2m4xqa\nreview-3h9s6d2p', gates: 'release-7k2m4xqa/notes' }[kind] ?? '';
    const asked = `perdure() { if [ "$*" = 'completion ${kind}' ]; then echo '${known}'; fi; }; `;
    expect(offered(...words).filter((word) => !word.startsWith('-'))).toEqual([]);
    expect(offeredWith(asked, words).filter((word) => !/^-|^(?:show|diff|export|apply)$/.test(word))).toEqual(expected);
  });

  it.each(['$(touch pwned)', '`touch pwned`', '$((a[$(touch pwned)]))', '${a:-$(touch pwned)}', '{re,$(touch pwned)}'])(
    'carries nothing out of a gate that others have called %s',
    async (gate) => {
      const cwd = await folderWith();
      const asked = `perdure() { printf '%s\\n' '${gate}' release-7k2m4xqa/notes; }; `;
      expect(offeredWith(asked, ['perdure', 'approve', ''], cwd)).toContain('release-7k2m4xqa/notes');
      expect(readdirSync(cwd)).toEqual([]);
    },
  );

  it.each([
    ['a file with a space in its name', 'run my\t', '<run><my flow.yml>'],
    ['a value of an option', 'show x --format gr\t', '<show><x><--format><graph>'],
    ['a value behind its `=`', 'show x --format=gr\t', '<show><x><--format=graph>'],
    ['a file behind the `=` of an option', 'run x --inputs=my\t', '<run><x><--inputs=my flow.yml>'],
    ['a file as the value of an option', 'run x --inputs my\t', '<run><x><--inputs><my flow.yml>'],
    ['a folder, to be gone into', 'run fl\tflow.yml', '<run><flows/flow.yml>'],
    ['a command that is called like a folder', 'age\tlist', '<agents><list>'],
  ])('writes %s', async (_what, typed, expected) => {
    expect(typedInBash(await folderWith('my flow.yml', 'agents/', 'flows/'), typed)).toContain(expected);
  });
});

describe.each(['zsh', 'fish'] as const)('the completion of %s', (shell) => {
  const script = completionScript(shell, COMMANDS);

  it('names every command and option', () => {
    for (const { name, options } of COMMANDS) {
      expect(script).toContain(name);
      for (const { flags } of options) expect(script).toContain(/--([\w-]+)/.exec(flags)?.[1] ?? flags);
    }
  });

  it('leaves no quote open', () => {
    for (const line of script.split('\n').filter((text) => !text.startsWith('#')))
      expect(line.replaceAll(String.raw`'\''`, '').split("'").length % 2).toBe(1);
  });
});
