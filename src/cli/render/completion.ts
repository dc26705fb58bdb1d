import type { CommandSpec } from '../command.js';
import { shellCommand } from '../../plan/text/shell-command.js';

export type Shell = 'bash' | 'zsh' | 'fish';

/**
 * A shell's script that completes commands, their actions, their options and what those may be, and names of runs and
 * gates, which it asks `perdure completion` for; everything else is completed as a file.
 */
export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  switch (shell) {
    case 'bash':
      return bash(commands);
    case 'zsh':
      return zsh(commands);
    case 'fish':
      return fish(commands);
  }
}

interface Flag {
  long: string;
  short: string | null;
  takesValue: boolean;
  about: string;
  choices: readonly string[];
}

function flagsOf({ options }: CommandSpec): Flag[] {
  const own = options.map(({ flags, about, choices = [] }) => ({
    long: /--([\w-]+)/.exec(flags)?.[1] ?? '',
    short: /(?:^|[ ,])-(\w)\b/.exec(flags)?.[1] ?? null,
    takesValue: /[<[]/.test(flags),
    about,
    choices,
  }));
  return [
    ...own,
    { long: 'help', short: 'h', takesValue: false, about: 'show an example and what there is', choices: [] },
  ];
}

/** An option that takes a value: how it is typed, and what the value may be where that is a list. */
interface Valued {
  typed: string[];
  choices: readonly string[];
}

function valuedIn(command: CommandSpec): Valued[] {
  return flagsOf(command).flatMap(({ long, short, takesValue, choices }) =>
    takesValue ? [{ typed: [`--${long}`, ...(short === null ? [] : [`-${short}`])], choices }] : [],
  );
}

/** Lines of a shell's `case` that run `found` behind an option of a command, where the two words before are `WORDS`. */
function valueCases(commands: readonly CommandSpec[], found: (choices: readonly string[]) => string): string[] {
  return commands.flatMap((command) =>
    valuedIn(command).map(
      ({ typed, choices }) => `${typed.map((flag) => `${command.name}\\ ${flag}`).join('|')}) ${found(choices)} ;;`,
    ),
  );
}

/** What the first argument may be, where that is a list: `list`, `show` … of `agents`. */
function actionsOf({ arguments: [first] }: CommandSpec): readonly string[] {
  return first?.choices ?? [];
}

/** What of the arguments is a run's id or a gate's address: which, and at which place behind the command, from 1. */
function namesIn({ name, arguments: given }: CommandSpec): { names: 'runs' | 'gates'; at: number } | null {
  if (['approve', 'reject', 'answer'].includes(name)) return { names: 'gates', at: 1 };
  const at = given.findIndex(({ syntax }) => syntax === '<run>' || syntax === '[run]' || syntax === '<address>');
  return at === -1 ? null : { names: 'runs', at: at + 1 };
}

function bash(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => {
    const words = [
      ...actionsOf(command),
      ...flagsOf(command).flatMap(({ long, short }) => [`--${long}`, ...(short === null ? [] : [`-${short}`])]),
    ];
    const named = namesIn(command);
    const asked = named === null ? '' : ` names=${named.names}; at=${named.at};`;
    return `      ${command.name}) words=${quote(words.join(' '))};${asked} ;;`;
  });
  return `${[
    '# bash: source <(perdure completion bash)',
    '_perdure() {',
    '  local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} prefix= words= names= at= name=',
    // `--format=gr` is three words here, and one where `=` was taken out of COMP_WORDBREAKS.
    '  if [ "$current" = = ]; then current=',
    '  elif [ "$before" = = ]; then before=${COMP_WORDS[COMP_CWORD-2]}',
    '  elif [[ $current == --*=* ]]; then before=${current%%=*}; prefix=$before=; current=${current#*=}; fi',
    '  case "${COMP_WORDS[1]} $before" in',
    // An empty list leaves it to files.
    ...valueCases(
      commands,
      (choices) => `COMPREPLY=($(compgen -P "$prefix" -W ${quote(choices.join(' '))} -- "$current")); return`,
    ).map((line) => `    ${line}`),
    '  esac',
    `  if [ "$COMP_CWORD" -eq 1 ]; then words=${quote(commands.map(({ name }) => name).join(' '))}`,
    '  else',
    '    case ${COMP_WORDS[1]} in',
    ...cases,
    '    esac',
    '  fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$current"))',
    // Not among `words`, in which compgen carries out `$(…)`.
    '  if [ -n "$names" ] && [ "$COMP_CWORD" -eq $((at + 1)) ]; then',
    '    while IFS= read -r name; do',
    '      if [[ $name == "$current"* ]]; then COMPREPLY+=("$name"); fi',
    '    done < <(perdure completion $names 2>/dev/null)',
    '  fi',
    '}',
    // Where it offers nothing, bash offers files, and writes their names as its words need it.
    'complete -o default -F _perdure perdure',
  ].join('\n')}\n`;
}

