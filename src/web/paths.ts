import { pathBelow, rootOf } from '../cli/observe/view/view.js';

/** The page of a run; of a nested one that of its tree. */
export function runPath(run: string): string {
  return `/runs/${encodeURIComponent(rootOf(run))}`;
}

/** The picture of a run's steps; `sign` tells one state of it from another. */
export function graphPath(run: string, sign: string): string {
  return `${runPath(run)}/graph.svg?state=${sign}`;
}

/** The signed receipts of a run's decisions, as a file. */
export function receiptsPath(run: string): string {
  return `${runPath(run)}/receipts`;
}

/** What a rerun of a closed run would do, and where it is started. */
export function rerunPath(run: string): string {
  return `${runPath(run)}/rerun`;
}

/** The page of a step, by its path below the root run. */
export function stepPath(run: string, path: string): string {
  return `${runPath(run)}/steps/${segments(path)}`;
}

/** Where a word to the agent of a step goes, by the step's path below the root run. */
export function sayPath(run: string, path: string): string {
  return `${runPath(run)}/say/${segments(path)}`;
}

/** The page of a gate, by its address. */
export function gatePath(address: string): string {
  return `/gates/${encodeURIComponent(rootOf(address))}/${segments(pathBelow(address))}`;
}

/** Where the content of a gate goes that somebody has edited, to be looked at. */
export function editPath(address: string): string {
  return gatePath(address).replace('/gates/', '/edits/');
}

function segments(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}
