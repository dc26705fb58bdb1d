import type { CommandSpec } from '../command.js';
import { usageError } from '../exit-codes.js';
import { RUN_ID_OPTION, runCommandOf, STARTING_OPTIONS } from './run.js';

export const build: CommandSpec = {
  name: 'build',
  summary: 'build what a spec says, mend or open what was built',
  arguments: [
    {
      syntax: '<spec>',
      about: 'a build spec, or the name of one; `fix` mends what a run built, `open` serves its page',
    },
    { syntax: '[run]', about: 'fix, open: the run that built it' },
    { syntax: '[text]', about: 'fix: what is to be changed; `-` reads it from stdin' },
  ],
  options: [RUN_ID_OPTION, ...STARTING_OPTIONS],
  examples: [
    'perdure build definitions/builds/arcade-game.yml',
    'perdure build fix arcade-game-7k2m4xqa "The ship leaves the screen on the left."',
    'perdure build open arcade-game-7k2m4xqa',
  ],
  async run({ arguments: [spec = '', built, typed], options, terminal }) {
    if (spec === 'open') {
      if (built === undefined || typed !== undefined)
        throw usageError('Expected the run that built it.', '`perdure build open RUN`; `perdure list` shows the runs.');
      return (await import('../build/open-build.js')).openBuild(
        built,
        { taskQueue: options.text('task-queue') },
        terminal,
      );
    }
    const command = await runCommandOf(spec, options);
    if (spec !== 'fix') {
      if (built !== undefined)
        throw usageError('`build` takes one spec.', '`perdure build fix RUN TEXT` mends what a run built.');
      const submitted = await import('../submit/run.js');
      return submitted.run(command, terminal);
    }
    const { readRequest } = await import('../submit/read-request.js');
    const wish = await readRequest(typed, terminal);
    if (built === undefined || wish === null || wish.trim() === '')
      throw usageError(
        'Expected the run that built it, and what is to be changed.',
        '`perdure build fix RUN TEXT`; `perdure list` shows the runs.',
      );
    const { fixBuild } = await import('../build/fix-build.js');
    return fixBuild(built, wish, command, terminal);
  },
};
