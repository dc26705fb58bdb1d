import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { actingName } from '../terminal.js';

export const say: CommandSpec = {
  name: 'say',
  summary: 'tell a running agent something: it hears it at its next turn',
  arguments: [
    { syntax: '<address>', about: "a run's id and a step's path, RUN/PATH; the id alone where one agent works in it" },
    { syntax: '<text>', about: 'what you want to tell it; `-` reads it from stdin' },
  ],
  options: [AS_OPTION, JSON_OPTION],
  examples: ['perdure say fix-the-login-7k2m4xqa/mend "leave the old tests as they are"'],
  async run({ arguments: [address = '', typed], options, terminal }) {
    const { readRequest } = await import('../submit/read-request.js');
    const { sayTo } = await import('../follow/say-to.js');
    const text = (await readRequest(typed, terminal)) ?? '';
    return sayTo({ address, text, by: actingName(options.text('as')), json: options.flag('json') }, terminal);
  },
};
