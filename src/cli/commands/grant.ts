import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const grant: CommandSpec = {
  name: 'grant',
  summary: 'let one person decide one gate once, from elsewhere: prints a link and a token',
  arguments: [{ syntax: '<address>', about: "a gate's address, or a run's id when one gate is open in its tree" }],
  options: [
    { flags: '--to <name>', about: 'who decides by it; the only approver, or you, by default', free: true },
    {
      flags: '--decisions <list>',
      about: 'what it allows, of approve, reject, answer, edit; all that the gate takes but edit by default',
    },
    { flags: '--expires <duration>', about: 'how long it is valid, such as 2h; 7d by default' },
    { flags: '--public-url <url>', about: 'where the pages are reached; `ui: {public_url}` of perdure.yml by default' },
    JSON_OPTION,
  ],
  examples: [
    'perdure grant full-review-7k2m4xqa/approve --to ana',
    'perdure grant full-review-7k2m4xqa --to ana --decisions approve,reject --expires 2h',
  ],
  async run({ arguments: [address = ''], options, terminal }) {
    const { grantGate } = await import('../follow/grant-gate.js');
    return grantGate(
      {
        address,
        to: options.text('to'),
        decisions: options.text('decisions'),
        expires: options.text('expires'),
        publicUrl: options.text('public-url'),
        json: options.flag('json'),
      },
      terminal,
    );
  },
};
