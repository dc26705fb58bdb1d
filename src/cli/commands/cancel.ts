import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const cancel: CommandSpec = {
  name: 'cancel',
  summary: 'stop a run: what runs is ended, nothing new starts',
  arguments: [{ syntax: '<run>', about: "a run's id" }],
  options: [JSON_OPTION],
  examples: ['perdure cancel full-review-7k2m4xqa'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { cancelRun } = await import('../follow/cancel-run.js');
    return cancelRun(run, options.flag('json'), terminal);
  },
};
