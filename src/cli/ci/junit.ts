import type { RunView } from '../observe/view.js';
import { isClosed } from '../observe/view.js';
import { safeText } from '../text/safe-text.js';
import { ciRows, isFailed } from './rows.js';

/** A run as JUnit's XML: one suite, a case for each step. A run that failed by none of its steps is a case too. */
export function junitXml(view: RunView): string {
  const cases = ciRows(view).map((row) => {
    const names = `classname=${attribute(view.name)} name=${attribute(row.path)}`;
    const head = `    <testcase ${names} time="${seconds(row.ms)}"`;
    if (isFailed(row)) return { failed: row.own, text: `${head}>${row.own ? failure(row.error) : ''}</testcase>` };
    const skipped = row.status === 'success' ? '/>' : '><skipped/></testcase>';
    return { failed: false, text: `${head}${skipped}` };
  });
  const ended = isClosed(view.status) && (view.status === 'success' || view.status === 'partial');
  const alone = ended || cases.some(({ failed }) => failed) ? [] : [`    ${wholeCase(view)}`];
  const failures = cases.filter(({ failed }) => failed).length + alone.length;
  const time = seconds((view.endedAt ?? view.startedAt) - view.startedAt);
  const counts = `tests="${cases.length + alone.length}" failures="${failures}" time="${time}"`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name=${attribute(view.name)} id=${attribute(view.run)} ${counts}>`,
    ...cases.map(({ text }) => text),
    ...alone,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

function wholeCase(view: RunView): string {
  const said = failure(view.error ?? view.status);
  return `<testcase classname=${attribute(view.name)} name="run" time="0">${said}</testcase>`;
}

function failure(error: string | null): string {
  const [first = ''] = (error ?? '').split('\n');
  return `<failure message=${attribute(first.slice(0, 200))}>${escaped(error ?? '')}</failure>`;
}

function attribute(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;')}"`;
}

/** What XML cannot hold is an escape of ours by then. */
function escaped(text: string): string {
  return safeText(text).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function seconds(ms: number): string {
  return (Math.max(0, ms) / 1000).toFixed(3);
}
