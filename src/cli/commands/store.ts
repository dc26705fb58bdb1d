import type { CommandSpec, Invocation } from '../command.js';
import { checkWords, JSON_OPTION } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT, usageError } from '../exit-codes.js';
import type { Database } from '../../store/postgres/database.js';
import type { Store } from '../../store/store.js';
import { print, printJson, tell } from '../terminal.js';

export const store: CommandSpec = {
  name: 'store',
  summary: "the store's database (`store.postgres` of perdure.yml): what is in it, copy to it, verify it, encrypt it",
  arguments: [{ syntax: '<action>', about: 'what to do', choices: ['status', 'copy', 'verify', 'seal'] }],
  options: [JSON_OPTION],
  examples: ['perdure store status', 'perdure store copy', 'perdure store verify'],
  async run(invocation) {
    checkWords('store', invocation.arguments, { status: 0, copy: 0, verify: 0, seal: 0 });
    const { openWorkspace, workspaceKeys } = await import('../session.js');
    const { storePlace } = await import('../../workers/open-store.js');
    const workspace = await openWorkspace(invocation.terminal);
    const { project, config } = workspace;
    const place = storePlace(config, invocation.terminal.env);
    if (place === null)
      throw usageError(
        `The store of this project is the folder \`${project.stateDir}\`, and no database.`,
        'Name one in perdure.yml: store: {postgres: "${env.PERDURE_STORE_URL}"}',
      );
    const { openDatabaseStore } = await import('../../store/postgres/postgres-store.js');
    const keys = await workspaceKeys(workspace, invocation.terminal);
    const opened = await openDatabaseStore(place.postgres, project.stateDir, { keys, bucket: place.bucket });
    switch (invocation.arguments[0]) {
      case 'copy':
        return copy(project.stateDir, opened, invocation);
      case 'verify':
        return verify(opened, invocation);
      case 'seal':
        return seal(opened, invocation);
      default:
        return status(opened, invocation);
    }
  },
};

/** The database of a project, and the store in it. */
interface Opened {
  store: Store;
  database: Database;
}

async function status({ database, store: { id } }: Opened, { options, terminal }: Invocation): Promise<ExitCode> {
  const { keptIn } = await import('../../store/postgres/upkeep/store-report.js');
  const kept = await keptIn(database);
  if (options.flag('json')) printJson(terminal, { store: id, place: database.place, kept });
  else {
    print(terminal, `store ${id} at ${database.place}`);
    for (const [kind, { count, bytes }] of Object.entries(kept))
      print(terminal, `  ${kind.padEnd(22)} ${String(count).padStart(8)}${bytes === 0 ? '' : `  ${sizeOf(bytes)}`}`);
  }
  return EXIT.success;
}

async function copy(
  stateDir: string,
  { database, store: target }: Opened,
  { options, terminal }: Invocation,
): Promise<ExitCode> {
  const { copyStore } = await import('../../store/postgres/upkeep/copy-store.js');
  const { counts, left } = await copyStore(stateDir, database, target);
  if (options.flag('json')) printJson(terminal, { copied: counts, left });
  else {
    for (const [kind, count] of Object.entries(counts)) print(terminal, `${String(count)} ${kind}`);
    for (const what of left) tell(terminal, `not copied: ${what}`);
  }
  return EXIT.success;
}

async function verify({ database }: Opened, { options, terminal }: Invocation): Promise<ExitCode> {
  const { faultsIn } = await import('../../store/postgres/upkeep/store-report.js');
  const faults = await faultsIn(database);
  if (options.flag('json')) printJson(terminal, { faults });
  else print(terminal, ...(faults.length === 0 ? ['All that is named by a hash is what its name says.'] : faults));
  return faults.length === 0 ? EXIT.success : EXIT.ended;
}

async function seal({ database }: Opened, { options, terminal }: Invocation): Promise<ExitCode> {
  const { sealStore } = await import('../../store/postgres/seal-store.js');
  const sealed = await sealStore(database);
  if (options.flag('json')) printJson(terminal, { sealed });
  else print(terminal, `${String(sealed)} contents were encrypted with the first key; all others were already.`);
  return EXIT.success;
}

function sizeOf(bytes: number): string {
  return bytes < 1024 * 1024 ? `${(bytes / 1024).toFixed(1)} KiB` : `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
