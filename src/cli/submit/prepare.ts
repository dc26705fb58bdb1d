import { relative, resolve } from 'node:path';
import type { ChoosePlayers, ChosenPlayers } from '../../activities/agents/choose-players.js';
import type { CompileOptions } from '../../compiler/compile.js';
import { durabilityOf } from './durability.js';
import { autonomyIn } from '../../compiler/formats/autonomy.js';
import { quotaIn } from '../../compiler/formats/quota.js';
import { toNotify } from '../../compiler/formats/notify/notify.js';
import type { Triggers } from '../../compiler/triggers/compile-triggers.js';
import type { ServerListings } from '../../compiler/agents/server-tools.js';
import { modelsIn } from '../../plan/budget/exhaustion.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { ListedTool } from '../../plan/tools/mcp-server.js';
import { needsSandbox } from '../../plan/needs-sandbox.js';
import type { Plan } from '../../plan/plan.js';
import type { Budgets } from '../../plan/budget/budgets.js';
import type { RunSettings } from '../../plan/run-input.js';
import { WAYS_OF_TODAY } from '../../plan/run-input.js';
import type { Hash, Value } from '../../plan/values/value.js';
import type { Session as Conversation } from '../../store/records/session-files.js';
import type { Store } from '../../store/store.js';
import type { StoreElsewhere } from '../elsewhere/find-store.js';
import { CliError, EXIT } from '../exit-codes.js';
import type { Workspace } from '../session.js';
import { ProblemsError } from '../session.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { traceOf } from './trace-run.js';
import { projectMark } from './project-mark.js';
import { limitsOfQuota, settleLimits, settlePolicy } from './limits.js';
import { placeOf } from '../../store/folders/places.js';
import { outsideEnvironment } from '../../store/processes/search-path.js';
import { findProject } from '../../compiler/project/project.js';
import { shellCommand } from '../../plan/text/shell-command.js';

export interface Compiled {
  /** The definition's own file, also where it was given by its name. */
  file: string;
  plan: Plan;
  texts: Map<Hash, string>;
  /** Which steps need each input, by path. */
  inputPaths: Record<string, string[]>;
  /** The files that it was compiled from. */
  files: string[];
  /** Of the workspace, from its root, what agents of its runs must not write beside what rules protect. */
  kept: string[];
  /** What starts runs of it by itself. */
  triggers: Triggers;
}

/**
 * Compiles a definition, `made` ones that are no files too. Warnings are told; a problem is an error that prints them
 * all. `given` names the inputs that a run gets.
 */
export async function compile(
  file: string,
  workspace: Workspace,
  terminal: Terminal,
  { made, given = [] }: { made?: CompileOptions['made'] | undefined; given?: readonly string[] } = {},
): Promise<Compiled> {
  const { compileDefinition } = await import('../../compiler/compile.js');
  const options = { file, cwd: terminal.cwd, ...workspace, given, ...(made === undefined ? {} : { made }) };
  const listings = { listed: new Map<string, ListedTool[]>(), wanted: new Set<string>() };
  const first = compileDefinition({ ...options, listings });
  const {
    plan,
    texts,
    inputPaths,
    problems,
    sources,
    triggers,
    kept,
    file: found,
  } = first.plan === null || listings.wanted.size === 0
    ? first
    : compileDefinition({ ...options, listings: await listed(listings.wanted, workspace, terminal) });
  if (plan === null) throw new ProblemsError(problems, sources, 1);
  await tellWarnings({ problems, sources }, workspace, terminal);
  const { startedInside } = await import('../trust/started-inside.js');
  return {
    file: found,
    plan,
    texts,
    inputPaths,
    files: [...sources.keys()].map((file) => resolve(terminal.cwd, file)),
    kept: [...kept, ...(await startedInside(workspace.project))],
    triggers,
  };
}

/** Tells what is not as it should be in a definition, and in the configuration that it was compiled by. */
async function tellWarnings(
  { problems, sources }: Pick<ProblemsError, 'problems' | 'sources'>,
  { warnings }: Workspace,
  terminal: Terminal,
): Promise<void> {
  const all = [...(warnings?.problems ?? []), ...problems];
  if (all.length === 0) return;
  const { printProblems } = await import('../../compiler/problems/print-problems.js');
  const files = new Map([...(warnings?.sources ?? []), ...sources]);
  tell(terminal, printProblems(all, files, { files: 1, color: terminal.palette.colored }).trimEnd());
}

