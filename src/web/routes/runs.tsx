import type { Hono } from 'hono';
import type { ListedRun } from '../../cli/observe/list-runs.js';
import { hasStatus } from '../../cli/observe/list-runs.js';
import { LISTED_STATUSES } from '../../cli/observe/listed-status.js';
import { formatCount, plural } from '../../cli/text/format.js';
import { safeLine } from '../../cli/text/safe-text.js';
import type { PageEnv, Site } from '../site.js';
import { sendPage } from '../site.js';
import { RunTable } from '../views/run-table.js';

const PER_PAGE = 50;
/** So many of the runs that have ended are read anew for the first pages; who looks further has all of them read. */
const FEW = 1_000;

interface Filter {
  /** Empty for all. */
  status: string;
  /** A part of a run's id, of its definition's name or of what it is about. */
  text: string;
  /** From 1. */
  page: number;
}

/** The list of all runs. */
export function runsRoutes(app: Hono<PageEnv>, site: Site): void {
  app.get('/', (c) => c.redirect((site.listing.last()?.gates.length ?? 0) > 0 ? '/inbox' : '/runs'));
  app.get('/runs', async (c) => {
    const filter: Filter = {
      status: LISTED_STATUSES.find((status) => status === c.req.query('status')) ?? '',
      text: (c.req.query('q') ?? '').slice(0, 200),
      page: Math.max(1, Math.trunc(Number(c.req.query('page') ?? 1)) || 1),
    };
    const isWhole = filter.status === '' && filter.text === '';
    const last = filter.page * PER_PAGE;
    const { runs, more, serverIsDown } = await site.listing.read(isWhole && last <= FEW ? last : Infinity);
    const found = runs.filter((run) => isMeant(run, filter));
    const known = runs.length + (more ?? 0);
    return sendPage(
      c,
      site,
      { title: 'Runs', section: 'runs', events: '/events' },
      <Runs {...{ found, known, filter, serverIsDown }} count={isWhole ? known : found.length} />,
    );
  });
}

function isMeant(run: ListedRun, { status, text }: Filter): boolean {
  const wanted = text.toLowerCase();
  return (
    (status === '' || hasStatus(run, status)) &&
    (wanted === '' ||
      [run.run, run.definition, run.description ?? ''].some((field) => field.toLowerCase().includes(wanted)))
  );
}

interface RunsProps {
  /** The first that fit, and how many do. */
  found: ListedRun[];
  count: number;
  known: number;
  filter: Filter;
  serverIsDown: boolean;
}

function Runs({ found, count, known, filter, serverIsDown }: RunsProps) {
  const pages = Math.max(1, Math.ceil(count / PER_PAGE));
  const page = Math.min(filter.page, pages);
  const shown = found.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  return (
    <>
      <h1>Runs</h1>
      <form class="filter" method="get" action="/runs" role="search">
        <label>
          State{' '}
          <select name="status">
            <option value="">all</option>
            {LISTED_STATUSES.map((status) => (
              <option value={status} selected={status === filter.status}>
                {status}
              </option>
            ))}
          </select>
        </label>
        <label class="grow">
          Name <input type="search" name="q" value={safeLine(filter.text)} placeholder="run, definition, description" />
        </label>
        <button>Show</button>
      </form>
      <div id="runs" data-part>
        {serverIsDown ? <p class="warning">The Temporal server is not running: open runs are not all known.</p> : null}
        <p class="quiet">
          {count === known ? plural(known, 'run') : `${formatCount(count)} of ${plural(known, 'run')}`}
        </p>
        {shown.length === 0 ? (
          <p class="empty">{known === 0 ? 'No runs yet. `perdure run <definition>` starts one.' : 'No run fits.'}</p>
        ) : (
          <RunTable runs={shown} now={Date.now()} />
        )}
        {pages === 1 ? null : <Pages page={page} pages={pages} filter={filter} />}
      </div>
    </>
  );
}

function Pages({ page, pages, filter }: { page: number; pages: number; filter: Filter }) {
  const to = (number: number): string => {
    const query = new URLSearchParams({ status: filter.status, q: filter.text, page: String(number) });
    return `/runs?${query.toString()}`;
  };
  return (
    <nav class="pages" aria-label="Pages of the list">
      {page > 1 ? <a href={to(page - 1)}>← newer</a> : <span class="quiet">← newer</span>}
      <span>
        page {page} of {pages}
      </span>
      {page < pages ? <a href={to(page + 1)}>older →</a> : <span class="quiet">older →</span>}
    </nav>
  );
}
