import type { CommandSpec } from '../command.js';
import { TASK_QUEUE_OPTION } from '../command.js';
import { VERSIONING_BEHAVIORS, versionText } from '../../plan/placement/deployment.js';
import { HEALTH_OPTIONS, healthFrom } from '../health-options.js';
import { EXIT, usageError } from '../exit-codes.js';
import { tell } from '../terminal.js';

export const worker: CommandSpec = {
  name: 'worker',
  summary: 'run a worker for a Temporal server elsewhere (TEMPORAL_ADDRESS)',
  arguments: [],
  options: [
    {
      flags: '--labels <labels>',
      about: 'what it has, for steps with `requires`: `gpu,lab`; PERDURE_LABELS when left out',
    },
    {
      flags: '--deployment <name[:build]>',
      about: 'the version that it is of; PERDURE_DEPLOYMENT when left out. Without a build: of this program',
    },
    {
      flags: '--versioning <behavior>',
      about: 'what its runs do when another version takes new ones: stay with it (pinned, default) or move',
      choices: VERSIONING_BEHAVIORS,
    },
    ...HEALTH_OPTIONS,
    TASK_QUEUE_OPTION,
  ],
  examples: [
    'TEMPORAL_ADDRESS=temporal.example:7233 perdure worker',
    'TEMPORAL_ADDRESS=temporal.example:7233 perdure worker --labels gpu,lab',
    'TEMPORAL_ADDRESS=temporal.example:7233 perdure worker --deployment shop:2026-11-26',
  ],
  async run({ options, terminal }) {
    const { requireFiles } = await import('../../workers/processes/file-limit.js');
    requireFiles(); // before so many modules are loaded that the limit itself says so
    const { closeInherited } = await import('../../workers/processes/inherited.js');
    closeInherited();
    const { openWorkspace } = await import('../session.js');
    const workspace = await openWorkspace(terminal);
    const { runWorker } = await import('../../workers/worker-main.js');
    const { labelsIn } = await import('../../workers/worker/labels.js');
    const labels = asUsage(() => labelsIn(options.text('labels') ?? terminal.env['PERDURE_LABELS'] ?? ''));
    const { deploymentIn } = await import('../../workers/deployment/deployment-option.js');
    const behavior = VERSIONING_BEHAVIORS.find((name) => name === options.text('versioning')) ?? null;
    const version = options.text('deployment') ?? terminal.env['PERDURE_DEPLOYMENT'] ?? null;
    const deployment = asUsage(() => deploymentIn(version, behavior));
    const health = await healthFrom(options, terminal);
    await runWorker({
      ...workspace,
      taskQueue: options.text('task-queue') ?? undefined,
      labels,
      deployment,
      health,
      credentials: () => terminal.env,
      log: (line) => tell(terminal, terminal.palette.dim(line)),
      onReady: ({ address, namespace, taskQueue, storeId, devices }) =>
        tell(
          terminal,
          `Ready: server ${address}, namespace ${namespace} · task queue ${taskQueue} · store ` +
            `${storeId}${devices.length === 0 ? '' : ` · devices ${devices.join(', ')}`}` +
            (labels.length === 0 ? '' : ` · labels ${labels.join(', ')}`) +
            (deployment === null ? '' : ` · version ${versionText(deployment)}, ${deployment.behavior}`),
        ),
    });
    return EXIT.success;
  },
};

/** What a worker cannot be started with as it was typed is wrong usage; a host is told that it cannot start. */
function asUsage<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Error && error.name === 'UnavailableError')) throw error;
    throw usageError(error.message, 'hint' in error && typeof error.hint === 'string' ? error.hint : null);
  }
}
