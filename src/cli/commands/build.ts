import type { CommandSpec } from '../command.js';
import { usageError } from '../exit-codes.js';
import { RUN_ID_OPTION, runCommandOf, STARTING_OPTIONS } from './run.js';

export const build: CommandSpec = {
  name: 'build',
  summary: 'build what a spec says, or mend what was built',
  arguments: [
    { syntax: '<spec>', about: 'a build spec, or the name of one; `fix` mends what a run built' },
    { syntax: '[run]', about: 'fix: the run that built it' },
    { syntax: '[text]', about: 'fix: what is to be changed; `-` reads it from stdin' },
  ],
  options: [RUN_ID_OPTION, ...STARTING_OPTIONS],
  examples: [
    'perdure build definitions/builds/arcade-game.yml',
    'perdure build fix arcade-game-7k2m4xqa "The ship leaves the screen on the left."',
  ],
  async run({ arguments: [spec = '', built, typed], options, terminal }) {
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
