import type { JsonObject } from '../../plan/json.js';
import type { Budgets, Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { conclude } from '../follow/conclude.js';
import { follow, runUrl } from '../follow/follow.js';
import { viewOfRecord } from '../observe/closed.js';
import { renderJoined } from '../render/screen.js';
import type { Session, Workspace } from '../session.js';
import { openSession, openWorkspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import { collectInput } from './collect-input.js';
import type { Compiled } from './prepare.js';
import { compile, settle, storePlan, toRunInput } from './prepare.js';
import { readInputFile, readRequest } from './read-request.js';
import { newRunId } from './run-id.js';
import { joinsRecord, startOrJoin } from './start-run.js';

/** Everything that `run` was told. */
export interface RunCommand {
  definition: string;
  request: string | undefined;
  pairs: string[];
  inputFile: string | null;
  id: string | null;
  detach: boolean;
  untilWaiting: boolean;
  rehearse: boolean;
  gates: RunSettings['gates'];
  limits: Budgets;
  taskQueue: string | null;
  by: string;
  json: boolean;
}

/** Compiles, checks, submits and follows. Everything that can be wrong is found before anything is started. */
export async function run(command: RunCommand, terminal: Terminal): Promise<ExitCode> {
  const workspace = await openWorkspace(terminal);
  const compiled = await compile(command.definition, workspace, terminal);
  const given = { pairs: command.pairs, file: await readInputFile(command.inputFile, terminal), request: await readRequest(command.request, terminal) };
  const input = collectInput(compiled.plan, given);
  const settings = await settle(compiled.plan, command, workspace, terminal);
  const session = await openSession(terminal, command);
  const id = command.id ?? newRunId(compiled.plan.name);
  if (settings.gates !== 'ask') tell(terminal, gatesNote(settings, compiled.plan));
  return (await joinClosed({ id, compiled, input, session }, command, terminal)) ?? submit({ id, compiled, input, session, settings, workspace }, command, terminal);
}

function gatesNote({ gates, submitted_by }: RunSettings, { name }: Plan): string {
  return gates === 'approve' ? `Every gate of ${name} is approved as \`${submitted_by}\` (--yes).` : `Every gate of ${name} takes its fallback (--unattended).`;
}

interface Submitted {
  id: string;
  compiled: Compiled;
  input: JsonObject;
  session: Session;
}

/** A run with this id that closed before is shown as it ended (decision 12); null when there is none. */
async function joinClosed({ id, compiled, input, session }: Submitted, { id: asked, json }: RunCommand, terminal: Terminal): Promise<ExitCode | null> {
  const record = asked === null ? null : await session.store.readRun(id);
  if (record === null) return null;
  const values = await storePlan(compiled, input, session.store);
  joinsRecord({ run: id, plan: compiled.plan, input: values }, record);
  const view = await viewOfRecord(record, session.store);
  tell(terminal, ...renderJoined(view));
  return conclude({ kind: 'closed', view }, { run: id, terminal, store: session.store, json });
}

async function submit(submitted: Submitted & { settings: RunSettings; workspace: Workspace }, command: RunCommand, terminal: Terminal): Promise<ExitCode> {
  const { id, compiled, input, session, settings } = submitted;
  const { plan } = compiled;
  const { pollersOf } = await import('../../workers/task-queue.js');
  const link = await session.connect({ start: true });
  try {
    await pollersOf(link, session.store);
    const values = await storePlan(compiled, input, session.store);
    const runInput = toRunInput(plan, values, settings, link);
    const { joined } = await startOrJoin(link, { run: id, plan, input: values, runInput, storeId: session.store.id });
    if (command.detach) return detach(id, joined, { url: runUrl(link, id), json: command.json }, terminal);
    const end = await follow({
      terminal, store: session.store, run: id, by: command.by, untilWaiting: command.untilWaiting, joined, link,
      progress: session.progress,
      reconnect: () => session.connect({ start: true }),
    });
    return await conclude(end, { run: id, terminal, store: session.store, json: command.json });
  } finally {
    await link.close();
  }
}

function detach(run: string, joined: boolean, { url, json }: { url: string | null; json: boolean }, terminal: Terminal): ExitCode {
  if (json) printJson(terminal, { run, status: 'running' });
  else print(terminal, run);
  tell(terminal, `${joined ? 'Joined' : 'Started'}. Follow it with \`perdure watch ${run}\`.${url === null ? '' : `\n  Temporal ${url}`}`);
  return EXIT.success;
}