/** What the servers that agents name say of their tools. */
async function listed(wanted: Set<string>, workspace: Workspace, terminal: Terminal): Promise<ServerListings> {
  const { askServers } = await import('./ask-servers.js');
  return { listed: await askServers(wanted, workspace, terminal), wanted: new Set() };
}

/** What a person chose for a run, beside its definition and input. */
export interface RunChoices {
  rehearse: boolean;
  by: string;
  gates: RunSettings['gates'];
  limits: Budgets;
  /** The definition's file; without one the run can only be done again as it was. */
  definition?: string;
  /** The session that it goes on with: the program that began it plays the agents that name nobody. */
  conversation?: Pick<Conversation, 'session_id' | 'agent_cli'> | null;
  /** What the agents will be asked, where it is at hand: by it programs are chosen for them. */
  task?: { texts: ReadonlyMap<Hash, string>; input: JsonObject };
  /** Long texts of the Plan, where there is no `task`. */
  texts?: ReadonlyMap<Hash, string>;
}

/**
 * What holds for the whole tree of runs. Throws with exit code 3 when a model is needed and no provider is there;
 * nothing has been started then. Workers elsewhere have their own keys and their own folder of the project.
 */
export async function settle(
  plan: Plan,
  choices: RunChoices,
  { elsewhere = null, ...workspace }: Workspace & { elsewhere?: StoreElsewhere | null },
  terminal: Terminal,
): Promise<RunSettings> {
  const { config, project } = workspace;
  requireInside(plan, project.root);
  const policy = settlePolicy(plan.on_exhausted, config.workflows?.budgets?.on_exhausted);
  const wanted = {
    plan,
    options: config.models ?? {},
    providers: config.providers ?? {},
    rehearse: choices.rehearse,
    also: modelsIn(policy),
    ...usualPlayer(choices.conversation, config),
    ...choices.task,
  };
  const chosen = await chooseFor(wanted, elsewhere, terminal);
  if (elsewhere === null) await requireForBuilds(plan, { chosen, choices }, workspace, terminal);
  if ('failure' in chosen) throw new CliError(chosen.failure, EXIT.unavailable);
  const quota = quotaIn(config.quota);
  const set = [choices.limits, plan.budgets, config.workflows?.budgets, limitsOfQuota(quota)];
  return {
    models: chosen.models,
    ...(chosen.programs === undefined ? {} : { programs: chosen.programs }),
    rehearsal: choices.rehearse,
    ...(needsSandbox(plan, { programs: chosen.programs, rehearsal: choices.rehearse })
      ? { needs_sandbox: true as const }
      : {}),
    submitted_by: choices.by,
    gates: choices.gates,
    ...WAYS_OF_TODAY,
    ...peopleOf(config),
    ...durabilityOf(plan, config),
    ...(await traceOf(config, terminal)),
    search_attributes: false,
    budget: settleLimits(plan, ...set),
    ...(quota === null || choices.rehearse ? {} : { quota }),
    ...(Object.keys(policy).length === 0 ? {} : { on_exhausted: policy }),
    ...(await foldersFor(project, elsewhere, terminal)),
    project: projectMark({ ...workspace, elsewhere }),
    ...(choices.definition === undefined ? {} : { definition: relative(project.root, choices.definition) }),
  };
}

/** Throws where an agent works in a folder outside of the project: none of its tools would reach it there. */
function requireInside(plan: Plan, root: string): void {
  for (const { name, uses = [] } of Object.values(plan.agents)) {
    const folder = uses.map((tool) => ('root' in tool ? (tool.root ?? '') : '')).find((one) => /^\.\.(\/|$)/.test(one));
    if (folder === undefined) continue;
    const place = resolve(root, folder);
    throw new CliError(
      `The agent \`${name}\` works in the folder of its manifest, \`${place}\`, which lies outside of \`${root}\`.`,
      EXIT.usage,
      `Run it from there: \`${shellCommand('cd', [place])}\`.`,
    );
  }
}

