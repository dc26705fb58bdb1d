import type { CommandSpec, OptionSpec } from '../command.js';

/** What a program's exit codes mean, and where its files are, for its manual page. */
export interface ManFacts {
  version: string;
  exits: readonly [code: number, meaning: string][];
  files: readonly [path: string, meaning: string][];
}

/** The manual page of all commands, in roff for `man`. */
export function manPage(commands: readonly CommandSpec[], { version, exits, files }: ManFacts): string {
  return `${[
    `.TH PERDURE 1 "" "perdure ${version}" "User Commands"`,
    '.SH NAME',
    'perdure \\- agent workflows that survive anything',
    '.SH SYNOPSIS',
    '.B perdure',
    '.I command',
    '.RI [ arguments ]',
    '.RI [ options ]',
    '.SH DESCRIPTION',
    ...text(
      'Compiles workflows of commands, agents, nested workflows and approvals to one plan and runs it on a Temporal ' +
        'server, which it starts by itself. Whatever dies on the way, the run goes on where it was.',
    ),
    '.SH COMMANDS',
    ...commands.flatMap(commandPart),
    '.SH EXIT STATUS',
    ...exits.flatMap(([code, meaning]) => entry(String(code), meaning)),
    '.SH FILES',
    ...files.flatMap(([path, meaning]) => entry(path, meaning)),
    '.SH SEE ALSO',
    ...text('The documents that come with the package, in its folder docs/.'),
  ].join('\n')}\n`;
}

function commandPart({ name, summary, arguments: given, options, examples }: CommandSpec): string[] {
  return [
    `.SS ${bold(['perdure', name].join(' '))} ${given.map(({ syntax }) => escaped(syntax)).join(' ')}`.trimEnd(),
    ...text(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`),
    ...given.flatMap(({ syntax, about, choices }) => entry(syntax, withChoices(about, choices))),
    ...options.flatMap(optionPart),
    '.PP',
    'Examples:',
    '.EX',
    ...examples.map((example) => line(`    ${example}`)),
    '.EE',
  ];
}

function optionPart({ flags, about, choices }: OptionSpec): string[] {
  return entry(flags, withChoices(about, choices));
}

function withChoices(about: string, choices: readonly string[] | undefined): string {
  return choices === undefined ? about : `${about} (${choices.join(', ')})`;
}

function entry(term: string, about: string): string[] {
  return ['.TP', bold(term), ...text(about)];
}

function text(words: string): string[] {
  return words.split('\n').map(line);
}

/** A line that `man` takes as words, whatever it begins with. */
function line(words: string): string {
  return `${/^[.']/.test(words) ? '\\&' : ''}${escaped(words)}`;
}

function bold(words: string): string {
  return `\\fB${escaped(words)}\\fR`;
}

/** Backslashes, and hyphens that are typed as they are. */
function escaped(words: string): string {
  return words.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('…', '...').replaceAll('`', '');
}
