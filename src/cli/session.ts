import { existsSync } from 'node:fs';
import type { Config } from '../compiler/project/config.js';
import type { KeyRing } from '../store/encryption/key-ring.js';
import type { Problem } from '../compiler/problems/problem.js';
import type { Project } from '../compiler/project/project.js';
import { RUN_ID } from '../plan/names.js';
import type { Store } from '../store/store.js';
import type { TemporalLink } from '../workers/link/temporal-link.js';
import type { TemporalSettings } from '../workers/connection/temporal-settings.js';
import type { StoreElsewhere } from './elsewhere/find-store.js';
import { CliError, EXIT, usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';
import { tell } from './terminal.js';

/** Problems of a definition or of `perdure.yml`; printed in the compiler's layout. Nothing was started. */
export class ProblemsError extends CliError {
  readonly problems: Problem[];
  readonly sources: Map<string, string>;
  readonly files: number;

  constructor(problems: Problem[], sources: Map<string, string>, files: number) {
    super(`${problems.length} problems`, EXIT.usage);
    this.name = 'ProblemsError';
    this.problems = problems;
    this.sources = sources;
    this.files = files;
  }
}

export interface Workspace {
  project: Project;
  config: Config;
  /** What of the configuration is not as it should be, for commands that compile by it. */
  warnings?: { problems: Problem[]; sources: Map<string, string> };
}

/**
 * The project of the current folder and its configuration. Loads no server, worker or store. Throws a usage error for
 * one in another project's folder that nobody trusts, unless the command is how a person makes one (`untrusted`).
 */
export async function openWorkspace(terminal: Terminal, { untrusted = false } = {}): Promise<Workspace> {
  const { findProject } = await import('../compiler/project/project.js');
  const { loadConfig } = await import('../compiler/project/config.js');
  const { requireTrust } = await import('./trust/require-trust.js');
  const project = findProject(terminal.cwd);
  if (!untrusted) await requireTrust(project.root);
  const { config, problems, sources } = loadConfig(project, terminal.cwd);
  if (problems.some(({ severity }) => severity === 'error')) throw new ProblemsError(problems, sources, 1);
  return { project, config, ...(problems.length === 0 ? {} : { warnings: { problems, sources } }) };
}

/** A workspace with its store, and a way to Temporal. */
export interface Session extends Workspace {
  store: Store;
  /** Where the store is, if it is that of workers elsewhere (decision 11). */
  elsewhere: StoreElsewhere | null;
  /** Takes the lines by which the host says what it does; a screen that draws puts itself here. */
  progress: { tell: (line: string) => void };
  /** Whether the server is one that the environment names. */
  isElsewhere: boolean;
  /** Tells whether a server may know runs: one elsewhere, or a database that our own can open. */
  mayKnowRuns(): boolean;
  /** The way to Temporal: the server that the environment names, else the host of this folder. */
  connect(options: ConnectOptions): Promise<TemporalLink>;
}

export interface ConnectOptions {
  /** Start the host when it is not there; else it must be there already. */
  start: boolean;
  signal?: AbortSignal;
}

interface SessionOptions {
  taskQueue: string | null;
  /** As `findStoreElsewhere` says, where it was asked already. */
  elsewhere?: StoreElsewhere | null;
  /** Nothing is made where there is nothing to look at. */
  lookOnly?: boolean;
  /** The current folder's, where it was opened before: read again, its configuration might be another one. */
  workspace?: Workspace | undefined;
}

/** Opens the store of the current folder. Throws what says why it cannot be used (exit code 3). */
export async function openSession(
  terminal: Terminal,
  { taskQueue, elsewhere: known, lookOnly = false, workspace: opened }: SessionOptions,
): Promise<Session> {
  const workspace = opened ?? (await openWorkspace(terminal));
  const { stateDir } = workspace.project;
  const { openProjectStore, storePlace } = await import('../workers/open-store.js');
  const { databaseFile, requireApart, requireFolder } = await import('../workers/server/server-database.js');
  const { temporalSettings } = await import('../workers/connection/temporal-settings.js');
  requireFolder(stateDir);
  requireApart(workspace.project);
  const server = temporalSettings(terminal.env);
  // A server that is not there is found out before anything is made here.
  if (server !== null && !lookOnly) await requireServer(server);
  const keys = await workspaceKeys(workspace, terminal);
  const elsewhere = known === undefined ? await storeElsewhere(workspace, taskQueue, terminal) : known;
  const place = elsewhere === null ? storePlace(workspace.config, terminal.env) : null;
  const { withGivenKey } = await import('../store/records/given-key.js');
  const store = withGivenKey(
    elsewhere?.store ?? (await openProjectStore(stateDir, place, { lookOnly, keys })),
    () => terminal.env,
  );
  const { markProject } = await import('../store/records/trusted-projects.js');
  if (elsewhere === null && !lookOnly) await markProject(workspace.project);
  const progress = { tell: (line: string) => tell(terminal, terminal.palette.dim(line)) };
  return {
    ...workspace,
    store,
    elsewhere,
    progress,
    isElsewhere: server !== null,
    mayKnowRuns: () => server !== null || existsSync(databaseFile(stateDir)),
    async connect({ start, signal }) {
      const { openTemporal } = await import('../workers/link/temporal-link.js');
      return openTemporal({
        ...workspace,
        store,
        storePlace: place,
        taskQueue: taskQueue ?? undefined,
        start,
        onProgress: (line) => progress.tell(line),
        credentials: () => terminal.env,
        keys,
        signal,
      });
    },
  };
}

/**
 * A session for commands that only look: null where nothing was ever run, so that looking makes no folder and
 * starts nothing.
 */
export async function openExisting(
  terminal: Terminal,
  options: Pick<SessionOptions, 'taskQueue' | 'workspace'>,
): Promise<Session | null> {
  const { temporalSettings } = await import('../workers/connection/temporal-settings.js');
  const { requireFolder } = await import('../workers/server/server-database.js');
  const { holdsStore } = await import('../store/identity.js');
  const workspace = options.workspace ?? (await openWorkspace(terminal));
  const { project, config } = workspace;
  const { stateDir } = project;
  requireFolder(stateDir);
  const isElsewhere = temporalSettings(terminal.env) !== null || config.store !== undefined;
  return isElsewhere || holdsStore(stateDir) ? openSession(terminal, { ...options, workspace, lookOnly: true }) : null;
}

/** The store of workers elsewhere that will run what is submitted here; null where it is this project's own. */
export async function storeElsewhere(
  workspace: Workspace,
  taskQueue: string | null,
  terminal: Terminal,
): Promise<StoreElsewhere | null> {
  const { temporalSettings } = await import('../workers/connection/temporal-settings.js');
  if (temporalSettings(terminal.env) === null) return null;
  const { findStoreElsewhere } = await import('./elsewhere/find-store.js');
  return findStoreElsewhere({
    ...workspace,
    taskQueue,
    env: terminal.env,
    keys: await workspaceKeys(workspace, terminal),
  });
}

/** The keys by which is encrypted what goes to the server; null where the project names none. Throws a KeyError. */
export async function workspaceKeys(
  { project, config }: Workspace,
  { env }: Pick<Terminal, 'env'>,
): Promise<KeyRing | null> {
  if (config.encryption === undefined) return null;
  const { projectKeys } = await import('../workers/encryption/project-keys.js');
  return projectKeys(config, { env, root: project.root });
}

async function requireServer(settings: TemporalSettings): Promise<void> {
  const { reach } = await import('../workers/connection/connect.js');
  await (await reach(settings)).close();
}

/** Throws a usage error for what is no address of a run: no store and no server is asked for it. */
export function requireRunAddress(address: string): void {
  if (!RUN_ID.test(address.split('/', 1)[0] ?? '')) throw unknownRun(address);
}

/** The run that was named is not known here. */
export function unknownRun(run: string): CliError {
  return usageError(`There is no run \`${run}\`.`, '`perdure list` shows the runs that are known here.');
}
