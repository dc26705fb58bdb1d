import { commitsOf } from '../../../store/worktrees/branch.js';
import { openTrees } from '../../../store/worktrees/make-trees.js';
import type { Store } from '../../../store/store.js';
import type { ExitCode } from '../../exit-codes.js';
import { EXIT } from '../../exit-codes.js';
import type { Terminal } from '../../terminal.js';
import { print, printJson, printResult, tell } from '../../terminal.js';
import { openBuiltRun } from '../built-run.js';
import { builtWork } from '../built-work.js';
import { reportPage } from './report-html.js';
import { reportLines } from './report-text.js';
import type { ReportSource } from './report.js';
import { reportOf } from './report.js';

/** `build report RUN`: what came of each requirement, as lines, as JSON or as a page. */
export async function reportBuild(
  built: string,
  { taskQueue, form }: { taskQueue: string | null; form: 'text' | 'json' | 'html' },
  terminal: Terminal,
): Promise<ExitCode> {
  const { store, record, build, spec } = await openBuiltRun(built, { taskQueue, there: 'Ask there.' }, terminal);
  if (build !== record) tell(terminal, `\`${built}\` has mended \`${build.run}\`: this is the report of that build.`);
  const report = reportOf({
    record: build,
    spec,
    ...(await builtWork(build, store)),
    branch: await branchOf(build.run, store),
  });
  if (form === 'json') printJson(terminal, report);
  else if (form === 'html') printResult(terminal, `${reportPage(report)}\n`);
  else for (const line of reportLines(report, terminal.resultPalette)) print(terminal, line);
  return EXIT.success;
}

async function branchOf(run: string, { folder }: Store): Promise<ReportSource['branch']> {
  const trees = folder === null ? null : await openTrees(folder, run);
  return trees === null ? null : { name: trees.made.branch, commits: await commitsOf(trees) };
}
