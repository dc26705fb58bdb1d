import { SEARCH_ATTRIBUTES } from '../../plan/names.js';
import { sha256 } from '../../store/hash.js';
import { LOOPBACK } from './ports.js';

/**
 * An empty namespace that the server of this database has and no other: who answers on a port tells by it whose server
 * it is. Two projects that start in one moment see the same port free.
 */
export function markOf(database: string): string {
  return `perdure-${sha256(database).slice('sha256:'.length, 'sha256:'.length + 16)}`;
}

/** Where a server listens; all on loopback. */
export interface ServerPorts {
  grpc: number;
  ui: number;
  /** The codec endpoint that the Web UI asks for stored values: served by the host, not by the server. */
  codec: number;
}

/** Decision 8: stock, a step takes 102 ms; so it takes 9 ms, and every step is still synced. */
const DYNAMIC_CONFIG: Record<string, string> = {
  // With every task that comes, a queue looks again at all that it has finished since it last told the database, every
  // 30 s: under load a sixth of the server's CPU. Where nothing came, it writes nothing.
  'history.transferProcessorUpdateAckInterval': '"1s"',
  'history.visibilityProcessorUpdateAckInterval': '"1s"',
  // The development server asks the database for its columns with each commit, in case one was added: ours has all from
  // its start.
  'system.forceSearchAttributesCacheRefreshOnRead': 'false',
  'history.transferProcessorMaxPollRPS': '2000',
  'history.timerProcessorMaxPollRPS': '2000',
  'history.visibilityProcessorMaxPollRPS': '2000',
  'system.enableActivityEagerExecution': 'true',
  'system.enableEagerWorkflowStart': 'true',
  'matching.numTaskqueueReadPartitions': '1',
  'matching.numTaskqueueWritePartitions': '1',
  // A second way in, by HTTP, at a port that nobody chose: it takes what any page in a browser here sends, without a
  // word of where that comes from. A browser names a host with each request, and none is allowed.
  'frontend.httpAllowedHosts': '[]',
};
const PRAGMAS: Record<string, string> = { journal_mode: 'wal', synchronous: 'full' };

/** The arguments of a Temporal command line that serves one database file, and its Web UI at an address of loopback. */
export function serverArguments(database: string, ports: ServerPorts, uiAddress: string): string[] {
  return [
    ...['server', 'start-dev', '--db-filename', database, '--ip', LOOPBACK, '--namespace', markOf(database)],
    ...['--port', String(ports.grpc), '--ui-port', String(ports.ui), '--ui-ip', uiAddress],
    ...['--ui-codec-endpoint', `http://${LOOPBACK}:${String(ports.codec)}`],
    ...Object.entries(PRAGMAS).flatMap(([name, value]) => ['--sqlite-pragma', `${name}=${value}`]),
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([name, value]) => ['--dynamic-config-value', `${name}=${value}`]),
    ...Object.values(SEARCH_ATTRIBUTES).flatMap((name) => ['--search-attribute', `${name}=Keyword`]),
  ];
}

/** Tells whether this is the command line of a server of ours. */
export function isServer(argv: string[]): boolean {
  return (
    argv.includes('start-dev') && argv.includes('--db-filename') && argv.some((word) => word.startsWith('perdure-'))
  );
}

/**
 * The ports of the server whose command line this is, or null when it is not one that serves this database.
 * The command line is the one record of a server that cannot be stale.
 */
export function portsIn(argv: string[], database: string): ServerPorts | null {
  // Joined, because `ps` splits a path with spaces; spaces end each piece, so that no longer path is taken for it.
  if (!argv.includes('start-dev') || !`${argv.join(' ')} `.includes(` --db-filename ${database} `)) return null;
  const after = (flag: string): string => argv[argv.indexOf(flag) + 1] ?? '';
  const codec = /:(\d+)$/.exec(after('--ui-codec-endpoint'));
  const ports = { grpc: Number(after('--port')), ui: Number(after('--ui-port')), codec: Number(codec?.[1]) };
  return Object.values(ports).every((port) => Number.isInteger(port) && port > 0) ? ports : null;
}

/** Where the Web UI of the server whose command line this is listens. */
export function uiAddressIn(argv: string[]): string {
  const at = argv.indexOf('--ui-ip');
  return (at < 0 ? null : argv[at + 1]) ?? LOOPBACK;
}
