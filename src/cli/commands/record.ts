import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const record: CommandSpec = {
  name: 'record',
  summary: 'write what models and people said in a closed run, and how it ended, as a test',
  arguments: [{ syntax: '<run>', about: "a closed run's id" }],
  options: [
    { flags: '--to <file>', about: "the file to write; recordings/<the definition's name>.yml when left out" },
    { flags: '--commands', about: 'also how its commands ended: the test runs none then' },
    JSON_OPTION,
  ],
  examples: ['perdure record full-review-7k2m4xqa', 'perdure record tour-3h9s6d2p --to recordings/tour-in-oslo.yml'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { recordRun } = await import('../testing/record-run.js');
    return recordRun(
      { run, to: options.text('to'), commands: options.flag('commands'), json: options.flag('json') },
      terminal,
    );
  },
};