/** Throws, with all that is missing, where a build could not do its work here: before it has spent anything. */
async function requireForBuilds(
  plan: Plan,
  {
    chosen,
    choices: { rehearse, task, texts = task?.texts ?? new Map() },
  }: { chosen: ChosenPlayers; choices: RunChoices },
  workspace: Workspace,
  terminal: Terminal,
): Promise<void> {
  const { env } = terminal;
  const { buildsIn, cannotBuild, missingForBuild } = await import('./missing-for-build.js');
  const specs = buildsIn(plan);
  if (specs.length === 0) return;
  const outside = outsideEnvironment(env, workspace.project.root);
  const missing = await missingForBuild({ specs, texts, flashes: !rehearse, env: outside }, workspace);
  if (missing.length > 0) throw cannotBuild(missing, 'failure' in chosen ? chosen.failure : null);
  if (rehearse)
    tell(terminal, 'A rehearsal: a small page that counts clicks is built, not what the spec says. No model is asked.');
}

/** Who plays agents that name nobody. */
function usualPlayer(
  conversation: RunChoices['conversation'],
  { agents }: Workspace['config'],
): Pick<ChoosePlayers, 'usual' | 'session'> {
  if (conversation?.agent_cli !== undefined) return { usual: conversation.agent_cli, session: conversation.session_id };
  return { usual: agents?.default ?? null };
}

/** How people decide, and are told. */
function peopleOf({
  approvals,
  notify: written,
  autonomy: said,
  ui,
}: Workspace['config']): Pick<RunSettings, 'receipts' | 'require_token' | 'notify' | 'autonomy' | 'pages'> {
  const notify = toNotify(written);
  const autonomy = autonomyIn(said);
  return {
    receipts: true,
    ...(autonomy === undefined ? {} : { autonomy: [autonomy] }),
    ...(approvals?.require_token === true ? { require_token: true } : {}),
    ...(notify === undefined ? {} : { notify }),
    ...(ui?.public_url === undefined ? {} : { pages: new URL(ui.public_url).origin }),
  };
}

async function chooseFor(
  wanted: Omit<ChoosePlayers, 'env'>,
  elsewhere: StoreElsewhere | null,
  terminal: Terminal,
): Promise<ChosenPlayers> {
  if (elsewhere === null) {
    const { choosePlayers } = await import('../../activities/agents/choose-players.js');
    return choosePlayers({ ...wanted, env: outsideEnvironment(terminal.env, findProject(terminal.cwd).root) });
  }
  const { askStore } = await import('../elsewhere/ask-store.js');
  const { plan, options, providers = {}, rehearse, also = [], usual } = wanted;
  return askStore(elsewhere, {
    op: 'choosePlayers',
    plan,
    options: { ...options } as JsonObject,
    providers: { ...providers } as JsonObject,
    rehearse,
    also,
    usual,
  }); // the config is JSON
}

async function foldersFor(
  { root, stateDir }: Workspace['project'],
  elsewhere: StoreElsewhere | null,
  { cwd }: Terminal,
): Promise<Pick<RunSettings, 'workspace' | 'caller'>> {
  if (elsewhere === null)
    return { workspace: placeOf({ folder: stateDir }, root), caller: placeOf({ folder: stateDir }, cwd) };
  const { askStore } = await import('../elsewhere/ask-store.js');
  const there = (await askStore(elsewhere, { op: 'where' })).root;
  return { workspace: there, caller: there };
}

/**
 * Puts what the run refers to into the store: long texts, the Plan, and input values that are too big for history (I6).
 */
export async function storePlan(
  compiled: Pick<Compiled, 'plan' | 'texts'>,
  input: JsonObject,
  store: Store,
): Promise<Record<string, Value>> {
  await storeTexts(compiled, store);
  const values: [string, Value][] = [];
  for (const [name, value] of Object.entries(input)) values.push([name, await store.put(value satisfies Json)]);
  return Object.fromEntries(values);
}

/** Puts a Plan and its long texts into the store. */
export async function storeTexts({ plan, texts }: Pick<Compiled, 'plan' | 'texts'>, store: Store): Promise<void> {
  await Promise.all([...texts.values()].map((text) => store.putAlways(text)));
  await store.putPlan(plan);
}
