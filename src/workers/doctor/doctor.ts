import { constants } from 'node:fs';
import { access, stat, statfs } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import { CREDENTIALS } from '../../activities/dependencies.js';
import type { Config } from '../../compiler/project/config.js';
import type { Project } from '../../compiler/project/project.js';
import type { Env } from '../../store/cache-folder.js';
import { openIdentity, requireOwn } from '../../store/identity.js';
import { findOnPath } from '../../store/processes/find-on-path.js';
import { deviceFindings } from './devices.js';
import { elsewhereFindings } from './elsewhere.js';
import { keyFindings } from './encryption.js';
import { modelFindings } from './models.js';
import { noticeFindings } from './notices.js';
import { gitFinding, programFinding } from './programs.js';
import { sandboxFindings } from './sandbox.js';
import { messageOf, UnavailableError } from '../errors.js';
import { hostStatus } from '../host/host-client.js';
import { takesFiles } from '../host/host-folder.js';
import { isFree } from '../server/ports.js';
import { TEMPORAL_CLI_VERSION } from '../temporal-binary/progress.js';
import { FREE_BYTES } from '../server/server-database.js';
import { findPresent, findTemporal } from '../temporal-binary/find.js';
import type { Finding } from './finding.js';
import { StoreFailure } from '../../store/store-failure.js';
import { outsideEnvironment } from '../../store/processes/search-path.js';

/**
 * Looks at everything Perdure needs on this machine. Starts nothing, changes nothing, calls no provider but those whose
 * address is named.
 */
export async function diagnose(
  project: Project,
  config: Pick<Config, 'task_queue' | 'devices' | 'notify' | 'providers' | 'models' | 'encryption'>,
  given: Env,
): Promise<Finding[]> {
  const env = outsideEnvironment(given, project.root);
  const program = (name: string, purpose: string, fix: string): Finding => programFinding(name, { purpose, fix }, env);
  const [state, disk, running, taken] = await Promise.all([
    stateFolder(project),
    diskSpace(project),
    host(project, config),
    ports(project),
  ]);
  const { keys, findings: ofKeys } = await keyFindings(project, config, given);
  return [
    nodeVersion(),
    await temporalProgram(env),
    ...userFindings(),
    program('go', 'builds the Temporal server once where there is none', 'Install Go 1.24 or later: https://go.dev/dl'),
    state,
    disk,
    running,
    taken,
    gitFinding(project.root),
    program('claude', 'agents with `agent: claude`', 'npm install -g @anthropic-ai/claude-code'),
    program('codex', 'agents with `agent: codex`', 'npm install -g @openai/codex'),
    program('gemini', 'agents with `agent: gemini`', 'npm install -g @google/gemini-cli'),
    ...(await sandboxFindings()),
    ...(await elsewhereFindings(env)),
    ...ofKeys,
    providers(env),
    ...(await modelFindings(config, env)),
    ...noticeFindings(project, config.notify, given),
    ...(await deviceFindings(project, config, { env: given, keys })),
  ];
}

function nodeVersion(): Finding {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { name: 'node', ok, required: true, detail: process.version, fix: ok ? null : 'Install Node 20.19 or later' };
}

async function temporalProgram(env: Env): Promise<Finding> {
  const name = 'temporal';
  try {
    // Without ways it only looks.
    const found =
      (env['PERDURE_TEMPORAL_BIN'] ?? '') === '' ? await findPresent(env) : await findTemporal({ env, ways: [] });
    if (found !== null)
      return { name, ok: true, required: true, detail: `server ${found.server} at ${found.path}`, fix: null };
    const go = findOnPath('go', env['PATH'] ?? '');
    return {
      name,
      ok: go !== null,
      required: true,
      detail:
        go === null
          ? 'there is none, and no Go to build it with'
          : 'there is none; the first run builds it with Go, in 3 to 4 minutes',
      fix:
        go === null
          ? `Install Go, put \`temporal\` (${TEMPORAL_CLI_VERSION} or later) on the PATH, or set ` +
            `PERDURE_TEMPORAL_BIN or TEMPORAL_ADDRESS`
          : null,
    };
  } catch (error) {
    return { name, ok: false, required: true, detail: messageOf(error), fix: 'Correct or unset PERDURE_TEMPORAL_BIN' };
  }
}

