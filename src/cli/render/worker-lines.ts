import { requirementIn, requirementText } from '../../plan/placement/requirement.js';
import { versionText } from '../../plan/placement/deployment.js';
import type { WorkerRecord } from '../../plan/placement/worker-record.js';
import type { Palette } from '../text/colors.js';
import { formatAge } from '../text/format.js';
import { safeName } from '../text/safe-text.js';

const RUNS = { pinned: 'pinned to it', 'auto-upgrade': 'moved to newer ones' } as const;

/** Workers as lines: id, machine, since when, and queue; below, the labels of each and what else it takes. */
export function workerLines(workers: WorkerRecord[], { now, palette }: { now: number; palette: Palette }): string[] {
  return workers.flatMap(({ id, host, pid, folder, queue, labels, serves, since, draining, deployment }) => [
    `${palette.tone(draining ? 'attention' : 'active', draining ? '‖' : '▸')} ${palette.bold(safeName(id))}  ` +
      `pid ${String(pid)} on ${safeName(host)}  ${formatAge(since, now)}${draining ? '  draining' : ''}`,
    `    queue ${safeName(queue)}, folder ${safeName(folder)}`,
    ...(deployment === undefined
      ? []
      : [`    version ${safeName(versionText(deployment))}, its runs are ${RUNS[deployment.behavior]}`]),
    ...(labels.length === 0 ? [] : [`    labels ${labels.map(safeName).join(', ')}`]),
    ...serves.map((key) => `    takes what requires ${safeName(requirementText(requirementIn(key)))}`),
  ]);
}
