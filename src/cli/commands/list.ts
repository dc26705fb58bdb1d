import type { CommandSpec } from '../command.js';
import { JSON_OPTION } from '../command.js';
import { EXIT } from '../exit-codes.js';
import { print, printJson, tell, widthOf } from '../terminal.js';

const STATUSES = ['running', 'waiting', 'paused', 'success', 'partial', 'error', 'timeout', 'cancelled'] as const;

export const list: CommandSpec = {
  name: 'list',
  summary: 'list runs, or with --waiting what waits for people and how to answer it',
  arguments: [],
  options: [{ flags: '--waiting', about: 'every open gate' }, { flags: '--status <status>', about: 'only runs with this status', choices: STATUSES }, JSON_OPTION],
  examples: ['perdure list', 'perdure list --waiting'],
  async run({ options, terminal }) {
    const { openExisting } = await import('../session.js');
    const { listRuns } = await import('../observe/list-runs.js');
    const { renderGateList, renderRunList } = await import('../render/lists.js');
    const { toGateJson } = await import('../render/json.js');
    const session = await openExisting(terminal, { taskQueue: null });
    const listed = session === null ? { runs: [], gates: [], serverIsDown: false } : await listRuns(session);
    const status = options.text('status');
    const runs = status === null ? listed.runs : listed.runs.filter((run) => run.status === status);
    const style = { now: Date.now(), width: widthOf(terminal.stdout), palette: terminal.resultPalette };
    if (options.flag('json')) printJson(terminal, options.flag('waiting') ? listed.gates.map(toGateJson) : runs);
    else print(terminal, ...(options.flag('waiting') ? renderGateList(listed.gates, style) : renderRunList(runs, style)));
    if (listed.serverIsDown) tell(terminal, 'The server is not running, so runs that have not ended are not listed; `perdure server start` starts it.');
    return EXIT.success;
  },
};
