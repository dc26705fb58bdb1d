import type { ReachOptions } from '../../web/access/reach.js';
import type { CommandSpec } from '../command.js';
import { AS_OPTION, TASK_QUEUE_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { REACH_OPTIONS, reachOptions } from '../reach-options.js';
import { actingName, print, tell } from '../terminal.js';

export const ui: CommandSpec = {
  name: 'ui',
  summary: 'serve pages on which people see runs and decide gates, until Ctrl-C',
  arguments: [],
  options: [
    ...REACH_OPTIONS,
    { flags: '--no-open', about: 'do not open a browser' },
    { ...AS_OPTION, about: 'who signs in by the link; the OS user by default' },
    TASK_QUEUE_OPTION,
  ],
  examples: ['perdure ui', 'perdure ui --no-open --port 8765'],
  async run({ options, terminal }) {
    const person = actingName(options.text('as'));
    const { reachOf } = await import('../../web/access/reach.js');
    const asked = reachOptions(options);
    const { requireFree } = await import('../../web/access/web-server.js');
    await requireFree(reachOf(asked, terminal.cwd)); // what is wrong is told before anything is made
    const { openSession } = await import('../session.js');
    const session = await openSession(terminal, { taskQueue: options.text('task-queue') });
    const reach = reachOf(named(asked, session.config.ui?.public_url), terminal.cwd);
    const { servePages } = await import('../../web/serve.js');
    const { hostSignal } = await import('../../workers/host/host-process.js');
    const stop = hostSignal();
    const pages = await servePages({ session, reach, terminal });
    try {
      const link = pages.invite(person);
      print(terminal, link);
      if (reach.trustedProxy !== null) tell(terminal, `The proxy finds it at ${pages.listens}.`);
      tell(terminal, `Open it to sign in as ${person}: it works once, within an hour. Ctrl-C ends the pages, no run.`);
      if (options.flag('open') && terminal.interactive) {
        const { openBrowser } = await import('../../web/access/open-browser.js');
        await openBrowser(link, terminal);
      }
      await new Promise<void>((resolve) => {
        if (stop.aborted) resolve();
        stop.addEventListener('abort', () => resolve());
      });
    } finally {
      await pages.close();
    }
    return EXIT.success;
  },
};

/** The address of the project's configuration, where others are to reach the pages and no other is given. */
function named(asked: ReachOptions, configured: string | undefined): ReachOptions {
  const isPublic = asked.trustedProxy !== null || asked.tlsCert !== null;
  return isPublic ? { ...asked, publicUrl: asked.publicUrl ?? configured ?? null } : asked;
}
