import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { actingName } from '../terminal.js';

export const pause: CommandSpec = {
  name: 'pause',
  summary: 'let nothing new start in a run; what runs goes on to its end',
  arguments: [{ syntax: '<run>', about: "a run's id, also a nested one's" }],
  options: [AS_OPTION, JSON_OPTION],
  examples: ['perdure pause full-review-7k2m4xqa'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { steerRun } = await import('../follow/steer-run.js');
    return steerRun(
      { run, wish: { kind: 'pause' }, by: actingName(options.text('as')), id: null, json: options.flag('json') },
      terminal,
    );
  },
};
