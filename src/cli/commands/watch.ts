import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION, NARRATE_OPTIONS } from '../command.js';
import { actingName } from '../terminal.js';

export const watch: CommandSpec = {
  name: 'watch',
  summary: 'follow a run from where it is, and decide its gates',
  arguments: [{ syntax: '<run>', about: "a run's id" }],
  options: [
    { flags: '--no-wait', about: 'end with exit code 4 where the run waits for a person' },
    ...NARRATE_OPTIONS,
    AS_OPTION,
    { ...JSON_OPTION, about: 'print the events as one JSON list, one a line, as they come' },
  ],
  examples: ['perdure watch full-review-7k2m4xqa', 'perdure watch arcade-game-7k2m4xqa --narrate'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { watchRun } = await import('../follow/watch-run.js');
    const command = {
      run,
      untilWaiting: !options.flag('wait'),
      by: actingName(options.text('as')),
      json: options.flag('json'),
      narrate: options.choice('narrate'),
    };
    return watchRun(command, terminal);
  },
};
