import type { Verdict } from './action.js';

/**
 * What a command does, by its first words: `safe` only reads, `workspace` changes files of the workspace, `install`
 * brings packages in and is asked about, `network` needs a network that is closed by default, `denied` never runs. What
 * is in no class is denied.
 */
export const COMMAND_CLASSES = ['safe', 'workspace', 'install', 'network', 'denied'] as const;
export type CommandClass = (typeof COMMAND_CLASSES)[number];

/** Commands that begin with these words, and options with which they do more than their class says. */
export interface CommandRule {
  /** One or more words: `ls`, `git status`. The rule with the most words holds; of two alike the first. */
  words: string;
  class: CommandClass;
  /** Options that it must not have, such as `-exec` or `--output`. */
  refuses?: string[];
  /** Options with which a person is asked, and it runs in the sandbox alone: `-exec`, `-delete`. */
  asks?: string[];
}

/** What of an agent's permissions is about commands. */
interface CommandPermissions {
  commands: CommandRule[];
  network: boolean | string[];
}

/** The rule that holds for a command; null when nobody knows it. */
export function ruleFor(rules: CommandRule[], argv: string[]): CommandRule | null {
  let best: { rule: CommandRule; length: number } | null = null;
  for (const rule of rules) {
    const words = rule.words.split(' ');
    if (words.length > (best?.length ?? 0) && words.every((word, index) => argv[index] === word))
      best = { rule, length: words.length };
  }
  return best?.rule ?? null;
}

/**
 * The policy for commands: what is known to only read is safe, what changes the workspace runs in the sandbox.
 */
export function judgeCommand({ commands, network }: CommandPermissions, argv: string[]): Verdict {
  const shown = argv.slice(0, 3).join(' ');
  const rule = ruleFor(commands, argv);
  if (rule === null)
    return { verdict: 'deny', reason: `Nobody has said what \`${shown}\` does: it is in no class of commands.` };
  const refused = optionIn(rule.refuses, rule, argv);
  if (refused !== null) return { verdict: 'deny', reason: `\`${rule.words}\` is not run with \`${refused}\`.` };
  const asked = optionIn(rule.asks, rule, argv);
  if (asked !== null)
    return { verdict: 'ask', reason: `\`${rule.words}\` does more with \`${asked}\` than it does without.` };
  switch (rule.class) {
    case 'safe':
      return { verdict: 'allow', sandbox: argv.slice(1).some(leavesWorkspace) };
    case 'workspace':
      return { verdict: 'allow', sandbox: true };
    case 'install':
      return { verdict: 'ask', reason: `\`${rule.words}\` brings packages in, and runs what is in them.` };
    case 'network':
      return network === true
        ? { verdict: 'allow', sandbox: true }
        : { verdict: 'deny', reason: `\`${rule.words}\` needs the network, which is closed to this agent.` };
    case 'denied':
      return { verdict: 'deny', reason: `\`${rule.words}\` is not run for agents.` };
  }
}

/** Tells whether a command gets the network in its sandbox: packages are brought in through it. */
export function needsNetwork({ commands, network }: CommandPermissions, argv: string[]): boolean {
  const kind = ruleFor(commands, argv)?.class;
  return kind === 'install' || network === true;
}

/** An argument that may name a file elsewhere: the sandbox then sees that there is nothing to be seen. */
function leavesWorkspace(word: string): boolean {
  return /(^|[=:,@])[/~]/.test(word) || /^-[A-Za-z]+\//.test(word) || word.split(/[/=]/).includes('..');
}

/** The first option of a command that its rule refuses, or asks about. What may be meant is refused. */
function optionIn(options: string[] = [], { words }: CommandRule, argv: string[]): string | null {
  const rest = argv.slice(words.split(' ').length);
  return rest.find((word) => options.some((option) => isOption(word, option))) ?? null;
}

/** Tells whether a word may mean an option: long ones shortened (`--outp=x`), short ones together (`-ro`). */
export function isOption(word: string, option: string): boolean {
  const [written = ''] = word.split('=');
  if (option.startsWith('--'))
    return written.length > 2 && written.startsWith('--') && (option.startsWith(written) || written === option);
  if (option.length === 2 && option.startsWith('-')) return /^-[^-]/.test(word) && word.includes(option.slice(1), 1);
  return word === option || (option.startsWith('-') && word.startsWith(option));
}
