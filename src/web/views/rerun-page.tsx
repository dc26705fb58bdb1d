import { segmentOf } from '../../plan/plan.js';
import type { PreparedRerun } from '../../cli/submit/rerun/rerun.js';
import { CHANGED_FILES } from '../../cli/submit/rerun/rerun.js';
import { formatUsd, plural, shortHash } from '../../cli/text/format.js';
import { safeName } from '../../cli/text/safe-text.js';
import { rerunPath, runPath } from '../paths.js';

interface RerunPageProps {
  run: string;
  prepared: PreparedRerun;
  choices: { from: string | null; again: boolean };
  /** By which the form names what is shown. */
  shown: string;
}

/** What a rerun would do, as `perdure rerun --dry-run` tells it, and the button that starts it. */
export function RerunPage({ run, prepared, choices, shown }: RerunPageProps) {
  const { submission, record, forecast, changed } = prepared;
  const { plan } = submission.compiled;
  const { usd } = forecast;
  return (
    <article class="gate">
      <p class="crumbs">
        <a href="/runs">Runs</a> / <a href={runPath(run)}>{safeName(run)}</a> / rerun
      </p>
      <h1>Rerun of {safeName(record.plan_name)}</h1>
      <p class="facts">
        {plan.hash === record.plan ? 'by the Plan of before' : 'by the definition as it is now'} · plan{' '}
        {shortHash(plan.hash)}
        {record.rehearsal ? ' · a rehearsal' : ''}
      </p>
      {changed ? <p class="warning">{CHANGED_FILES}</p> : null}
      <Paths title="Taken over, unchanged" paths={forecast.reuse} />
      <Paths title="Run" paths={forecast.run} />
      <Paths title="May run: they depend on those" paths={forecast.may_run} />
      <Paths title="Ask people anew" paths={forecast.ask} />
      <Paths
        title="Fail: an external effect has happened there, and they are given something else now"
        paths={forecast.refuse}
      />
      <p>
        What runs or may run cost last time:{' '}
        <strong>{usd === null ? 'not known' : usd === 0 ? 'nothing' : formatUsd(usd)}</strong>
      </p>
      <form method="post" action={rerunPath(run)} class="decide">
        <input type="hidden" name="id" value={submission.id} />
        <input type="hidden" name="shown" value={shown} />
        <input type="hidden" name="from" value={choices.from ?? ''} />
        <input type="hidden" name="again" value={choices.again ? 'yes' : ''} />
        <button class="primary">Start the rerun</button>
      </form>
      <details open={choices.from !== null || choices.again}>
        <summary>Something else…</summary>
        <form method="get" action={rerunPath(run)} class="decide">
          <label>
            Run anew from
            <select name="from">
              <option value="">what has changed</option>
              {plan.steps.map((step) => (
                <option value={segmentOf(step)} selected={segmentOf(step) === choices.from}>
                  {safeName(segmentOf(step))}
                </option>
              ))}
            </select>
          </label>
          <label class="choice">
            <input type="checkbox" name="again" value="yes" checked={choices.again} /> Repeat steps whose effect is
            external
          </label>
          <button>Show what that does</button>
        </form>
      </details>
    </article>
  );
}

function Paths({ title, paths }: { title: string; paths: string[] }) {
  if (paths.length === 0) return <></>;
  return (
    <details open={paths.length <= 50}>
      <summary>
        {title}: {plural(paths.length, 'step')}
      </summary>
      <ul class="follows">
        {paths.map((path) => (
          <li>{safeName(path)}</li>
        ))}
      </ul>
    </details>
  );
}
