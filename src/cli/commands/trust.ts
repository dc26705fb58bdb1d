import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';

export const trust: CommandSpec = {
  name: 'trust',
  summary: 'trust the project here, which lies in the workspace of another',
  arguments: [],
  options: [{ flags: '--remove', about: 'trust it no more' }, JSON_OPTION],
  examples: ['cd packages/site && perdure trust'],
  async run({ options, terminal }) {
    const { trustProject } = await import('../trust/trust-project.js');
    return trustProject({ trusted: !options.flag('remove'), json: options.flag('json') }, terminal);
  },
};
