// @module-tag shells
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMANDS } from '../../src/cli/commands/index.js';
import { completionScript } from '../../src/cli/render/completion.js';

const RUN = 'release-7k2m4xqa';
const GATE = `${RUN}/notes`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'perdure-shells-'));
  writeFileSync(join(folder, 'my flow.yml'), '');
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

/** What fish offers for a line that is not finished. */
function offeredByFish(line: string): string[] {
  const known = `switch "$argv"; case 'completion runs'; echo ${RUN}; case 'completion gates'; echo ${GATE}; end`;
  const file = write('start.fish', `function perdure; ${known}; end\n${completionScript('fish', COMMANDS)}`);
  const args = ['--no-config', '-c', `source ${file}; complete -C '${line}'`];
  const text = execFileSync('fish', args, { encoding: 'utf8', cwd: folder, env: environment() });
  return text.split('\n').flatMap((offer) => offer.split('\t', 1).filter((word) => word !== ''));
}

/** What a zsh on a terminal does with a line that is typed so: `perdure` shows its arguments. */
function typedInZsh(line: string): string {
  const known = `case "$*" in 'completion runs') echo ${RUN} ;; 'completion gates') echo ${GATE} ;;`;
  write(
    '.zshrc',
    `autoload -Uz compinit && compinit -u -D\n${completionScript('zsh', COMMANDS)}` +
      `perdure() { ${known} *) printf '<%s>' "$@" ;; esac }\n`,
  );
  return execFileSync('script', ['-qec', 'zsh -i', '/dev/null'], {
    encoding: 'utf8',
    cwd: folder,
    input: `perdure ${line}\nexit\n`,
    env: { ...environment(), ZDOTDIR: folder },
  });
}

function environment(): Record<string, string | undefined> {
  return { PATH: process.env['PATH'], HOME: folder, TERM: 'dumb' };
}

describe('the completion of fish', () => {
  it.each([
    ['perdure re', ['receipt', 'record', 'reject', 'rerun', 'resume']],
    ['perdure agents im', ['import']],
    ['perdure run x --max-c', ['--max-cost-usd']],
    ['perdure show x --format ', ['graph', 'json', 'tree']],
    ['perdure show x --format=gr', ['--format=graph']],
    ['perdure show re', [RUN]],
    ['perdure workspace diff rel', [RUN]],
    ['perdure approve re', [GATE]],
    ['perdure run my', ['my flow.yml']],
    ['perdure agents list --waiti', []],
    ['perdure sessions show rel', []],
  ])('offers for `%s`', (line, expected) => {
    expect(offeredByFish(line).sort()).toEqual(expected);
  });
});

describe('the completion of zsh', () => {
  it.each([
    ['a command', 'rece\t', '<receipt>'],
    ['an action', 'agents imp\t', '<agents><import>'],
    ['an option', 'run x --max-c\t', '<run><x><--max-cost-usd>'],
    ['a value of an option', 'show x --format gr\t', '<show><x><--format><graph>'],
    ['a value behind its `=`', 'show x --format=gr\t', '<show><x><--format=graph>'],
    ['a file behind the `=` of an option', 'run x --inputs=my\t', '<run><x><--inputs=my flow.yml>'],
    ['a file as the value of an option', 'run x --inputs my\t', '<run><x><--inputs><my flow.yml>'],
    ['a run', 'workspace diff rel\t', `<workspace><diff><${RUN}>`],
    ['a gate', 'approve rel\t', `<approve><${GATE}>`],
    ['a file with a space in its name', 'run my\t', '<run><my flow.yml>'],
  ])('writes %s', (_what, typed, expected) => {
    expect(typedInZsh(typed)).toContain(expected);
  });
});
