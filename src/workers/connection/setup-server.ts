import { setTimeout as pause } from 'node:timers/promises';
import type { Connection } from '@temporalio/client';
import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import { grpcCodeOf, messageOf, NOT_FOUND, UnavailableError } from '../errors.js';
import { reachServer } from './connect.js';
import { addSearchAttributes, missingSearchAttributes } from './server-health.js';
import type { TemporalSettings } from './temporal-settings.js';

/** What a server elsewhere lacked and has now. */
export interface SetUp {
  namespace: boolean;
  searchAttributes: string[];
}

/** The parts of a server read what was made from their caches, which they fill anew every few seconds. */
const SEEN_MS = 60_000;
const LOOK_MS = 250;
const DAY_SECONDS = 24 * 60 * 60;

/**
 * Makes what Perdure needs of a server elsewhere, as far as it is not there: the namespace, which keeps closed runs for
 * so many days, and the search attributes. Changes nothing that is there. Throws an UnavailableError where the server
 * is not reachable, does not let this user make them, or has no room for them.
 */
export async function setUpServer(settings: TemporalSettings, retentionDays: number): Promise<SetUp> {
  const { namespace } = settings;
  const connection = await reachServer(settings);
  try {
    const isNew = !(await hasNamespace(connection, namespace));
    if (isNew)
      await register(connection, namespace, retentionDays).catch((error: unknown) => {
        throw refused(`make the namespace \`${namespace}\``, error);
      });
    const missing = await seen(() => missingSearchAttributes(connection, namespace));
    if (missing.length > 0) {
      await addSearchAttributes(connection, namespace, missing).catch((error: unknown) => {
        throw notMade(error, missing) ?? refused('make search attributes', error);
      });
      await seen(async () => {
        const left = await missingSearchAttributes(connection, namespace);
        if (left.length > 0) throw new Error(`it has no search attribute ${left.join(', ')} of the type Keyword`);
      });
    }
    return { namespace: isNew, searchAttributes: missing };
  } finally {
    await connection.close();
  }
}

async function hasNamespace({ workflowService }: Connection, namespace: string): Promise<boolean> {
  return workflowService.describeNamespace({ namespace }).then(
    () => true,
    (error: unknown) => {
      if (grpcCodeOf(error) === NOT_FOUND) return false;
      throw refused(`see the namespace \`${namespace}\``, error);
    },
  );
}

async function register({ workflowService }: Connection, namespace: string, days: number): Promise<void> {
  // Protobuf's 64-bit fields take a plain number where it is exact.
  const seconds = (days * DAY_SECONDS) as unknown as Long;
  await workflowService.registerNamespace({ namespace, workflowExecutionRetentionPeriod: { seconds } });
}

type Register = Parameters<Connection['workflowService']['registerNamespace']>[0];
type Long = NonNullable<NonNullable<Register['workflowExecutionRetentionPeriod']>['seconds']>;

const PERMISSION_DENIED = 7;
const UNIMPLEMENTED = 12;
/** By these a server says that a namespace has as many search attributes as it may have, or another one of a name. */
const NOT_MADE = new Set([3, 6, 8, 9]); // invalid argument, already exists, resource exhausted, failed precondition

function notMade(error: unknown, missing: string[]): UnavailableError | null {
  if (!NOT_MADE.has(grpcCodeOf(error) ?? 0)) return null;
  return new UnavailableError(
    `The Temporal server does not make search attributes of the type Keyword: ${messageOf(error)}`,
    `Have an administrator make room for them in the namespace: ${missing.join(', ')}. Runs go on without them, and ` +
      'are not found by them.',
  );
}

function refused(what: string, error: unknown): unknown {
  const code = grpcCodeOf(error);
  return code === PERMISSION_DENIED || code === UNIMPLEMENTED
    ? new UnavailableError(
        `The Temporal server does not let this user ${what}: ${messageOf(error)}`,
        'Have an administrator do it. Search attributes of the type Keyword: ' +
          Object.values(SEARCH_ATTRIBUTES).join(', '),
      )
    : error;
}

/** Asks until the server has seen what was made. */
async function seen<T>(ask: () => Promise<T>): Promise<T> {
  for (const until = Date.now() + SEEN_MS; ; await pause(LOOK_MS)) {
    try {
      return await ask();
    } catch (error) {
      if (grpcCodeOf(error) === PERMISSION_DENIED) throw refused('see search attributes', error);
      if (Date.now() > until)
        throw new UnavailableError(`The Temporal server does not come round: ${messageOf(error)}`);
    }
  }
}
