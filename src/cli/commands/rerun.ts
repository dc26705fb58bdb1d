import type { CommandSpec } from '../command.js';
import {
  AS_OPTION,
  GATE_OPTIONS,
  JSON_OPTION,
  NARRATE_OPTIONS,
  STAY_OPTIONS,
  TASK_QUEUE_OPTION,
  gatesAs,
} from '../command.js';
import { actingName } from '../terminal.js';
import { LIMIT_OPTIONS } from './run.js';

export const rerun: CommandSpec = {
  name: 'rerun',
  summary: 'run again what a run has not done, and what has changed since',
  arguments: [{ syntax: '<run>', about: "a closed run's id" }],
  options: [
    { flags: '--from <step>', about: 'run this step anew, and all that depends on it' },
    { flags: '--again', about: 'repeat steps whose effect is external' },
    { flags: '--dry-run', about: 'tell what would be reused and what would run; start nothing' },
    { flags: '--id <id>', about: "the new run's id" },
    ...STAY_OPTIONS,
    ...GATE_OPTIONS,
    ...LIMIT_OPTIONS,
    ...NARRATE_OPTIONS,
    TASK_QUEUE_OPTION,
    AS_OPTION,
    JSON_OPTION,
  ],
  examples: ['perdure rerun full-review-7k2m4xqa', 'perdure rerun full-review-7k2m4xqa --from report --dry-run'],
  async run({ arguments: [run = ''], options, terminal }) {
    const { checkRunId } = await import('../submit/run-id.js');
    const { parseLimits } = await import('../submit/limits.js');
    const id = options.text('id');
    const limits = parseLimits((flag) => options.text(flag));
    if (id !== null) checkRunId(id);
    const { rerunRun } = await import('../submit/rerun/rerun.js');
    return rerunRun(
      {
        run,
        from: options.text('from'),
        again: options.flag('again'),
        dryRun: options.flag('dry-run'),
        id,
        detach: options.flag('detach'),
        untilWaiting: !options.flag('wait'),
        gates: gatesAs(options),
        limits,
        taskQueue: options.text('task-queue'),
        by: actingName(options.text('as')),
        json: options.flag('json'),
        narrate: options.choice('narrate'),
      },
      terminal,
    );
  },
};
