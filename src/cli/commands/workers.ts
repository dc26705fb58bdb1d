import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson } from '../terminal.js';

export const workers: CommandSpec = {
  name: 'workers',
  summary: 'list the workers of this store: where they are, and what they take',
  arguments: [],
  options: [JSON_OPTION],
  examples: ['perdure workers'],
  async run({ options, terminal }) {
    const { openSession } = await import('../session.js');
    const { workerLines } = await import('../render/worker-lines.js');
    const { store } = await openSession(terminal, { taskQueue: null, lookOnly: true });
    const found = await store.listWorkers();
    if (options.flag('json')) printJson(terminal, found);
    else if (found.length === 0)
      print(terminal, 'No worker of this store is there. `perdure server start` or `perdure worker` starts one.');
    else print(terminal, ...workerLines(found, { now: Date.now(), palette: terminal.resultPalette }));
    return EXIT.success;
  },
};
