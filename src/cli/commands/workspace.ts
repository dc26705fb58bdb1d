import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { shellCommand } from '../../plan/text/shell-command.js';

export const workspace: CommandSpec = {
  name: 'workspace',
  summary: 'what changed in the folder while a run worked in it: files, their differences, copies of them',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: ['show', 'diff', 'export', 'apply'] },
    { syntax: '<run>', about: 'a run, open or closed' },
    { syntax: '[paths...]', about: 'diff: files and folders, all when left out; export: the new folder to write to' },
  ],
  options: [
    {
      flags: '--at <moment>',
      about: 'export: the files as the run found or left them; `end` when left out',
      choices: ['start', 'end'],
    },
    { flags: '--changed', about: 'export: only files that have changed' },
    JSON_OPTION,
  ],
  examples: [
    'perdure workspace show brave-otter-41',
    'perdure workspace diff brave-otter-41 src | git apply --reverse',
    'perdure workspace export brave-otter-41 made --changed',
    'perdure workspace apply brave-otter-41',
  ],
  async run({ arguments: [action, run = '', ...paths], options, terminal }) {
    const json = options.flag('json');
    const exporting = action === 'export';
    for (const name of ['at', 'changed']) {
      if (!exporting && (options.flag(name) || options.text(name) !== null))
        throw usageError(`\`--${name}\` belongs to \`workspace export\`.`);
    }
    if (exporting) {
      const [folder, ...more] = paths;
      if (folder === undefined || more.length > 0) throw usageError('Expected one folder to write to after the run.');
      await (
        await import('../workspace/export-files.js')
      ).exportFiles(
        { run, folder, at: options.text('at') === 'start' ? 'start' : 'end', changed: options.flag('changed'), json },
        terminal,
      );
    } else if (action === 'apply') {
      if (paths.length > 0) throw usageError('`workspace apply` takes no paths: it brings all that the run committed.');
      await (await import('../workspace/apply-changes.js')).applyChanges(run, json, terminal);
    } else if (action === 'diff')
      await (await import('../workspace/show-diff.js')).showDiff({ run, paths, json }, terminal);
    else {
      if (paths.length > 0)
        throw usageError('`workspace show` takes no paths.', shellCommand('perdure workspace diff', [run, ...paths]));
      await (await import('../workspace/show-changes.js')).showChanges(run, json, terminal);
    }
    return EXIT.success;
  },
};