function zsh(commands: readonly CommandSpec[]): string {
  const cases = commands.map((command) => {
    const options = flagsOf(command)
      .map(({ long, about }) => quote(`--${long}:${about}`))
      .join(' ');
    const named = namesIn(command);
    const asked = named === null ? '' : ` names=${named.names}; at=${named.at};`;
    return `      ${command.name}) actions=(${actionsOf(command).join(' ')}); options=(${options});${asked} ;;`;
  });
  return `${[
    '#compdef perdure',
    '# zsh: source <(perdure completion zsh)',
    '_perdure() {',
    '  local -a commands actions options',
    '  local names= at=',
    `  commands=(${commands.map(({ name, summary }) => quote(`${name}:${summary}`)).join(' ')})`,
    '  if (( CURRENT == 2 )); then _describe command commands',
    '  else',
    '    local before=$words[CURRENT-1]',
    '    if [[ $words[CURRENT] == --*=* ]]; then before=${words[CURRENT]%%=*}; compset -P "*="; fi',
    '    case "$words[2] $before" in',
    ...valueCases(commands, (choices) =>
      choices.length === 0 ? '_files; return' : `compadd -- ${choices.join(' ')}; return`,
    ).map((line) => `      ${line}`),
    '    esac',
    '    case $words[2] in',
    ...cases,
    '    esac',
    '    if [[ $words[CURRENT] == -* ]]; then _describe -o option options',
    '    elif [[ -n $names ]] && (( CURRENT == at + 2 )); then',
    '      compadd -- ${(f)"$(perdure completion $names 2>/dev/null)"}',
    '    elif (( CURRENT == 3 && $#actions )); then _describe action actions',
    '    else _files; fi',
    '  fi',
    '}',
    'compdef _perdure perdure',
  ].join('\n')}\n`;
}

/** What fish asks for names. */
function askFor(names: string): string {
  return `(${shellCommand('perdure completion', [names], '2>/dev/null')})`;
}

function fish(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((command) => {
    const { name, summary } = command;
    // A word that is a command may stand behind another one, as `list` does: the first word is the command.
    const here = `-n 'contains -- ${name} (commandline -opc)[2]'`;
    const actions = actionsOf(command);
    const asked = namesIn(command)?.names ?? null;
    return [
      `complete -c perdure -n __fish_use_subcommand -f -a ${name} -d ${quote(summary)}`,
      ...(actions.length === 0 ? [] : [`complete -c perdure ${here} -a ${quote(actions.join(' '))}`]),
      ...(asked === null ? [] : [`complete -c perdure ${here} -f -a ${quote(askFor(asked))}`]),
      ...flagsOf(command).map(({ long, short, takesValue, about, choices }) =>
        [
          `complete -c perdure ${here} -l ${long}`,
          ...(short === null ? [] : [`-s ${short}`]),
          // Where a list says what it takes, no file is offered.
          ...(choices.length > 0 ? ['-x', `-a ${quote(choices.join(' '))}`] : takesValue ? ['-r'] : []),
          `-d ${quote(about)}`,
        ].join(' '),
      ),
    ];
  });
  return `${['# fish: perdure completion fish | source', ...lines].join('\n')}\n`;
}

/** A text that no shell looks into. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
