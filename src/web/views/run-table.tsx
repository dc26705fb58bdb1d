import type { ListedRun } from '../../cli/observe/list-runs.js';
import { formatAge, formatDuration, formatUsd } from '../../cli/text/format.js';
import { safeLine, safeName } from '../../cli/text/safe-text.js';
import { runPath } from '../paths.js';
import { StatusChip } from './status.js';

/** Runs as a table, the latest first; on a narrow screen each is a block of its own. */
export function RunTable({ runs, now }: { runs: ListedRun[]; now: number }) {
  return (
    <table class="runs">
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Run</th>
          <th scope="col">Definition</th>
          <th scope="col">Started</th>
          <th scope="col" class="number">
            Took
          </th>
          <th scope="col" class="number">
            Cost
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <RunLine run={run} now={now} />
        ))}
      </tbody>
    </table>
  );
}

function RunLine({ run, now }: { run: ListedRun; now: number }) {
  const ended = run.ended_at === null ? now : Date.parse(run.ended_at);
  return (
    <tr>
      <td>
        <StatusChip status={run.status} />
      </td>
      <td class="main">
        <a href={runPath(run.run)}>{safeName(run.run)}</a>
        {run.rehearsal ? <span class="tag">rehearsal</span> : null}
        {run.description === undefined ? null : <div class="about">{safeLine(run.description)}</div>}
      </td>
      <td>{safeName(run.definition)}</td>
      <td>
        <time datetime={run.started_at} title={run.started_at}>
          {formatAge(run.started_at, now)}
        </time>
      </td>
      <td class="number">{formatDuration(ended - Date.parse(run.started_at))}</td>
      <td class="number">{run.usd === null || run.usd === 0 ? '' : formatUsd(run.usd)}</td>
    </tr>
  );
}
