import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { print, printJson } from '../terminal.js';

const RETENTION_DAYS = 90;

export const setup: CommandSpec = {
  name: 'setup',
  summary: 'make namespace and search attributes at a Temporal server elsewhere (TEMPORAL_ADDRESS)',
  arguments: [],
  options: [
    {
      flags: '--retention <days>',
      about: `how long a new namespace keeps closed runs; ${RETENTION_DAYS} when left out`,
    },
    JSON_OPTION,
  ],
  examples: ['TEMPORAL_ADDRESS=temporal.example:7233 TEMPORAL_NAMESPACE=team perdure setup'],
  async run({ options, terminal }) {
    const days = parseDays(options.text('retention'));
    const { temporalSettings } = await import('../../workers/connection/temporal-settings.js');
    const settings = temporalSettings(terminal.env);
    if (settings === null)
      throw new CliError(
        'No Temporal server is named.',
        EXIT.unavailable,
        "Set TEMPORAL_ADDRESS, or a profile. Perdure's own server needs no setup.",
      );
    const { setUpServer } = await import('../../workers/connection/setup-server.js');
    const { namespace, searchAttributes } = await setUpServer(settings, days);
    const made = [...(namespace ? [`namespace ${settings.namespace}`] : []), ...searchAttributes];
    if (options.flag('json'))
      printJson(terminal, {
        address: settings.address,
        namespace: settings.namespace,
        made: { namespace, search_attributes: searchAttributes },
      });
    else
      print(
        terminal,
        `${settings.address}, namespace ${settings.namespace}: ` +
          (made.length === 0 ? 'all is there, nothing was made.' : `made ${made.join(', ')}.`),
      );
    return EXIT.success;
  },
};

function parseDays(text: string | null): number {
  const days = Number(text ?? RETENTION_DAYS);
  if (Number.isInteger(days) && days > 0 && days <= 3650) return days;
  throw usageError(`Expected \`--retention\` to be a number of days from 1 to 3650, got \`${text ?? ''}\`.`);
}
