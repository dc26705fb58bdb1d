import type { CommandSpec } from '../command.js';
import { approve, reject } from './approve.js';
import { cancel } from './cancel.js';
import { doctor } from './doctor.js';
import { init } from './init.js';
import { list } from './list.js';
import { logs } from './logs.js';
import { plan } from './plan.js';
import { run } from './run.js';
import { schema } from './schema.js';
import { server } from './server.js';
import { show } from './show.js';
import { up } from './up.js';
import { validate } from './validate.js';
import { watch } from './watch.js';
import { worker } from './worker.js';

/** Every command, in the order in which `--help` lists them. */
export const COMMANDS: readonly CommandSpec[] = [run, validate, plan, list, show, watch, logs, approve, reject, cancel, init, schema, doctor, server, up, worker];
