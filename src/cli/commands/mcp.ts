import type { CommandSpec } from '../command.js';
import { AS_OPTION } from '../command.js';
import { EXIT, usageError } from '../exit-codes.js';
import { actingName } from '../terminal.js';

/** Less than the minute after which clients give up on a tool. */
const WAIT_S = 50;

export const mcp: CommandSpec = {
  name: 'mcp',
  summary: 'serve this project to an MCP client, such as Claude Code, on stdin and stdout',
  arguments: [],
  options: [
    {
      flags: '--wait <seconds>',
      about: `how long a tool waits for a run before it gives a handle; ${WAIT_S} by default`,
    },
    {
      flags: '--glee',
      about: 'list each tool a second time, with `glee_` before its name, for clients that are set up for those',
    },
    {
      flags: '--ask-above <usd>',
      about: 'ask the person before a run is started that may cost more: 95 of 100 runs do not',
    },
    { ...AS_OPTION, about: 'who the person at the client is, when it asks them; the OS user by default' },
  ],
  examples: ['perdure mcp', 'claude mcp add perdure -- npx perdure mcp'],
  async run({ options, terminal }) {
    const waitMs = parseSeconds(options.text('wait')) * 1_000;
    const person = actingName(options.text('as'));
    const { parseAskAbove } = await import('../submit/ask-above.js');
    const askAbove = parseAskAbove(options.text('ask-above'));
    const { openWorkspace } = await import('../session.js');
    await openWorkspace(terminal);
    const { packageVersion } = await import('../package-version.js');
    const { serveMcp } = await import('../../mcp/serve.js');
    await serveMcp({ terminal, version: packageVersion(), person, waitMs, askAbove, glee: options.flag('glee') });
    return EXIT.success;
  },
};

function parseSeconds(text: string | null): number {
  if (text === null) return WAIT_S;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds > 0 && seconds <= 3_600) return seconds;
  throw usageError(`Expected \`--wait\` to be a number of seconds above 0 and at most 3600, got \`${text}\`.`);
}
