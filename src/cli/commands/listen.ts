import type { CommandSpec } from '../command.js';
import { AS_OPTION, TASK_QUEUE_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { REACH_OPTIONS, reachOptions } from '../reach-options.js';
import { actingName, print, tell } from '../terminal.js';

export const listen: CommandSpec = {
  name: 'listen',
  summary: 'take webhooks that start runs of definitions, until Ctrl-C',
  arguments: [],
  options: [
    ...REACH_OPTIONS,
    { ...AS_OPTION, about: 'who submits the runs; the OS user by default' },
    TASK_QUEUE_OPTION,
  ],
  examples: [
    'HOOK_SECRET=… perdure listen --port 8787',
    'perdure listen --port 8787 --public-url https://hooks.example.com --trusted-proxy 127.0.0.1',
  ],
  async run({ options, terminal }) {
    const { reachOf } = await import('../../web/access/reach.js');
    const reach = reachOf(reachOptions(options), terminal.cwd);
    const { openSession, openWorkspace } = await import('../session.js');
    const { findHooks } = await import('../../web/hooks/open-hooks.js');
    // What is not right is told before anything is made or started.
    const { requireFree } = await import('../../web/access/web-server.js');
    await requireFree(reach);
    const workspace = await openWorkspace(terminal);
    const wanted = await findHooks(workspace, terminal);
    const session = await openSession(terminal, { taskQueue: options.text('task-queue'), workspace });
    const { serveHooks } = await import('../../web/hooks/serve-hooks.js');
    const { hostSignal } = await import('../../workers/host/host-process.js');
    const stop = hostSignal();
    const hooks = await serveHooks({ wanted, session, reach, by: actingName(options.text('as')), terminal });
    try {
      for (const address of hooks.addresses.values()) print(terminal, address);
      tell(terminal, 'Definitions are as they are now: start it again after a change. Ctrl-C ends it, and no run.');
      await new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        stop.addEventListener('abort', () => resolve());
      });
    } finally {
      await hooks.close();
    }
    return EXIT.success;
  },
};
