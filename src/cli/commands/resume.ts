import type { CommandSpec } from '../command.js';
import { AS_OPTION, JSON_OPTION } from '../command.js';
import { actingName } from '../terminal.js';

export const resume: CommandSpec = {
  name: 'resume',
  summary: 'end a pause',
  arguments: [{ syntax: '<run>', about: 'the run that was paused' }],
  options: [AS_OPTION, JSON_OPTION],
  examples: ['perdure resume full-review-7k2m4xqa'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { steerRun } = await import('../follow/steer-run.js');
    return steerRun(
      { run, wish: { kind: 'resume' }, by: actingName(options.text('as')), id: null, json: options.flag('json') },
      terminal,
    );
  },
};
