import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { WorkflowFailedError } from '@temporalio/client';
import { compileDefinition } from '../../src/compiler/compile.js';
import { loadConfig } from '../../src/compiler/project/config.js';
import type { AuthoredDevice } from '../../src/compiler/formats/device-config.js';
import { findProject } from '../../src/compiler/project/project.js';
import type { RunOutcome, StepResult } from '../../src/plan/result.js';
import type { RunSettings } from '../../src/plan/run-input.js';
import type { Harness, RunHandle } from '../workflows/helpers/harness.js';

export interface Flow {
  devices: Record<string, Partial<AuthoredDevice>>;
  /** Of the workflow, in JSON, which is YAML as well. */
  steps: unknown[];
  execution?: 'sequential' | 'parallel' | 'dag';
  output?: string;
  /** Files of the project, by path. */
  files?: Record<string, string | Buffer>;
  settings?: Partial<RunSettings>;
  id?: string;
  /** Of the worker that runs it, when not the harness's own. */
  taskQueue?: string;
}

/** Compiles a workflow in a project of its own, and starts it on the harness's worker. */
export async function startFlow(
  harness: Harness,
  { devices, steps, execution = 'sequential', output, files = {}, settings = {}, id, taskQueue }: Flow,
): Promise<RunHandle & { folder: string }> {
  const folder = await mkdtemp(join(harness.folder, 'flow-'));
  const known = Object.fromEntries(
    Object.entries(devices).map(([name, device]) => [name, { kind: 'avr-arduino', ...device }]),
  );
  for (const [path, text] of Object.entries({
    ...files,
    'perdure.yml': JSON.stringify({ devices: known }),
    'flow.yml': JSON.stringify({ name: 'flow', execution, steps, output }),
  })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const project = findProject(folder);
  const { plan, problems, texts } = compileDefinition({
    file: 'flow.yml',
    cwd: folder,
    project,
    config: loadConfig(project).config,
  });
  if (plan === null) throw new Error(problems.map(({ message }) => message).join('\n'));
  for (const text of texts.values()) await harness.store.putAlways(text);
  const handle = await harness.start(plan, {
    settings: { workspace: folder, ...settings },
    ...(id === undefined ? {} : { id }),
    ...(taskQueue === undefined ? {} : { taskQueue }),
  });
  return Object.assign(handle, { folder });
}

/** How a run ended, however it did, and each of its steps. */
export async function endOf(
  harness: Harness,
  handle: Pick<RunHandle, 'result'>,
): Promise<{ outcome: RunOutcome; steps: Record<string, StepResult> }> {
  const outcome = await handle.result().catch((error: unknown) => {
    if (error instanceof WorkflowFailedError && error.cause !== undefined && 'details' in error.cause)
      return (error.cause.details as [RunOutcome])[0]; // what `runFailure` puts there
    throw error;
  });
  return { outcome, steps: await harness.results(outcome) };
}
