import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { packageRoot } from '../../store/folders/package-root.js';
import { NO_BUDGETS } from '../../plan/budget/budgets.js';
import type { RunSettings } from '../../plan/run-input.js';
import { isStored } from '../../plan/values/value.js';
import { sha256 } from '../../store/hash.js';
import { listAgents } from '../agents/list-agents.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, refusal } from '../exit-codes.js';
import { conclude } from '../follow/conclude.js';
import type { FollowEnd } from '../follow/follow.js';
import { follow } from '../follow/follow.js';
import type { Session } from '../session.js';
import { openSession, openWorkspace, storeElsewhere } from '../session.js';
import type { Compiled } from '../submit/prepare.js';
import { compile, settle, storePlan } from '../submit/prepare.js';
import { newRunId } from '../submit/run-id.js';
import { startSubmission } from '../submit/submit-run.js';
import type { Terminal } from '../terminal.js';
import { print, printJson, tell } from '../terminal.js';
import type { Draft } from './draft.js';
import { draftSchema, filesOf } from './draft.js';
import { typedCommand } from '../text/own-name.js';
import { writeWhole } from '../write-whole.js';

interface DesignCommand {
  wish: string;
  by: string;
  json: boolean;
}

interface Designer {
  run: string;
  compiled: Compiled;
  settings: RunSettings;
  session: Session;
}

/**
 * Has the designer write a flow and its temporary agents, writes them, and shows the flow's graph. Runs nothing of it.
 */
export async function designFlow(command: DesignCommand, terminal: Terminal): Promise<ExitCode> {
  const workspace = await openWorkspace(terminal);
  const compiled = await compile(join(packageRoot(), 'definitions', 'design', 'design.yml'), workspace, terminal);
  const elsewhere = await storeElsewhere(workspace, null, terminal);
  const settings = await settle(
    compiled.plan,
    { rehearse: false, by: command.by, gates: 'ask', limits: NO_BUDGETS },
    { ...workspace, elsewhere },
    terminal,
  );
  const session = await openSession(terminal, { taskQueue: null, elsewhere, workspace });
  const run = newRunId('design');
  const end = await runDesigner({ run, compiled, settings, session }, command, terminal);
  if (end.kind !== 'closed' || end.view.status !== 'success')
    return conclude(end, { run, terminal, store: session.store, json: command.json });
  const { output } = end.view;
  const written = output === null ? null : isStored(output) ? await session.store.get(output.ref) : output.value;
  const files = await write(draftSchema.parse(written), session);
  await tellDesign(files, session, { terminal, json: command.json, run });
  return EXIT.success;
}

async function runDesigner(
  { run, compiled, settings, session }: Designer,
  { wish, by }: DesignCommand,
  terminal: Terminal,
): Promise<FollowEnd> {
  const agents = listAgents({ project: session.project, cwd: terminal.cwd })
    .agents.filter(({ source }) => source !== 'temporary')
    .map(({ name, description }) => `${name}: ${description ?? ''}`)
    .join('\n');
  const input = { wish, agents, program: join(packageRoot(), 'dist', 'cli', 'main.js') };
  const link = await session.connect({ start: true });
  try {
    await startSubmission(
      { id: run, compiled, session, settings, values: () => storePlan(compiled, input, session.store) },
      link,
    );
    return await follow({
      terminal,
      store: session.store,
      config: session.config,
      run,
      by,
      untilWaiting: false,
      isElsewhere: session.isElsewhere,
      joined: false,
      link,
      progress: session.progress,
      reconnect: () => session.connect({ start: true }),
    });
  } finally {
    await link.close();
  }
}

/**
 * Writes the files of a draft, each new. The agents are remembered as made: they are removed when their runs have
 * closed.
 */
async function write(draft: Draft, { project: { root }, store }: Session): Promise<string[]> {
  const made_at = new Date().toISOString();
  const { flow, agents } = filesOf(draft, made_at.slice(0, 10));
  const taken = [flow, ...agents].find(({ file }) => existsSync(join(root, file)));
  if (taken !== undefined) throw refusal(`\`${taken.file}\` came to be meanwhile: nothing was written.`);
  for (const { file, text } of [...agents, flow]) {
    writeWhole(join(root, file), text);
  }
  for (const { file, text } of agents) await store.writeMade({ file: join(root, file), hash: sha256(text), made_at });
  return [flow, ...agents].map(({ file }) => file);
}

async function tellDesign(
  files: string[],
  session: Session,
  { terminal, json, run }: { terminal: Terminal; json: boolean; run: string },
): Promise<void> {
  const [flow = '', ...agents] = files;
  const { root } = session.project;
  const compiled = await compile(join(root, flow), session, terminal);
  const { pendingGraph } = await import('../render/plan/pending-graph.js');
  if (json) return printJson(terminal, { run, flow, agents, graph: pendingGraph(compiled) });
  const { printPlan } = await import('../submit/print-plan.js');
  print(terminal, ...files.map((file) => `wrote ${file}`), '');
  await printPlan(compiled, session, [], terminal);
  tell(
    terminal,
    '',
    `Nothing has been run. Look at it, change it, then: ${typedCommand('perdure run', [compiled.plan.name])}`,
  );
}
