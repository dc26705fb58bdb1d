import type { CommandSpec, Options, OptionSpec } from '../command.js';
import {
  AS_OPTION,
  GATE_OPTIONS,
  INPUT_OPTIONS,
  JSON_OPTION,
  NARRATE_OPTIONS,
  STAY_OPTIONS,
  TASK_QUEUE_OPTION,
  gatesAs,
} from '../command.js';
import { usageError } from '../exit-codes.js';
import type { RunCommand } from '../submit/submit-run.js';
import { actingName } from '../terminal.js';

export const LIMIT_OPTIONS: OptionSpec[] = [
  { flags: '--max-steps <n>', about: 'steps that act or ask, in the whole tree' },
  { flags: '--max-parallel <n>', about: 'steps that act at the same time' },
  { flags: '--max-runtime-mins <n>', about: 'minutes until everything is stopped' },
  { flags: '--max-cost-usd <n>', about: 'dollars for models' },
  { flags: '--max-tokens <n>', about: 'tokens of models' },
];

export const RUN_ID_OPTION: OptionSpec = {
  flags: '--id <id>',
  about: "the run's id: the same id, definition and input join the same run",
};

/** What `runCommandOf` reads beside the run's id. */
export const STARTING_OPTIONS: OptionSpec[] = [
  ...STAY_OPTIONS,
  { flags: '--rehearse', about: 'everything for real but the models, whose answers are stand-ins' },
  ...GATE_OPTIONS,
  ...LIMIT_OPTIONS,
  ...NARRATE_OPTIONS,
  TASK_QUEUE_OPTION,
  AS_OPTION,
  JSON_OPTION,
];

export const run: CommandSpec = {
  name: 'run',
  summary: 'run a definition, and follow it to its end',
  arguments: [
    { syntax: '<definition>', about: 'a definition file, or the name of one' },
    { syntax: '[request]', about: 'what is asked for, where the definition takes a request; `-` reads it from stdin' },
  ],
  options: [
    ...INPUT_OPTIONS,
    RUN_ID_OPTION,
    { flags: '--session <id>', about: 'go on with a session; `new` begins one' },
    ...STARTING_OPTIONS,
    { flags: '--ci', about: 'for a CI system: refuse what would wait for people, and report to it' },
    { flags: '--junit <file>', about: "with --ci: the report in JUnit's form; perdure-junit.xml by default" },
    { flags: '--ask-above <usd>', about: 'ask before it starts, if it may cost more: 95 of 100 runs do not' },
  ],
  examples: [
    'perdure run definitions/workflows/hello.yml -i name=World',
    'git diff | perdure run review.yml - --max-cost-usd 2',
  ],
  async run({ arguments: [definition = '', request], options, terminal }) {
    const command = await runCommandOf(definition, options);
    const { parseAskAbove } = await import('../submit/ask-above.js');
    const submitted = await import('../submit/run.js');
    return submitted.run(
      {
        ...command,
        request,
        pairs: options.list('input'),
        inputFile: options.text('inputs'),
        session: options.text('session'),
        ...ciOf(options),
        askAbove: parseAskAbove(options.text('ask-above')),
      },
      terminal,
    );
  },
};

/** What the options say of a run, whatever is run. */
export async function runCommandOf(definition: string, options: Options): Promise<RunCommand> {
  const { parseLimits } = await import('../submit/limits.js');
  const { checkRunId } = await import('../submit/run-id.js');
  const id = options.text('id');
  const limits = parseLimits((flag) => options.text(flag));
  if (id !== null) checkRunId(id);
  return {
    definition,
    request: undefined,
    pairs: [],
    inputFile: null,
    id,
    detach: options.flag('detach'),
    untilWaiting: !options.flag('wait'),
    rehearse: options.flag('rehearse'),
    gates: gatesAs(options),
    limits,
    taskQueue: options.text('task-queue'),
    by: actingName(options.text('as')),
    json: options.flag('json'),
    narrate: options.choice('narrate'),
  };
}

function ciOf(options: Options): Pick<RunCommand, 'ci'> & Partial<Pick<RunCommand, 'untilWaiting'>> {
  const junit = options.text('junit');
  if (!options.flag('ci')) {
    if (junit !== null) throw usageError('`--junit` is for `--ci`.');
    return {};
  }
  if (options.flag('detach')) throw usageError('`--ci` reports how the run ended: it cannot be left with `--detach`.');
  return { ci: { junit: junit ?? 'perdure-junit.xml' }, untilWaiting: true };
}
