import { safeLine } from '../../text/safe-text.js';
import { boardText, isWell, noTaskText, REHEARSAL, tasksWithout, testsText } from './report-text.js';
import type { BuildReport, CommitReport, RequirementReport, TaskReport } from './report.js';

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1c1c1c;' +
  'background:#fff}h1{font-size:1.5rem}table{border-collapse:collapse;width:100%}th,td{text-align:left;' +
  'vertical-align:top;padding:.5rem;border-bottom:1px solid #ccc;overflow-wrap:anywhere}code{font-size:.9em}' +
  'ul{margin:0;padding-left:1.2rem}.good{color:#11632f}.bad{color:#a01818}' +
  '@media(prefers-color-scheme:dark){body{color:#eee;background:#161616}th,td{border-color:#444}' +
  '.good{color:#6fd694}.bad{color:#ff9a9a}}';

/** A page that stands alone: no script, nothing from elsewhere. All that agents and specs say is text in it. */
export function reportPage(report: BuildReport): string {
  const { goal, run, status, error, requirements, tasks, others } = report;
  const without = tasksWithout(report);
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8">',
    '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src \'unsafe-inline\'">',
    '<meta name="viewport" content="width=device-width">',
    `<title>${escaped(goal)}</title><style>${STYLE}</style></head><body>`,
    `<h1>${escaped(goal)}</h1>`,
    `<p><code>${escaped(run)}</code> ended <strong class="${toneOf(status)}">${escaped(status)}</strong>` +
      `${error === null ? '' : `: ${escaped(error)}`}</p>`,
    ...(report.rehearsal ? [`<p><strong>${REHEARSAL}</strong></p>`] : []),
    `<p class="${report.tests.result === 'passed' ? 'good' : 'bad'}">${escaped(testsText(report))}</p>`,
    ...report.boards.map((board) => `<p class="${isWell(board) ? 'good' : 'bad'}">${escaped(boardText(board))}</p>`),
    '<table><thead><tr><th scope="col">Requirement</th><th scope="col">Tasks</th><th scope="col">Commits</th></tr>',
    '</thead><tbody>',
    ...requirements.map((requirement) => requirementRow(requirement, tasks)),
    ...without.map((task) => row('No requirement is named.', [task])),
    '</tbody></table>',
    ...(others === null || others.length === 0
      ? []
      : ['<h2>What was mended after that</h2>', list(others.map(commitText))]),
    ...(report.branch === null ? ['<p>The work tree is gone, and its commits with it.</p>'] : []),
    '</body></html>',
    '',
  ].join('\n');
}

function requirementRow({ description, tasks: ids, behaviour }: RequirementReport, tasks: TaskReport[]): string {
  const told = [...behaviour, ...(ids.length === 0 ? [noTaskText(tasks)] : [])];
  return row(
    `${escaped(description)}${list(told.map(escaped))}`,
    tasks.filter(({ id }) => ids.includes(id)),
  );
}

function row(first: string, tasks: TaskReport[]): string {
  const told = tasks.map(
    ({ name, agent, status, error }) =>
      `${escaped(name)} (${escaped(agent)}): <span class="${toneOf(status)}">${escaped(status)}</span>` +
      `${error === null ? '' : `, ${escaped(error)}`}`,
  );
  const commits = tasks.flatMap((task) => task.commits ?? []).map(commitText);
  return `<tr><td>${first}</td><td>${list(told)}</td><td>${list(commits)}</td></tr>`;
}

function commitText({ commit, subject }: CommitReport): string {
  return `<code>${escaped(commit.slice(0, 7))}</code> ${escaped(subject)}`;
}

/** Of items that are HTML already. */
function list(items: string[]): string {
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}

function toneOf(status: string): string {
  return status === 'success' ? 'good' : 'bad';
}

function escaped(text: string): string {
  const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return safeLine(text).replace(/[&<>"']/g, (sign) => signs[sign] ?? sign);
}
