import type { CommandSpec } from '../command.js';
import { TASK_QUEUE_OPTION } from '../command.js';
import { HEALTH_OPTIONS, healthFrom } from '../health-options.js';
import { EXIT, usageError } from '../exit-codes.js';
import type { ServedPages } from '../../web/serve.js';
import type { Terminal } from '../terminal.js';
import { actingName, tell } from '../terminal.js';

export const up: CommandSpec = {
  name: 'up',
  summary: 'run the host, server and worker, in the foreground until Ctrl-C',
  arguments: [],
  options: [{ flags: '--ui-port <n>', about: 'port of the Web UI' }, ...HEALTH_OPTIONS, TASK_QUEUE_OPTION],
  examples: ['perdure up --ui-port 8233'],
  async run({ options, terminal }) {
    const uiPort = parsePort(options.text('ui-port'));
    const health = await healthFrom(options, terminal);
    const { requireFiles } = await import('../../workers/processes/file-limit.js');
    requireFiles(); // before so many modules are loaded that the limit itself says so
    const { openWorkspace } = await import('../session.js');
    const workspace = await openWorkspace(terminal);
    const host = await import('../../workers/foreground-host.js');
    let pages: Promise<ServedPages | null> | null = null;
    await host.up({
      ...workspace,
      uiPort,
      health,
      taskQueue: options.text('task-queue') ?? undefined,
      credentials: () => terminal.env,
      log: (line) => tell(terminal, terminal.palette.dim(line)),
      onReady: ({ address, uiUrl, taskQueue }) => {
        tell(
          terminal,
          `Ready: server ${address} · task queue ${taskQueue}`,
          `  Web UI ${uiUrl}`,
          '  Ctrl-C ends it; runs that are open go on when it is back.',
        );
        pages = servePages(terminal, options.text('task-queue'));
      },
    });
    await (await (pages as Promise<ServedPages | null> | null))?.close(); // set when the host was ready
    return EXIT.success;
  },
};

/** The pages beside the host, for this machine alone; `perdure ui` has all ways to reach them. Null where they fail. */
async function servePages(terminal: Terminal, taskQueue: string | null): Promise<ServedPages | null> {
  try {
    const { openSession } = await import('../session.js');
    const { reachOf, THIS_MACHINE } = await import('../../web/access/reach.js');
    const web = await import('../../web/serve.js');
    const session = await openSession(terminal, { taskQueue });
    const pages = await web.servePages({ session, reach: reachOf(THIS_MACHINE, terminal.cwd), terminal });
    tell(terminal, `  Pages ${pages.invite(actingName(null))}  (signs in once)`);
    return pages;
  } catch (error) {
    tell(terminal, `  The pages are not served: ${error instanceof Error ? error.message : String(error)}`);
    return null;
  }
}

function parsePort(text: string | null): number | undefined {
  if (text === null) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw usageError(`Expected \`--ui-port\` to be a port from 1 to 65535, got \`${text}\`.`);
}
