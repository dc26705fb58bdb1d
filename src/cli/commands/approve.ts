import type { Decision } from '../../plan/gates/gate.js';
import { COMMENT_CHARACTERS } from '../../plan/gates/gate.js';
import type { CommandSpec, Invocation, OptionSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { actingName } from '../terminal.js';

const PRINT_OPTION: OptionSpec = {
  flags: '--print',
  about: "send nothing: print the decision, with its token, for Temporal's UI or CLI",
};
const HASH_OPTION: OptionSpec = {
  flags: '--hash <hash>',
  about: 'decide only on what has this hash, as `show` prints it',
};
const TOKEN_OPTION: OptionSpec = {
  flags: '--token <token>',
  about: 'decide by the token or link that `perdure grant` printed; `-` reads it from stdin',
  conflicts: 'as',
};
const OPTIONS: OptionSpec[] = [
  { flags: '--comment <text>', about: 'what you want to say with it', free: true },
  AS_OPTION,
  TOKEN_OPTION,
  HASH_OPTION,
  PRINT_OPTION,
  JSON_OPTION,
];
const EDIT_OPTION: OptionSpec = { flags: '--edit <file>', about: 'approve the content as this file has it' };
const CHOOSE_OPTION: OptionSpec = { flags: '--option <option>', about: 'choose this one of the options it has' };
const REMEMBER_OPTION: OptionSpec = {
  flags: '--remember',
  about: 'allow the same call of a tool for the rest of the run, as it is shown',
  conflicts: 'edit',
};
const ADDRESS = { syntax: '<address>', about: "a gate's address, or a run's id when one gate is open in its tree" };
const ADDRESS_OR_TOKEN = { ...ADDRESS, syntax: '[address]', about: `${ADDRESS.about}; a token says it itself` };

function checkComment(comment: string | null): string | null {
  if (comment === null || comment.length <= COMMENT_CHARACTERS) return comment;
  throw usageError(`Expected \`--comment\` to have at most ${COMMENT_CHARACTERS} characters, got ${comment.length}.`);
}

/** What all three say beside their word. */
async function decideWith(
  { arguments: [address = ''], options, terminal }: Invocation,
  decision: Decision['decision'],
  { remember = false, ...more }: { answer?: string | null; edit?: string | null; remember?: boolean },
): Promise<ExitCode> {
  const { decideGate } = await import('../follow/decide-gate.js');
  const token = options.text('token');
  if (token === null && address === '') throw usageError('Expected `<address>`, got nothing.');
  const says = {
    decision,
    by: actingName(options.text('as')),
    comment: checkComment(options.text('comment')),
    via: 'terminal' as const,
    ...(remember ? { remember: true as const } : {}),
  };
  const command = {
    ...{ address, says, json: options.flag('json'), print: options.flag('print'), hash: options.text('hash') },
    ...more,
  };
  if (token === null) return decideGate(command, terminal);
  const { withGrant } = await import('../follow/granted.js');
  const { readRequest } = await import('../submit/read-request.js');
  return decideGate(withGrant((await readRequest(token, terminal)) ?? '', command), terminal);
}

export const approve: CommandSpec = {
  name: 'approve',
  summary: 'approve what a gate shows',
  arguments: [ADDRESS_OR_TOKEN],
  options: [EDIT_OPTION, { ...CHOOSE_OPTION, conflicts: 'edit' }, REMEMBER_OPTION, ...OPTIONS],
  examples: [
    'perdure approve full-review-7k2m4xqa/approve',
    'perdure approve full-review-7k2m4xqa/approve --edit report.md',
  ],
  run: (invocation) =>
    decideWith(invocation, 'approve', {
      answer: invocation.options.text('option'),
      edit: invocation.options.text('edit'),
      remember: invocation.options.flag('remember'),
    }),
};

export const reject: CommandSpec = {
  name: 'reject',
  summary: 'reject what a gate shows',
  arguments: [ADDRESS_OR_TOKEN],
  options: OPTIONS,
  examples: ['perdure reject full-review-7k2m4xqa/approve --comment "the tests are missing"'],
  run: (invocation) => decideWith(invocation, 'reject', {}),
};

export const answer: CommandSpec = {
  name: 'answer',
  summary: 'answer a question, or choose one of the options of a gate',
  arguments: [ADDRESS, { syntax: '<text>', about: 'the answer or the option; `-` reads it from stdin' }],
  options: OPTIONS,
  examples: [
    'perdure answer release-7k2m4xqa/version 2.1.0',
    'perdure answer release-7k2m4xqa/when tomorrow --comment "after the freeze"',
  ],
  async run(invocation) {
    const { readRequest } = await import('../submit/read-request.js');
    return decideWith(invocation, 'answer', {
      answer: await readRequest(invocation.arguments[1], invocation.terminal),
    });
  },
};
