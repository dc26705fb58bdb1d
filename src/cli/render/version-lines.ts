import type { ListedVersion, RunVersion } from '../observe/versions.js';
import { versionWaitText } from '../../plan/placement/deployment.js';
import type { Palette } from '../text/colors.js';
import { formatAge, plural } from '../text/format.js';
import { safeName } from '../text/safe-text.js';
import { shellWord } from '../../plan/text/shell-command.js';
import { typedCommand } from '../text/own-name.js';

/** Versions as lines: which takes new runs, since when each is known, its workers and the runs pinned to it. */
export function versionLines(versions: ListedVersion[], { now, palette }: { now: number; palette: Palette }): string[] {
  return versions.map(({ version, status, created, workers, pinned_runs: pinned }) => {
    const isLost = workers === 0 && (status === 'current' || pinned > 0);
    const tone = isLost ? 'attention' : status === 'current' ? 'active' : 'quiet';
    return (
      `${palette.tone(tone, status === 'current' ? '▸' : '·')} ${palette.bold(safeName(version))}  ` +
      `${palette.tone(tone, status)}  ${formatAge(created, now)}  ${plural(workers, 'worker')}, ` +
      `${plural(pinned, 'open run')} pinned to it`
    );
  });
}

/** Which version a run is with, and what to do where none of its workers is there. */
export function runVersionLines(run: string, { version, behavior, isServed }: RunVersion): string[] {
  if (isServed) return [`With workers of the version ${safeName(version)}, ${behavior}.`];
  if (behavior === 'auto-upgrade')
    return [`Goes on with the version that takes new runs; ${safeName(version)}, which it was with, has no worker.`];
  return [
    `\`${safeName(run)}\` ${versionWaitText(safeName(version))}.`,
    `Start one: ${typedCommand('perdure worker', [], `--deployment ${shellWord(safeName(version))}`)}; ` +
      `or go on with what takes new runs: ${typedCommand('perdure deployment move', [safeName(run)])}`,
  ];
}
