import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { asTyped } from '../text/own-name.js';

export const server: CommandSpec = {
  name: 'server',
  summary: 'start, stop or look at the background host of this project',
  arguments: [{ syntax: '<action>', about: 'what to do', choices: ['start', 'stop', 'status'] }],
  options: [JSON_OPTION],
  examples: ['perdure server status', 'perdure server stop'],
  async run({ arguments: [action], options, terminal }) {
    const json = options.flag('json');
    if (action === 'stop') return stop(terminal, json);
    if (action === 'start') await start(terminal);
    return status(terminal, json);
  },
};

async function start(terminal: Terminal): Promise<void> {
  const { openSession } = await import('../session.js');
  const session = await openSession(terminal, { taskQueue: null });
  await (await session.connect({ start: true })).close();
}

async function stop(terminal: Terminal, json: boolean): Promise<ExitCode> {
  const { stopHost } = await import('../../workers/host/host-client.js');
  const stopped = await stopHost(await stateDirOf(terminal));
  if (json) printJson(terminal, { stopped });
  else
    tell(
      terminal,
      stopped ? 'Host and server have ended. Open runs go on when they are back.' : 'No host was running.',
    );
  return EXIT.success;
}

async function status(terminal: Terminal, json: boolean): Promise<ExitCode> {
  const { hostStatus } = await import('../../workers/host/host-client.js');
  const found = await hostStatus(await stateDirOf(terminal));
  if (json) printJson(terminal, found ?? { phase: 'stopped' });
  else if (found === null)
    tell(terminal, asTyped('No host is running. The next run starts it, or `perdure server start`.'));
  else {
    const { phase, pid, address, uiUrl, taskQueue, clients, since } = found;
    print(
      terminal,
      `${phase} since ${since.slice(0, 19).replace('T', ' ')} UTC, pid ${pid}, ${clients} joined`,
      `  server      ${address}`,
      `  Web UI      ${uiUrl}`,
      `  task queue  ${taskQueue}`,
    );
  }
  return found === null ? EXIT.unavailable : EXIT.success;
}

async function stateDirOf({ cwd }: Terminal): Promise<string> {
  const { findProject } = await import('../../compiler/project/project.js');
  const { requireFolder } = await import('../../workers/server/server-database.js');
  const { stateDir } = findProject(cwd);
  requireFolder(stateDir);
  return stateDir;
}
