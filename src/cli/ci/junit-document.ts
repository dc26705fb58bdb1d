import { safeText } from '../text/safe-text.js';

/** One case of a report in JUnit's form. */
export interface JunitCase {
  classname: string;
  name: string;
  ms: number;
  /** Why it failed, in full; null where it did not, or where another case says it. */
  failed: string | null;
  skipped?: boolean;
}

/** A suite in JUnit's form. */
export interface JunitSuite {
  name: string;
  id?: string;
  ms: number;
  cases: JunitCase[];
}

/** A suite as JUnit's XML. */
export function junitDocument({ name, id, ms, cases }: JunitSuite): string {
  const failures = cases.filter(({ failed }) => failed !== null).length;
  const counts = `tests="${cases.length}" failures="${failures}" time="${seconds(ms)}"`;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts}>`,
    `  <testsuite name=${attribute(name)}${id === undefined ? '' : ` id=${attribute(id)}`} ${counts}>`,
    ...cases.map((one) => `    ${caseOf(one)}`),
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

function caseOf({ classname, name, ms, failed, skipped = false }: JunitCase): string {
  const head = `<testcase classname=${attribute(classname)} name=${attribute(name)} time="${seconds(ms)}"`;
  if (failed !== null) return `${head}>${failure(failed)}</testcase>`;
  return skipped ? `${head}><skipped/></testcase>` : `${head}/>`;
}

function failure(error: string): string {
  const [first = ''] = error.split('\n');
  return `<failure message=${attribute(first.slice(0, 200))}>${escaped(error)}</failure>`;
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
