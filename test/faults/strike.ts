import { listTagged, RUN_TAG } from '../../src/activities/processes/tagged-processes.js';
import { readStoreId } from '../../src/store/identity.js';
import { listProcesses } from '../../src/workers/processes/processes.js';
import type { Project } from './project.js';
import { kill } from './project.js';

/** What a blow may hit; `cli` is the command that follows. */
export const VICTIMS = ['host', 'server', 'launcher', 'watchdog', 'cli', 'everything'] as const;
export type Victim = (typeof VICTIMS)[number];

/** Kills with -9 what a project runs on; what is not there now is not hit. */
export async function strike(project: Project, victim: Victim, cli: number | undefined): Promise<void> {
  const { host, server } = await project.pids();
  const hit = {
    host: [host],
    server: [server],
    cli: [cli],
    launcher: victim === 'launcher' || victim === 'everything' ? await launchersOf(project) : [],
    watchdog: victim === 'watchdog' || victim === 'everything' ? await watchdogsOf(project) : [],
  };
  const pids = victim === 'everything' ? [hit.watchdog, hit.launcher, hit.host, hit.server, hit.cli] : [hit[victim]];
  for (const pid of pids.flat()) if (pid !== null && pid !== undefined) kill(pid);
}

async function watchdogsOf(project: Project): Promise<number[]> {
  const tag = `${RUN_TAG}=${await storeOf(project)}:`;
  return (await listProcesses())
    .filter(({ argv }) => argv.includes('perdure-watchdog') && argv.some((word) => word.startsWith(tag)))
    .map(({ pid }) => pid);
}

async function launchersOf(project: Project): Promise<number[]> {
  const store = await storeOf(project);
  const own = new Set((await listTagged()).filter(({ tag }) => tag.store === store).map(({ pid }) => pid));
  return (await listProcesses())
    .filter(({ pid, argv }) => own.has(pid) && argv[0]?.startsWith('perdure launcher') === true)
    .map(({ pid }) => pid);
}

async function storeOf({ folder }: Project): Promise<string> {
  const id = await readStoreId(`${folder}/.perdure`);
  if (id === null) throw new Error(`${folder} has no store yet`);
  return id;
}
