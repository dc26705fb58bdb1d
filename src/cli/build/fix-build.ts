import { join } from 'node:path';
import { madeOfTasks } from '../../activities/builds/task-workflow.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject, toText } from '../../plan/values/json.js';
import { tasksIn } from '../../plan/builds/task.js';
import type { Role } from '../../plan/builds/build-spec.js';
import { mapIn, teamOf, workTreeOf } from '../../plan/builds/build-spec.js';
import type { RunRecord } from '../../plan/result.js';
import { madeTrees } from '../../store/worktrees/make-trees.js';
import type { Store } from '../../store/store.js';
import type { CliError, ExitCode } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import type { BuiltRun } from './built-run.js';
import { openBuiltRun } from './built-run.js';
import { builtWork, FIX_TASKS } from './built-work.js';
import type { Written } from '../submit/run.js';
import { run } from '../submit/run.js';
import type { RunCommand } from '../submit/submit-run.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { shellCommand } from '../../plan/text/shell-command.js';

/**
 * `build fix RUN TEXT`: the team of a build that has ended mends what it built. The plan of the build stays as it is:
 * this is a run of its own.
 */
export async function fixBuild(
  built: string,
  wish: string,
  command: RunCommand,
  terminal: Terminal,
): Promise<ExitCode> {
  const { store, project, ...known } = await openBuiltRun(
    built,
    { taskQueue: command.taskQueue, there: 'Mend it where that store is.' },
    terminal,
  );
  const isKept = store.folder !== null && (await madeTrees(store.folder, built)) !== null;
  if (!isKept)
    tell(terminal, `The work tree of \`${built}\` is gone: the files of the project are mended as they are.`);
  const fix = { ...known, wish, root: project.root, from: isKept ? built : null };
  return run(command, terminal, await fixOf(fix, store));
}

const [MEND, CHECK] = FIX_TASKS;

interface Fix extends Pick<BuiltRun, 'record' | 'build' | 'plan' | 'spec'> {
  wish: string;
  root: string;
  /** The run whose work it goes on with; null for that which stands in the project. */
  from: string | null;
}

/**
 * Two tasks of the same team, as a build has them: one mends, and where there is a tester, one looks whether all still
 * works.
 */
async function fixOf({ record, build, plan, spec, wish, root, from }: Fix, store: Store): Promise<Written> {
  const { output: before } = await builtWork(record, store);
  const planned = build === record ? before : (await builtWork(build, store)).output;
  if (tasksIn(planned) === null) throw neverBegun(build.run);
  const commands = mapIn(planned, 'commands');
  const team = teamOf(spec);
  const nameOf = (role: Role): string | undefined => team.find((member) => member.role === role)?.name;
  const builder = nameOf('builder') ?? team[0]?.name ?? '';
  const tester = nameOf('tester');
  const tasks = [
    task(MEND, builder, {
      description: `What was built has to be changed:\n\n${wish}`,
      criteria: ['It is as asked.', 'Nothing else has changed.'],
      after: [],
    }),
    ...(tester === undefined || tester === builder
      ? []
      : [
          task(CHECK, tester, {
            description:
              `What was built was changed, because somebody asked for this:\n\n${wish}\n\nSee that it is so, and ` +
              `that what worked before still does; say exactly what does not.`,
            criteria: ['The tests pass.'],
            after: [MEND],
          }),
        ]),
  ];
  const made = madeOfTasks({ ...commands, tasks }, spec, plan.budgets, {
    summaries: Object.entries(mapIn(before, 'summaries'))
      .reverse()
      .map(([name, text]) => ({ name, text: toText(text) })),
    results: resultsOf(record, before),
  });
  if ('problems' in made) throw usageError(`The team of \`${record.run}\` cannot be asked: ${made.problems}`);
  const workflow = {
    ...(JSON.parse(made.text) as JsonObject),
    name: 'build-fix',
    description: `Mends what ${record.run} built.`,
    workspace: { ...workTreeOf(spec), ...(from === null ? {} : { from }) },
  }; // `madeOfTasks` wrote a map
  const at = (name: string): string => join(root, name);
  const agents = Object.entries(made.agents ?? {}).map(([name, text]) => [at(name), text] as const);
  return {
    file: at(made.file),
    made: {
      texts: new Map([[at(made.file), JSON.stringify(workflow)], ...agents]),
      agents: agents.map(([name]) => name),
      own: true,
    },
    input: () => ({}),
    after: record.run,
  };
}

/** The refusal of a build whose tasks nobody approved: nothing stands there to be mended, and no way to test it. */
function neverBegun(run: string): CliError {
  return usageError(
    `The build \`${run}\` ended before its tasks were approved: there is nothing to mend.`,
    `\`${shellCommand('perdure rerun', [run])}\` builds it.`,
  );
}

/** What is known of a build beside what its agents said: how it ended, and all else that its output tells. */
function resultsOf({ status, error }: RunRecord, output: Json): { name: string; text: string }[] {
  const rest = isObject(output)
    ? Object.entries(output).filter(([key]) => !['tasks', 'summaries', 'commands'].includes(key))
    : [];
  return [
    { name: 'how the build ended', text: error === null ? status : `${status}: ${error}` },
    ...rest.map(([name, value]) => ({ name, text: toText(value) })),
  ];
}

function task(
  id: string,
  agent: string,
  { description, criteria, after }: { description: string; criteria: string[]; after: string[] },
): JsonObject {
  return {
    id,
    name: id === MEND ? 'Mend what was built' : 'See that it works',
    description,
    acceptance_criteria: criteria,
    dependencies: after,
    agent_name: agent,
    complexity: 'simple',
  };
}
