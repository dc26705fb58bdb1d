import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';
import { actingName } from '../terminal.js';

export const design: CommandSpec = {
  name: 'design',
  summary: 'have a flow and its temporary agents written for what you want; runs nothing of it',
  arguments: [{ syntax: '[wish]', about: 'what you want done; `-` reads it from stdin' }],
  options: [
    { flags: '--check', about: 'say what is wrong with a draft on stdin, as JSON; needs no model' },
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: ['perdure design "review every changed file for security, then write one report that I approve"'],
  async run({ arguments: [typed], options, terminal }) {
    if (options.flag('check')) return (await import('../design/check-draft.js')).checkDraft(terminal);
    const { readRequest } = await import('../submit/read-request.js');
    const wish = await readRequest(typed, terminal);
    if (wish === null || wish.trim() === '')
      throw usageError(
        'Expected what you want, in a sentence or two.',
        'perdure design "review what changed and write a report"',
      );
    return (await import('../design/design-flow.js')).designFlow(
      { wish, by: actingName(options.text('as')), json: options.flag('json') },
      terminal,
    );
  },
};
