import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const receipt: CommandSpec = {
  name: 'receipt',
  summary: "print the signed receipts of a run's decisions, which anybody can verify with the public key",
  arguments: [{ syntax: '[address]', about: "a run's id, or a gate's address" }],
  options: [
    { flags: '-o, --output <file>', about: 'write them to this file' },
    { flags: '--public-key', about: 'print the public key, as PEM', conflicts: 'output' },
    JSON_OPTION,
  ],
  examples: ['perdure receipt full-review-7k2m4xqa -o approved.receipt', 'perdure receipt --public-key > perdure.pub'],
  async run({ arguments: [address = ''], options, terminal }) {
    const { printPublicKey, printReceipts } = await import('../follow/receipts.js');
    return options.flag('public-key')
      ? printPublicKey(address, options.flag('json'), terminal)
      : printReceipts({ address, file: options.text('output'), json: options.flag('json') }, terminal);
  },
};
