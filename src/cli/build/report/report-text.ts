import type { Palette } from '../../text/colors.js';
import { plural } from '../../text/format.js';
import { safeLine } from '../../text/safe-text.js';
import type { BoardReport, BuildReport, CommitReport, RequirementReport, TaskReport } from './report.js';

/** What a report of a rehearsal says of itself. */
export const REHEARSAL = 'This was a rehearsal: no model was asked, and scripts stood in for the agents.';

/** The lines of a report for a terminal, which is told of no text what it could act on. */
export function reportLines(report: BuildReport, palette: Palette): string[] {
  const { requirements, tasks, others } = report;
  return [
    palette.bold(safeLine(report.goal)),
    `${report.run} ended ${report.status}${report.error === null ? '' : `: ${safeLine(report.error)}`}`,
    ...(report.rehearsal ? [REHEARSAL] : []),
    testsLine(report, palette),
    ...report.boards.map((board) => palette.tone(isWell(board) ? 'good' : 'bad', safeLine(boardText(board)))),
    ...requirements.flatMap((requirement) => ['', ...requirementLines(requirement, tasks, palette)]),
    ...section('Tasks that name no requirement', tasksWithout(report), palette),
    ...(others === null || others.length === 0
      ? []
      : ['', palette.bold('What was mended after that'), ...others.map((commit) => `  ${commitLine(commit)}`)]),
    ...(report.branch === null ? ['', 'The work tree is gone, and its commits with it.'] : []),
  ];
}

/** Tasks that no requirement has. */
export function tasksWithout({ requirements, tasks }: BuildReport): TaskReport[] {
  const named = new Set(requirements.flatMap((requirement) => requirement.tasks));
  return tasks.filter(({ id }) => !named.has(id));
}

/** Why a requirement has no task. */
export function noTaskText(tasks: TaskReport[]): string {
  return tasks.length === 0 ? 'No tasks were approved.' : 'The plan names no task for it.';
}

/** The tests in one sentence. */
export function testsText({ tests: { command, result, passed, failed, reason } }: BuildReport): string {
  if (result === 'not tested') return 'Not tested.';
  const counts = [passed === null ? [] : `${passed} passed`, failed === null ? [] : `${failed} failed`]
    .flat()
    .join(', ');
  const by = command === null ? '' : ` (${command.join(' ')})`;
  const told = `Tests ${result}${counts === '' ? '' : `: ${counts}`}${by}.`;
  return result === 'failed' && reason !== null ? `${told} ${reason}` : told;
}

/** Tells whether a board got its image and said what was waited for, if anything. */
export function isWell({ flashed, heard }: BoardReport): boolean {
  return flashed && heard !== false;
}

/** What came of a board, in one sentence and what failed. */
export function boardText({ name, flashed, heard, error }: BoardReport): string {
  const said = heard === null ? '' : heard ? ', and said what it should' : ', and did not say what it should';
  const became = flashed ? `was flashed${said}` : 'was not flashed';
  return `The board ${name} ${became}.${error === null ? '' : ` ${error}`}`;
}

function testsLine(report: BuildReport, palette: Palette): string {
  const { result } = report.tests;
  return palette.tone(
    result === 'passed' ? 'good' : result === 'failed' ? 'bad' : 'attention',
    safeLine(testsText(report)),
  );
}

function requirementLines(
  { description, type, tasks: ids, done, behaviour }: RequirementReport,
  tasks: TaskReport[],
  palette: Palette,
): string[] {
  const mark = done === true ? palette.tone('good', '✓') : done === false ? palette.tone('bad', '✗') : '?';
  return [
    `${mark} ${palette.bold(safeLine(description))} ${palette.dim(safeLine(type))}`,
    ...behaviour.map((text) => `    ${safeLine(text)}`),
    ...(ids.length === 0 ? [`    ${noTaskText(tasks)}`] : []),
    ...tasks.filter(({ id }) => ids.includes(id)).flatMap((task) => taskLines(task, palette)),
  ];
}

function taskLines({ name, agent, status, error, commits }: TaskReport, palette: Palette): string[] {
  const tone = status === 'success' ? 'good' : 'bad';
  const said = commits === null ? [] : commits.length === 0 ? ['changed no file'] : commits.map(commitLine);
  return [
    `  ${palette.tone(tone, status)}  ${safeLine(name)} ${palette.dim(safeLine(agent))}`,
    ...(error === null ? [] : [`      ${safeLine(error)}`]),
    ...said.map((line) => `      ${line}`),
  ];
}

function commitLine({ commit, subject }: CommitReport): string {
  return `${commit.slice(0, 7)}  ${safeLine(subject)}`;
}

function section(title: string, tasks: TaskReport[], palette: Palette): string[] {
  if (tasks.length === 0) return [];
  return [
    '',
    palette.bold(`${title} (${plural(tasks.length, 'task')})`),
    ...tasks.flatMap((task) => taskLines(task, palette)),
  ];
}
