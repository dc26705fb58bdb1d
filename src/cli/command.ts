import type { ExitCode } from './exit-codes.js';
import { usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';
import { ownOf } from '../plan/values/own.js';

/** A command as one declarative piece. What is heavy is imported inside `run`, so that `--help` stays lean. */
export interface CommandSpec {
  name: string;
  summary: string;
  /** In commander's syntax: `<definition>`, `[request]`, `<path...>`. */
  arguments: { syntax: string; about: string; choices?: string[] }[];
  options: OptionSpec[];
  /** Command lines that work, shown by `--help`. */
  examples: string[];
  run(invocation: Invocation): Promise<ExitCode>;
}

export interface OptionSpec {
  /** `-i, --input <k=v>`. */
  flags: string;
  about: string;
  /** May hold anything; other values are names, numbers and files: one line without control characters. */
  free?: boolean;
  /** May be given several times. */
  many?: boolean;
  choices?: readonly string[];
  /** Long name, without dashes, of an option that excludes this one. */
  conflicts?: string;
}

/** One call of a command, as it was typed. */
export interface Invocation {
  /** Positional arguments in order; a variadic one is all that remains. */
  arguments: string[];
  options: Options;
  terminal: Terminal;
}

/** Options by their long name without dashes. */
export interface Options {
  flag(name: string): boolean;
  /** Of an option that has a `--no-` beside it; null where neither is given. */
  choice(name: string): boolean | null;
  text(name: string): string | null;
  list(name: string): string[];
}

/** Options of most commands. */
/** Inputs of a definition. */
export const INPUT_OPTIONS: OptionSpec[] = [
  { flags: '-i, --input <name=value>', about: 'an input; may be given several times', many: true },
  { flags: '--inputs <file>', about: 'inputs from a JSON or YAML file' },
];

export const JSON_OPTION: OptionSpec = { flags: '--json', about: 'print one JSON document on stdout' };
export const AS_OPTION: OptionSpec = {
  flags: '--as <name>',
  about: 'who decides or submits; the OS user by default',
  free: true,
};
/** Who answers the gates of a run that is started. */
export const GATE_OPTIONS: OptionSpec[] = [
  { flags: '--yes', about: 'approve every gate as the submitter', conflicts: 'unattended' },
  { flags: '--unattended', about: 'take the fallback of every gate' },
];
/** How long one stays with a run that is started. */
export const STAY_OPTIONS: OptionSpec[] = [
  { flags: '--detach', about: 'start it and leave' },
  { flags: '--no-wait', about: 'end with exit code 4 where the run waits for a person' },
];
/** Whether who watches a run is told of it in a few words; neither leaves it to the definition. */
export const NARRATE_OPTIONS: OptionSpec[] = [
  { flags: '--narrate', about: 'have a narrator and a teacher tell what happens, on their own small budget' },
  { flags: '--no-narrate', about: 'the same for a definition that has `narrate: true`: without them' },
];
export const TASK_QUEUE_OPTION: OptionSpec = {
  flags: '--task-queue <name>',
  about: 'the queue that workers of this store poll',
};

/**
 * Throws a usage error for words behind an action that takes fewer; `most` says how many each takes, all where it does
 * not.
 */
export function checkWords(command: string, [action = '', ...words]: string[], most: Record<string, number>): void {
  const count = ownOf(most, action) ?? words.length;
  if (words.length <= count) return;
  throw usageError(
    `Expected ${count === 0 ? 'nothing' : `at most ${count} argument${count === 1 ? '' : 's'}`} after ` +
      `\`${command} ${action}\`, got \`${words.slice(count).join(' ')}\`.`,
    `See \`perdure ${command} --help\`.`,
  );
}

/** What `GATE_OPTIONS` say. */
export function gatesAs(options: Options): 'approve' | 'fallback' | 'ask' {
  return options.flag('yes') ? 'approve' : options.flag('unattended') ? 'fallback' : 'ask';
}
