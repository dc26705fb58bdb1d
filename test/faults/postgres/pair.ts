import { rmSync } from 'node:fs';
import { expect } from 'vitest';
import type { ModelEndpoint } from '../../fakes/model-endpoint.js';
import type { Project } from '../project.js';
import { kill, until } from '../project.js';
import type { Shared, Working } from './machines.js';
import { holderOf, openMachine, startWorker } from './machines.js';

/** Two machines that have the same files and nothing else in common, with a worker each. */
export interface Pair {
  url: string;
  /** The id of its run: all use one server. */
  run: string;
  machines: [Project, Project];
  workers: [Working, Working];
  /** Which of the two has the run's workspace; it waits until one has. */
  holder: () => Promise<0 | 1>;
  /** Ends the machine that has it, with its checkout. Gives the one that is left. */
  lose: () => Promise<Project>;
}

let pairs = 0;

/** Opens the two, with a worker each; they share a server, a database of their own, and a model where one is given. */
export async function openPair(
  shared: Shared,
  files: Record<string, string>,
  endpoint: ModelEndpoint | null = null,
): Promise<Pair> {
  const url = await shared.postgres.createDatabase();
  const run = `far-${(pairs += 1)}`;
  const keys = endpoint === null ? {} : { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: endpoint.url };
  const env = { TEAM_STORE: url, TEMPORAL_ADDRESS: shared.address, ...keys };
  const machines: [Project, Project] = [await openMachine(files, env), await openMachine(files, env)];
  const workers: [Working, Working] = [await startWorker(machines[0]), await startWorker(machines[1])];
  const holder = async (): Promise<0 | 1> => {
    const { folder } = await until(() => holderOf(shared.postgres, url, run));
    return folder.startsWith(machines[0].folder) ? 0 : 1;
  };
  return {
    url,
    run,
    machines,
    workers,
    holder,
    async lose() {
      const lost = await holder();
      kill(workers[lost].pid);
      rmSync(machines[lost].folder, { recursive: true, force: true });
      return machines[lost === 0 ? 1 : 0];
    },
  };
}

/** Starts the run. */
export async function begin({ run, machines: [machine] }: Pair, ...words: string[]): Promise<void> {
  const { code, stderr } = await machine.run(...words, '--id', run, '--detach');
  expect([code, stderr]).toEqual([0, expect.anything()]);
}