/** Where this user has no entry in passwd: servers that ask the C library for one do not start. */
export function userFindings(): Finding[] {
  try {
    userInfo();
    return [];
  } catch {
    return [
      {
        name: 'user',
        ok: false,
        required: false,
        detail: `${String(process.geteuid?.() ?? '')} has no entry in /etc/passwd: not all builds of Temporal start`,
        fix: 'Where a run says so, add an entry, or use a Temporal that was built with `-tags osusergo`',
      },
    ];
  }
}

async function stateFolder({ stateDir }: Project): Promise<Finding> {
  const name = 'state folder';
  try {
    const there = await existing(stateDir);
    await access(there, constants.W_OK | constants.X_OK);
    requireOwn(stateDir);
    await openIdentity(stateDir, true);
    return {
      name,
      ok: true,
      required: true,
      detail: there === stateDir ? stateDir : `${stateDir}; the first run makes it`,
      fix: null,
    };
  } catch (error) {
    return {
      name,
      ok: false,
      required: true,
      detail: messageOf(error),
      // What a store says of itself says what to do about it.
      fix:
        error instanceof StoreFailure && !error.passes
          ? null
          : 'Make it writable, or set PERDURE_STATE_DIR to another folder',
    };
  }
}

/** The folder itself, or the nearest one above it that is there. */
async function existing(folder: string): Promise<string> {
  return stat(folder).then(
    () => folder,
    (error: unknown) =>
      folder === dirname(folder)
        ? Promise.reject(error instanceof Error ? error : new Error(String(error)))
        : existing(dirname(folder)),
  );
}

/** Of the disk that runs write to, which need not be the project's. */
async function diskSpace({ stateDir }: Project): Promise<Finding> {
  const space = await statfs(await existing(stateDir));
  const free = space.bavail * space.bsize;
  const [hasRoom, hasFiles] = [free >= FREE_BYTES, takesFiles(space)];
  return {
    name: 'disk space',
    ok: hasRoom && hasFiles,
    required: true,
    detail: `${String(Math.floor(free / 1e6))} MB free${hasFiles ? '' : ', but no room for one more file'}`,
    fix: !hasRoom ? 'Free at least 32 MB' : hasFiles ? null : 'Remove files from that disk (`df -i`)',
  };
}

async function host({ stateDir }: Project, { task_queue }: { task_queue?: string | undefined }): Promise<Finding> {
  const status = await hostStatus(stateDir).catch(unavailable);
  if (status instanceof UnavailableError)
    return { name: 'host', ok: false, required: true, detail: status.message, fix: status.hint };
  if (status === null)
    return { name: 'host', ok: true, required: false, detail: 'not running; the next run starts it', fix: null };
  const other = task_queue !== undefined && status.phase === 'ready' && status.taskQueue !== task_queue;
  const detail =
    `${status.phase}, pid ${String(status.pid)}, server ${status.address}, ${status.uiUrl}, task queue ` +
    `${status.taskQueue}`;
  return {
    name: 'host',
    ok: !other,
    required: false,
    detail,
    fix: other ? `It polls another task queue than \`${task_queue}\`: perdure server stop` : null,
  };
}

async function ports({ stateDir }: Project): Promise<Finding> {
  const taken =
    (await hostStatus(stateDir).catch(unavailable)) === null
      ? (await Promise.all([7233, 8233].map(async (port) => ((await isFree(port)) ? [] : [port])))).flat()
      : [];
  const detail =
    taken.length === 0 ? 'free, or our own' : `${taken.join(' and ')} taken by another program; others will be used`;
  return { name: 'ports', ok: true, required: false, detail, fix: null };
}

/** A host that does not answer is a finding, not the end of looking. */
function unavailable(error: unknown): UnavailableError {
  if (error instanceof UnavailableError) return error;
  throw error;
}

/** Which provider variables are set: never their values (I13). */
function providers(env: Env): Finding {
  const set = CREDENTIALS.filter((name) => (env[name] ?? '') !== '');
  const ok = set.includes('ANTHROPIC_API_KEY') || set.includes('ANTHROPIC_AUTH_TOKEN');
  const detail = set.length === 0 ? 'no provider variable is set' : `${set.join(', ')} set`;
  return {
    name: 'claude api',
    ok,
    required: false,
    detail,
    fix: ok ? null : 'Set ANTHROPIC_API_KEY; without a provider only --rehearse answers for models',
  };
}
