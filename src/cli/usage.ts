import type { CommanderError } from 'commander';
import { nearest } from '../compiler/problems/did-you-mean.js';
import { COMMANDS } from './commands/index.js';
import { usageError } from './exit-codes.js';

interface Finding {
  /** What commander put in quotes. */
  quoted: string[];
  first: string;
  /** The command that was meant, if it is one: `perdure run`. */
  command: string;
}

/** Commander's findings in our words, by their codes. */
const SENTENCES: Record<string, (finding: Finding) => string> = {
  'commander.unknownCommand': ({ quoted }) => `There is no command \`${quoted[0]}\`.`,
  'commander.unknownOption': ({ quoted, command }) =>
    `There is no option \`${quoted[0]}\`${command === 'perdure' ? '' : ` of \`${command}\``}.`,
  'commander.missingArgument': ({ quoted }) => `Expected \`<${quoted[0]}>\`, got nothing.`,
  'commander.optionMissingArgument': ({ quoted }) => `Expected a value after \`${quoted[0]}\`, got nothing.`,
  'commander.excessArguments': ({ first, command }) =>
    `Expected ${countOf(first)} of \`${command}\`, got ${/got (\d+)/.exec(first)?.[1] ?? 'more'}.`,
  'commander.conflictingOption': ({ quoted }) => `\`${quoted[0]}\` cannot be used with \`${quoted[1]}\`.`,
};

/** Commander's findings in our words: expectation and finding, and the nearest name or where the names are listed. */
export function toUsageError({ code, message }: CommanderError, argv: string[]): Error {
  const known = COMMANDS.find(({ name }) => name === argv.find((word) => !word.startsWith('-')));
  const command = known === undefined ? 'perdure' : `perdure ${known.name}`;
  const help = `See \`${command} --help\`.`;
  const [first = '', ...rest] = message.replace(/^error: /, '').split('\n');
  if (code === 'commander.invalidArgument') return choiceError(first, help);
  const near = /\(Did you mean (?:one of )?(.+?)\?\)/.exec(rest.join(' '))?.[1];
  const quoted = [...first.matchAll(/'([^']*)'/g)].map(([, text = '']) => text);
  const sentence = SENTENCES[code]?.({ quoted, first, command }) ?? asSentence(first);
  return usageError(sentence, near === undefined ? help : `Did you mean \`${near}\`?`);
}

function countOf(first: string): string {
  const count = /Expected (\d+)/.exec(first)?.[1] ?? 'fewer';
  return `${count} argument${count === '1' ? '' : 's'}`;
}

function asSentence(first: string): string {
  return `${first.charAt(0).toUpperCase()}${first
    .slice(1)
    .replace(/'([^']*)'/g, '`$1`')
    .replace(/\.$/, '')}.`;
}

const OF_OPTION = /^option '(.+)' argument '(.*)' is invalid\. Allowed choices are (.+)\.$/s;
const OF_ARGUMENT = /^command-argument value '(.*)' is invalid for argument '(.+)'\. Allowed choices are (.+)\.$/s;

/** A value that is none of those there are. */
function choiceError(message: string, help: string): Error {
  const [, flags, given] = OF_OPTION.exec(message) ?? [];
  const [, value = given ?? '', argument] = OF_ARGUMENT.exec(message) ?? [];
  const choices = (/Allowed choices are (.+)\.$/s.exec(message)?.[1] ?? '').split(', ');
  const what = flags === undefined ? `<${argument}>` : flags.replace(/ <.*$/, '');
  const near = nearest(value, choices);
  return usageError(
    `Expected \`${what}\` to be one of ${choices.map((choice) => `\`${choice}\``).join(', ')}; got \`${value}\`.`,
    near === null ? help : `Did you mean \`${near}\`?`,
  );
}
