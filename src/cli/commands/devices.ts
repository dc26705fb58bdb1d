import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { usageError } from '../exit-codes.js';
import { shellCommand } from '../../plan/text/shell-command.js';

const ACTIONS = ['list', 'monitor'] as const;

export const devices: CommandSpec = {
  name: 'devices',
  summary: 'list the devices of perdure.yml with who has them, and show what one says',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: [...ACTIONS] },
    { syntax: '[name]', about: 'the device to monitor' },
  ],
  options: [{ flags: '--for <seconds>', about: 'monitor: end after so long; until Ctrl-C by default' }, JSON_OPTION],
  examples: ['perdure devices list', 'perdure devices monitor uno', 'perdure devices monitor uno --for 5'],
  async run(invocation) {
    const {
      arguments: [action, name],
      options,
      terminal,
    } = invocation;
    if (action === 'list' && name !== undefined)
      throw usageError(
        `Expected nothing after \`list\`, got \`${name}\`.`,
        `\`${shellCommand('perdure devices monitor', [name])}\` shows what it says.`,
      );
    if (action === 'list') return (await import('../devices/tell-devices.js')).tellDevices(invocation);
    if (name === undefined) throw usageError('Expected the name of a device.', '`perdure devices list` has them all.');
    const seconds = options.text('for');
    const limit = seconds === null ? null : Number(seconds);
    if (limit !== null && !(limit > 0 && limit <= 86_400))
      throw usageError(`Expected \`--for\` to be a number of seconds up to 86400, got \`${seconds ?? ''}\`.`);
    return (await import('../devices/monitor-device.js')).monitorDevice(name, terminal, {
      limitMs: limit === null ? null : limit * 1000,
    });
  },
};
