import { Argument, Command, CommanderError, Option } from 'commander';
import type { CommandSpec, Options, OptionSpec } from './command.js';
import { COMMANDS } from './commands/index.js';
import type { ExitCode } from './exit-codes.js';
import { EXIT, usageError } from './exit-codes.js';
import { writeText } from './output.js';
import type { Terminal } from './terminal.js';
import { isOneLine } from './terminal.js';
import { asTyped } from './text/own-name.js';

/**
 * Runs one command line. Throws `CliError` for usage that is wrong, and whatever the command throws.
 * `version` is the package's.
 */
export async function runProgram(argv: string[], terminal: Terminal, version: string): Promise<ExitCode> {
  let exit: ExitCode = EXIT.success;
  const program = new Command('perdure')
    .description('Agent workflows that survive anything.')
    .version(version)
    .helpCommand(false)
    .showHelpAfterError(false)
    .configureHelp({
      subcommandTerm: (command) => [command.name(), ...command.registeredArguments.map(argumentTerm)].join(' '),
    })
    .addHelpText('after', asTyped('\nBegin with `perdure init`; see one command with `perdure <command> --help`.'));
  for (const spec of COMMANDS) {
    program.addCommand(
      build(spec, async (args, options) => {
        exit = await spec.run({ arguments: args, options, terminal });
      }),
    );
  }
  for (const command of [program, ...program.commands]) {
    command
      .exitOverride()
      .configureOutput({ writeOut: (text) => writeText(terminal.stdout, text, false), writeErr: () => undefined });
  }
  if (argv.length === 0) {
    program.outputHelp();
    return exit;
  }
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return exit;
    const { toUsageError } = await import('./usage.js');
    throw toUsageError(error, argv);
  }
  return exit;
}

function build(spec: CommandSpec, run: (args: string[], options: Options) => Promise<void>): Command {
  const command = new Command(spec.name).description(spec.summary);
  for (const { syntax, about, choices } of spec.arguments) {
    const argument = new Argument(syntax, about);
    command.addArgument(choices === undefined ? argument : argument.choices(choices));
  }
  for (const option of spec.options) command.addOption(buildOption(option));
  const examples = spec.examples.map((example) => asTyped(`  $ ${example}`)).join('\n');
  command.addHelpText('after', `\nExample${spec.examples.length === 1 ? '' : 's'}:\n${examples}`);
  return command.action(async () => {
    const args = command.processedArgs.flat().filter((argument): argument is string => typeof argument === 'string');
    const empty = command.registeredArguments.find(
      ({ required, variadic }, index) => required && (variadic ? args.slice(index).includes('') : args[index] === ''),
    );
    if (empty !== undefined)
      throw usageError(
        `Expected \`${argumentTerm(empty)}\`, got an empty text.`,
        `See \`perdure ${spec.name} --help\`.`,
      );
    checkLines(spec, command);
    await run(args, toOptions(command));
  });
}

/** Names, ids and numbers are one line; only what is free text may hold more. */
function checkLines({ options }: CommandSpec, command: Command): void {
  for (const { flags, free } of options) {
    const option = new Option(flags);
    const value: unknown = command.getOptionValue(option.attributeName());
    if (free === true || typeof value !== 'string' || isOneLine(value)) continue;
    const found = value === '' ? 'an empty text' : `\`${value.slice(0, 100)}\``;
    throw usageError(`Expected \`${option.long}\` to be a text on one line without control characters, got ${found}.`);
  }
}

function argumentTerm(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function buildOption({ flags, about, many, choices, conflicts }: OptionSpec): Option {
  const option = new Option(flags, about);
  if (choices !== undefined) option.choices(choices);
  if (conflicts !== undefined) option.conflicts(camel(conflicts));
  if (many === true) option.argParser((value: string, before: string[] | undefined) => [...(before ?? []), value]);
  return option;
}

function toOptions(command: Command): Options {
  const value = (name: string): unknown => command.getOptionValue(camel(name));
  return {
    flag: (name) => value(name) === true,
    choice: (name) => {
      const choice = value(name);
      return typeof choice === 'boolean' ? choice : null;
    },
    text: (name) => {
      const text = value(name);
      return typeof text === 'string' ? text : null;
    },
    list: (name) => {
      const list = value(name);
      return Array.isArray(list) ? list.filter((item): item is string => typeof item === 'string') : [];
    },
  };
}

function camel(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}
