import type { RunView } from '../../cli/observe/view/view.js';
import { isClosed, openGates } from '../../cli/observe/view/view.js';
import type { Narration } from '../../plan/narration/record.js';
import { renderMeter } from '../../cli/render/screen.js';
import { formatAge, formatDuration, plural, shortHash } from '../../cli/text/format.js';
import { safeLine, safeName } from '../../cli/text/safe-text.js';
import { receiptsPath, rerunPath } from '../paths.js';
import { Content } from './content.js';
import { GateCard } from './gate-page.js';
import { StatusChip } from './status.js';
import { Steering } from './steering.js';
import { Told } from './told.js';
import { RunTree } from './tree.js';

/** A run: how it stands, what waits, its tree. */
export function RunPage({
  view,
  expected,
  graph,
  temporal,
  narration,
  receipts,
  refused,
  now,
}: {
  view: RunView;
  /** What was to be expected of it when it began, in lines. */
  expected: string[];
  /** What was said of it; null where nothing was. */
  narration: Narration | null;
  /** How many of its decisions have one. */
  receipts: number;
  /** Decisions that were refused, in lines for people. */
  refused: string[];
  /** Where its picture is. */
  graph: string;
  /** Where Temporal's UI shows it; null where nobody could follow that link. */
  temporal: string | null;
  now: number;
}) {
  const gates = openGates(view);
  return (
    <article class="run">
      <div id="run-head" data-part>
        <RunHead view={view} expected={expected} now={now} />
      </div>
      <Told narration={narration} />
      <div id="run-waits" data-part>
        {gates.length === 0 ? null : (
          <>
            <h2>Waits for a person</h2>
            <ul class="cards">
              {gates.map((open) => (
                <GateCard open={open} now={now} />
              ))}
            </ul>
          </>
        )}
      </div>
      <div id="run-refused" data-part>
        {refused.length === 0 ? null : <pre class="plain warning">{refused.join('\n')}</pre>}
      </div>
      <div id="run-steering" data-part>
        {isClosed(view.status) ? (
          <p>
            <a href={rerunPath(view.run)}>Rerun…</a>
          </p>
        ) : (
          <Steering view={view} />
        )}
      </div>
      {temporal === null ? null : (
        <p>
          <a href={temporal} rel="noreferrer">
            History in Temporal’s UI
          </a>
        </p>
      )}
      <div id="run-receipts" data-part>
        {receipts === 0 ? null : (
          <p>
            <a href={receiptsPath(view.run)}>{plural(receipts, 'receipt')} of decisions</a>
          </p>
        )}
      </div>
      <div id="run-graph" data-part>
        <Graph src={graph} />
      </div>
      <h2>Steps</h2>
      <div id="run-tree" data-part>
        <RunTree view={view} now={now} />
      </div>
    </article>
  );
}

function Graph({ src }: { src: string }) {
  return (
    <details class="graph" open>
      <summary>Graph</summary>
      <div tabindex={0} role="group" aria-label="Graph of the run">
        <img
          src={src}
          alt="The steps of the run and what each waits for, with their states; the list below says the same"
        />
      </div>
    </details>
  );
}

function RunHead({ view, expected, now }: { view: RunView; expected: string[]; now: number }) {
  const { status, startedAt, endedAt, submittedBy, plan, rehearsal, error, warnings = [] } = view;
  return (
    <>
      <p class="crumbs">
        <a href="/runs">Runs</a> / {safeName(view.run)}
      </p>
      <h1>
        {safeName(view.name)} <StatusChip status={status} />
        {rehearsal ? <span class="tag">rehearsal</span> : null}
      </h1>
      <p class="facts">
        {isClosed(status) && endedAt !== null
          ? `took ${formatDuration(endedAt - startedAt)} · started ${formatAge(new Date(startedAt).toISOString(), now)}`
          : `started ${formatAge(new Date(startedAt).toISOString(), now)}`}
        {submittedBy === null ? '' : ` by ${safeName(submittedBy)}`} · plan {shortHash(plan)}
      </p>
      <p class="meter">{renderMeter(view, now)}</p>
      {expected.map((line) => (
        <p class="quiet expected">{line}</p>
      ))}
      {warnings.map(({ message }) => (
        <p class="warning">{safeLine(message)}</p>
      ))}
      {error === null ? null : <Content text={error} label="Why it did not succeed" />}
    </>
  );
}
