import type { TaskCosts } from '../../plan/result.js';
import { formatCount, formatUsd } from '../text/format.js';
import { safeName } from '../text/safe-text.js';
import { displayWidth } from '../text/width.js';

/** What models have cost by task and by role, a line each. */
export function costLines({ tasks, roles }: TaskCosts): string[] {
  return [...linesOf('task', tasks), ...linesOf('role', roles)];
}

function linesOf(what: 'task' | 'role', costs: TaskCosts['tasks']): string[] {
  const rows = Object.entries(costs).map(([name, cost]) => ({ name: safeName(name), ...cost }));
  const width = Math.max(0, ...rows.map(({ name }) => displayWidth(name)));
  return rows.map(({ name, usd, tokens }, index) => {
    const head = index === 0 ? `by ${what}` : '';
    const padded = `${name}${' '.repeat(width - displayWidth(name))}`;
    return `  ${head.padEnd(8)} ${padded}  ${formatUsd(usd)}  ${formatCount(tokens)} tokens`;
  });
}
