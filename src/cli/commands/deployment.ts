import type { CommandSpec, Invocation } from '../command.js';
import { JSON_OPTION, TASK_QUEUE_OPTION, checkWords } from '../command.js';
import type { ExitCode } from '../exit-codes.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import type { DeploymentVersion } from '../../plan/placement/deployment.js';
import { versionIn, versionText } from '../../plan/placement/deployment.js';
import { RUN_ID } from '../../plan/names.js';
import type { Session } from '../session.js';
import { print, printJson } from '../terminal.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';
import { shellCommand, shellWord } from '../../plan/text/shell-command.js';

export const deployment: CommandSpec = {
  name: 'deployment',
  summary: 'versions of workers (`worker --deployment`): list them, have one take new runs, move a run to one',
  arguments: [
    { syntax: '<action>', about: 'what to do', choices: ['list', 'use', 'move'] },
    { syntax: '[words...]', about: 'for `use` the version; for `move` the run, and the version: else the current one' },
  ],
  options: [
    { flags: '--force', about: 'with `use`: also where the version lacks workers that the one before has' },
    TASK_QUEUE_OPTION,
    JSON_OPTION,
  ],
  examples: [
    'perdure deployment list',
    'perdure deployment use shop:2026-11-26',
    'perdure deployment move full-review-7k2m4xqa shop:2026-11-26',
  ],
  async run(invocation) {
    const [action, ...words] = invocation.arguments;
    checkWords('deployment', invocation.arguments, { list: 0, use: 1, move: 2 });
    const act = action === 'use' ? use(words) : action === 'move' ? move(words) : list;
    const { openSession } = await import('../session.js');
    const { terminal, options } = invocation;
    const session = await openSession(terminal, { taskQueue: options.text('task-queue'), lookOnly: true });
    const link = await session.connect({ start: false });
    try {
      return await act({ session, link }, invocation);
    } finally {
      await link.close();
    }
  },
};

interface Place {
  session: Session;
  link: TemporalLink;
}

type Act = (place: Place, invocation: Invocation) => Promise<ExitCode>;

/** A version that was typed. */
function typedVersion(text: string): DeploymentVersion {
  const version = versionIn(text);
  if (version?.build == null)
    throw usageError(
      `Expected a version as NAME:BUILD, got \`${text}\`.`,
      '`perdure deployment list` shows those that are known.',
    );
  return { name: version.name, build: version.build };
}

async function list({ session, link }: Place, { options, terminal }: Invocation): Promise<ExitCode> {
  const { versionsOf } = await import('../observe/versions.js');
  const found = await versionsOf(link, session.store);
  if (options.flag('json')) printJson(terminal, found);
  else if (found.length === 0)
    print(terminal, 'No worker has a version here. `perdure worker --deployment NAME:BUILD` starts one.');
  else {
    const { versionLines } = await import('../render/version-lines.js');
    print(terminal, ...versionLines(found, { now: Date.now(), palette: terminal.resultPalette }));
  }
  return EXIT.success;
}

function use([text = '']: string[]): Act {
  const version = typedVersion(text);
  return async ({ session, link }, { options, terminal }) => {
    const { makeCurrent } = await import('../../workers/deployment/server-versions.js');
    const force = options.flag('force');
    if (!force) await requireWorkers(version, { session, link });
    await makeCurrent(link, { version, force });
    const current = versionText(version);
    if (options.flag('json')) printJson(terminal, { current });
    else print(terminal, `New runs go to ${current}, and with them all that is not pinned to another version.`);
    return EXIT.success;
  };
}

/** Throws a CliError where a version has no worker for what workers of the one before it do now. */
async function requireWorkers(version: DeploymentVersion, { session, link }: Place): Promise<void> {
  const { queueState } = await import('../../workers/connection/task-queue.js');
  const { queuesOfVersion } = await import('../../plan/placement/version-queues.js');
  const workers = await session.store.listWorkers();
  const { current } = await queueState(link.connection, link.namespace, link.taskQueue);
  const own = queuesOfVersion(workers, version);
  const before = current === null ? [link.taskQueue] : [link.taskQueue, ...queuesOfVersion(workers, current)];
  const lacking = [...new Set(before)].filter((queue) => !own.has(queue));
  if (lacking.length === 0) return;
  const named = versionText(version);
  throw new CliError(
    `The version \`${named}\` has no worker for ${lacking.map((queue) => `\`${queue}\``).join(', ')}.`,
    EXIT.unavailable,
    `Start one with the same labels: ${shellCommand('perdure worker', [], `--deployment ${shellWord(named)}`)}; ` +
      '--force has it take new runs without.',
  );
}

function move([run = '', text]: string[]): Act {
  if (!RUN_ID.test(run)) throw usageError(`Expected the id of a run after \`deployment move\`, got \`${run}\`.`);
  const asked = text === undefined ? null : typedVersion(text);
  return async ({ link }, { options, terminal }) => {
    const { queueState } = await import('../../workers/connection/task-queue.js');
    const { moveRun } = await import('../../workers/deployment/move-run.js');
    const version = asked ?? (await queueState(link.connection, link.namespace, link.taskQueue)).current;
    if (version === null)
      throw usageError('No version takes new runs here.', 'Name one: perdure deployment move RUN NAME:BUILD');
    const moved = await moveRun(link, run, version);
    if (moved.length === 0) throw usageError(`There is no open run \`${run}\`.`, '`perdure list` shows the open ones.');
    if (options.flag('json')) printJson(terminal, { version: versionText(version), moved });
    else print(terminal, `${moved.join(', ')}: pinned to ${versionText(version)}.`);
    return EXIT.success;
  };
}
