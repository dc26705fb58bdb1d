import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const logs: CommandSpec = {
  name: 'logs',
  summary: 'print what agents and commands wrote',
  arguments: [
    { syntax: '<run>', about: "a run's id" },
    { syntax: '[step]', about: 'the path of a step, as `show` prints it; all steps by default' },
  ],
  options: [{ flags: '-f, --follow', about: 'go on until the run has ended' }, JSON_OPTION],
  examples: ['perdure logs full-review-7k2m4xqa', 'perdure logs full-review-7k2m4xqa scanners/lint -f'],
  async run({ arguments: [run = '', step], options, terminal }) {
    const { printLogs } = await import('../follow/logs.js');
    return printLogs({ run, step: step ?? null, follow: options.flag('follow'), json: options.flag('json') }, terminal);
  },
};
