import type { SubmittedRun } from '../../store/records/submitted-files.js';
import type { Store } from '../../store/store.js';
import { serverIdOf } from '../../activities/runs/server-id.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { safeName } from '../text/safe-text.js';
import { CliError, EXIT } from '../exit-codes.js';
import { unknownRun } from '../session.js';
import { shellCommand } from '../../plan/text/shell-command.js';
import { rootOf } from './view/view.js';

type Server = Pick<TemporalLink, 'client' | 'embedded'>;

/** The id that a run is noted with which this server is given; undefined for a state folder's own (decision 61). */
export async function notedServer(
  { client, embedded }: Server,
  { homes }: Pick<Store, 'homes'>,
): Promise<string | undefined> {
  return embedded && homes === null ? undefined : serverIdOf(client);
}

/** How many runs a server is asked for at once. */
const AT_ONCE = 100;

/**
 * Of runs that were submitted here, have left no record, and that the server has not listed, those that it does not
 * know at all, with where they were given to, in words. `link` is null where this folder's server has no database.
 */
export async function lostRuns(
  unlisted: SubmittedRun[],
  link: Server | null,
  store: Pick<Store, 'homes'>,
): Promise<Map<string, string>> {
  if (unlisted.length === 0) return new Map();
  const known = new Set<string>();
  for (let from = 0; link !== null && from < unlisted.length; from += AT_ONCE) {
    const ids = unlisted.slice(from, from + AT_ONCE).map(({ run }) => `'${run}'`);
    for await (const { workflowId } of link.client.workflow.list({ query: `WorkflowId IN (${ids.join(', ')})` }))
      known.add(workflowId);
  }
  const lost = unlisted.filter((noted) => !known.has(noted.run) && !isStarting(noted));
  if (lost.length === 0) return new Map();
  const here = link === null ? undefined : await notedServer(link, store);
  return new Map(lost.map((noted) => [noted.run, givenTo(noted, here)]));
}

/** A run is noted a moment before it is started. */
const STARTING_MS = 60_000;

function isStarting({ submitted_at }: SubmittedRun): boolean {
  return Date.now() - Date.parse(submitted_at) < STARTING_MS;
}

/** Where a run was given to of which the server that is asked has nothing; `here` is that one's id, as it is noted. */
function givenTo({ server, at }: SubmittedRun, here: string | undefined): string {
  const place =
    server === undefined
      ? 'the server of this folder'
      : at === undefined
        ? `a server whose namespace has the id \`${safeName(server)}\``
        : `the server at \`${safeName(at.address)}\` (namespace \`${safeName(at.namespace)}\`)`;
  return `was given to ${place}, which ${server === here ? 'has nothing of it' : 'is not the one that is asked'}`;
}

/**
 * The refusal of what needs a run of which the server that is asked has nothing: one that was submitted here is told
 * with what is known of it.
 */
export async function unknownIn(
  run: string,
  store: Pick<Store, 'homes' | 'readSubmitted'>,
  link: Server | null,
): Promise<CliError> {
  const root = rootOf(run);
  const [noted] = await store.readSubmitted([root]);
  if (noted === undefined) return unknownRun(run);
  if (isStarting(noted))
    return new CliError(
      `The run \`${root}\` was submitted a moment ago, and the server has nothing of it yet.`,
      EXIT.unavailable,
      'Ask again: where it is still so after a minute, it is told where it was given to.',
    );
  const here = link === null ? undefined : await notedServer(link, store);
  const { definition, submitted_by, submitted_at } = noted;
  const at = submitted_at.slice(0, 16).replace('T', ' ');
  const logs = `\`${shellCommand('perdure logs', [root])}\` shows what it wrote.`;
  return new CliError(
    `The run \`${root}\` of \`${safeName(definition)}\`, submitted by ${safeName(submitted_by)} at ${at} UTC, ` +
      `${givenTo(noted, here)}.`,
    EXIT.unavailable,
    noted.server === here
      ? `It goes on once the server has its data again, unless its submit was ended before it was started. ${logs}`
      : `Ask that one: TEMPORAL_ADDRESS names it; without, it is the one of this folder. ${logs}`,
  );
}
