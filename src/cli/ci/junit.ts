import type { RunView } from '../observe/view/view.js';
import type { JunitCase } from './junit-document.js';
import { junitDocument } from './junit-document.js';
import { ciRows, isFailed } from './rows.js';

/**
 * A run as JUnit's XML: one suite, a case for each step. A run that came to less than success by none of its steps is a
 * case too: the exit code says so as well.
 */
export function junitXml(view: RunView): string {
  const cases = ciRows(view).map((row): JunitCase => ({
    classname: view.name,
    name: row.path,
    ms: row.ms,
    failed: isFailed(row) && row.own ? (row.error ?? '') : null,
    skipped: !isFailed(row) && row.status !== 'success',
  }));
  if (view.status !== 'success' && cases.every(({ failed }) => failed === null))
    cases.push({ classname: view.name, name: 'run', ms: 0, failed: view.error ?? view.status });
  return junitDocument({ name: view.name, id: view.run, ms: (view.endedAt ?? view.startedAt) - view.startedAt, cases });
}
