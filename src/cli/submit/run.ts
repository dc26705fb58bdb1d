import type { Plan } from '../../plan/plan.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { ExitCode } from '../exit-codes.js';
import { openSession, openWorkspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { collectInput } from './collect-input.js';
import { compile, settle } from './prepare.js';
import { readInputFile, readRequest } from './read-request.js';
import { newRunId } from './run-id.js';
import type { RunCommand } from './submit-run.js';

/** Compiles, checks, submits and follows. Everything that can be wrong is found before anything is started. */
export async function run(command: RunCommand, terminal: Terminal): Promise<ExitCode> {
  const workspace = await openWorkspace(terminal);
  const compiled = await compile(command.definition, workspace, terminal);
  const given = { pairs: command.pairs, file: await readInputFile(command.inputFile, terminal), request: await readRequest(command.request, terminal) };
  const input = collectInput(compiled.plan, given);
  const settings = await settle(compiled.plan, command, workspace, terminal);
  const session = await openSession(terminal, command);
  const id = command.id ?? newRunId(compiled.plan.name);
  if (settings.gates !== 'ask' && hasGates(compiled.plan)) tell(terminal, gatesNote(settings, compiled.plan));
  const { submitRun } = await import('./submit-run.js');
  return submitRun({ id, compiled, input, session, settings }, command, terminal);
}

function gatesNote({ gates, submitted_by }: RunSettings, { name }: Plan): string {
  return gates === 'approve' ? `Every gate of ${name} is approved as \`${submitted_by}\` (--yes).` : `Every gate of ${name} takes its fallback (--unattended).`;
}

function hasGates(plan: Plan): boolean {
  return [plan, ...Object.values(plan.nested)].some(({ steps }) => steps.some(({ kind }) => kind === 'approval'));
}
