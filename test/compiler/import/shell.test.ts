import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, it } from 'vitest';
import { intoShell } from '../../../src/compiler/import/shared/into-shell.js';
import { newFolder } from '../../cli/helpers/command-line.js';

/** A script in which `@` is what a model has answered, as an import writes it; null where it is refused. */
function imported(script: string): string | null {
  const references = [...script.matchAll(/@/g)].map(({ index }) => ({
    ...{ start: index, end: index + 1 },
    ...{ variable: 'NODE_X', foreign: true },
  }));
  const text = intoShell(script, references);
  return 'refused' in text ? null : text.script;
}

const EVIL = [
  'a[$(touch pwned)]',
  'touch pwned',
  'x=1;touch pwned',
  '$(touch pwned)',
  '`touch pwned`',
  '"; touch pwned; "',
];

it.each([
  'if [[ @ -gt 3 ]]; then echo many; fi',
  'if [[ "@" -gt 3 ]]; then echo many; fi',
  '[[ 3 -lt @ ]]',
  '[[ 3 -lt "@" && -n $HOME ]]',
  'echo $(( @ + 1 ))',
  'echo "$(( @ + 1 )) of $(( 1 + "@" ))"',
  'echo $[@+1]',
  '(( @ > 2 )) && echo two',
  'for ((i = 0; i < @; i++)); do break; done',
  'let "n = @ + 1"',
  'let n=@+1',
  'list=(a b); echo ${list[@]}',
  'list=(a b); echo "${list[@]}"',
  'list[@]=3',
  'text=abc; echo ${text:@} ${text:1:@}',
  'declare -i n=@',
  'local -i n=@',
  'N=@\necho $((N + 1))',
  'N="@"; if [[ $N -gt 3 ]]; then echo many; fi',
  'export N=@; (( N > 3 ))',
  '[ -v @ ]',
  '[[ -v "@" ]]',
  'printf -v @ x',
  'read -r @ <<< 3',
  'declare @=3',
  'unset @',
  'trap @ EXIT',
  'trap "@" EXIT',
  "eval $'@'",
  'source <(echo @)',
  'bash <(echo "@")',
  'bash <<< @',
  'bash -s <<< "@"',
  'echo @ | bash',
  'echo "@" | sh -s',
  'printf "%s" @ | tr x x | bash; true',
])('runs nothing that a model has answered, in %j', async (script) => {
  const text = imported(script);
  for (const value of text === null ? [] : EVIL) {
    const cwd = newFolder();
    await execa('bash', ['-c', text ?? ''], { cwd, env: { NODE_X: value }, reject: false });
    expect(existsSync(join(cwd, 'pwned')), `${text}\nwith ${value}`).toBe(false);
  }
});

it.each([
  ['[[ @ -gt 3 ]] && echo many', '4', 'many'],
  ['echo $(( @ + 1 )) @', ' 41\n', '42  41'],
  ['echo $(( @ + 1 ))', 'none', '1'],
  ['echo $(( @ + 1 ))', '-3', '-2'],
  ['[[ @ == "a b" ]] && echo "(( @ ))"', 'a b', '(( a b ))'],
  ['[ @ -gt 3 ] && echo many', '4', 'many'],
  ['N=@; echo $((N + 1))', '7', '8'],
  ['echo ${NO:-@}', 'a[b]', 'a[b]'],
  ['cp --help > /dev/null; printf "%s|" . @ || bash', 'a[b]', '.|a[b]|'],
  ['echo @ | grep b | wc -l', 'b', '1'],
  ['echo @ | bash -c "read -r x; echo \\$x"', 'touch it', 'touch it'],
])('does with an honest answer what %j says', async (script, value, output) => {
  const { stdout } = await execa('bash', ['-c', imported(script) ?? 'echo refused'], { env: { NODE_X: value } });
  expect(stdout.trim()).toBe(output);
});

it('says why a script ends whose own variable is no number', async () => {
  const text = imported('N=@; echo $((N + 1))') ?? '';
  const ended = await execa('bash', ['-c', text], { env: { NODE_X: 'many' }, reject: false });
  expect([ended.exitCode, ended.stdout, ended.stderr]).toEqual([
    1,
    '',
    'NODE_X is no whole number, and arithmetic of this script would read it',
  ]);
});
