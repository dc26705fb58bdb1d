import type { CommandSpec } from '../command.js';
import { agents } from './agents.js';
import { answer, approve, reject } from './approve.js';
import { build } from './build.js';
import { budget } from './budget.js';
import { cancel } from './cancel.js';
import { codecServer } from './codec-server.js';
import { completionOf } from './completion.js';
import { deployment } from './deployment.js';
import { design } from './design.js';
import { devices } from './devices.js';
import { doctor } from './doctor.js';
import { exportCommand } from './export.js';
import { fmt } from './fmt.js';
import { grant } from './grant.js';
import { importCommand } from './import.js';
import { init } from './init.js';
import { list } from './list.js';
import { logs } from './logs.js';
import { listen } from './listen.js';
import { lsp } from './lsp.js';
import { mcp } from './mcp.js';
import { memory } from './memory.js';
import { pause } from './pause.js';
import { plan } from './plan.js';
import { promote } from './promote.js';
import { receipt } from './receipt.js';
import { record } from './record.js';
import { prune } from './prune.js';
import { rerun } from './rerun.js';
import { resume } from './resume.js';
import { run } from './run.js';
import { say } from './say.js';
import { schedules } from './schedules.js';
import { schema } from './schema.js';
import { server } from './server.js';
import { sessions } from './sessions.js';
import { setup } from './setup.js';
import { show } from './show.js';
import { stats } from './stats.js';
import { store } from './store.js';
import { test } from './test.js';
import { tools } from './tools.js';
import { trust } from './trust.js';
import { ui } from './ui.js';
import { up } from './up.js';
import { validate } from './validate.js';
import { watch } from './watch.js';
import { worker } from './worker.js';
import { workers } from './workers.js';
import { workspace } from './workspace.js';

/** Every command, in the order in which `--help` lists them. */
export const COMMANDS: readonly CommandSpec[] = [
  run,
  validate,
  fmt,
  plan,
  list,
  show,
  stats,
  watch,
  logs,
  approve,
  reject,
  answer,
  say,
  grant,
  receipt,
  budget,
  pause,
  resume,
  cancel,
  rerun,
  build,
  record,
  test,
  design,
  agents,
  promote,
  exportCommand,
  tools,
  devices,
  schedules,
  listen,
  sessions,
  memory,
  workspace,
  init,
  trust,
  importCommand,
  schema,
  doctor,
  prune,
  store,
  completionOf(() => COMMANDS),
  ui,
  server,
  up,
  worker,
  workers,
  deployment,
  setup,
  codecServer,
  mcp,
  lsp,
];
