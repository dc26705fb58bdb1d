import type { CommandSpec } from '../command.js';
import { usageError } from '../exit-codes.js';
import { shellCommand } from '../../plan/text/shell-command.js';
import { RUN_ID_OPTION, runCommandOf, STARTING_OPTIONS } from './run.js';

export const build: CommandSpec = {
  name: 'build',
  summary: 'build what a spec says; mend, open or report what was built',
  arguments: [
    {
      syntax: '<spec>',
      about:
        'a build spec, or the name of one; `fix` mends what a run built, `open` serves its page, ' +
        '`report` tells what came of each requirement',
    },
    { syntax: '[run]', about: 'fix, open, report: the run that built it' },
    { syntax: '[text]', about: 'fix: what is to be changed; `-` reads it from stdin' },
  ],
  options: [
    RUN_ID_OPTION,
    { flags: '--html', about: 'report: print a page that stands alone', conflicts: 'json' },
    ...STARTING_OPTIONS,
  ],
  examples: [
    'perdure build definitions/builds/arcade-game.yml',
    'perdure build fix arcade-game-7k2m4xqa "The ship leaves the screen on the left."',
    'perdure build open arcade-game-7k2m4xqa',
    'perdure build report arcade-game-7k2m4xqa --html > report.html',
  ],
  async run({ arguments: [spec = '', built, typed], options, terminal }) {
    const taskQueue = options.text('task-queue');
    if (spec === 'open' || spec === 'report') {
      if (built === undefined || typed !== undefined)
        throw usageError(
          'Expected the run that built it.',
          `\`${shellCommand('perdure build', [spec, 'RUN'])}\`; \`perdure list\` shows the runs.`,
        );
      if (spec === 'open') {
        const { openBuild } = await import('../build/open-build.js');
        return openBuild(built, { taskQueue, json: options.flag('json') }, terminal);
      }
      const form = options.flag('json') ? 'json' : options.flag('html') ? 'html' : 'text';
      return (await import('../build/report/report-build.js')).reportBuild(built, { taskQueue, form }, terminal);
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
