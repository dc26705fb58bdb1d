import { stripVTControlCharacters } from 'node:util';

/** How many tests ran, as their runner says. */
export interface TestCounts {
  passed: number;
  failed: number;
}

/** A runner's way to say how many tests ran. A group that is missing counts nothing; several lines add up. */
interface Summary {
  passed: RegExp;
  failed: RegExp;
}

/** A line that is longer is no summary, and what looks for one in it takes long. */
const LINE_CHARACTERS = 1_000;

/** Summaries of runners, the most specific first. Each expression has one group, a number, or counts its lines. */
const SUMMARIES: Summary[] = [
  // node --test, and whatever writes TAP with its summary
  { passed: /^(?:#|ℹ) pass (\d+)$/gm, failed: /^(?:#|ℹ) (?:fail|cancelled) (\d+)$/gm },
  // vitest
  { passed: /^ *Tests (?:.*\D)?(\d+) passed/gm, failed: /^ *Tests (?:.*\D)?(\d+) failed/gm },
  // jest
  { passed: /^Tests: (?:.*\D)?(\d+) passed/gm, failed: /^Tests: (?:.*\D)?(\d+) failed/gm },
  // cargo test
  { passed: /^test result: \w+\. (\d+) passed/gm, failed: /^test result: \w+\. \d+ passed; (\d+) failed/gm },
  // deno test
  { passed: /^(?:ok|FAILED) \| (\d+) passed/gm, failed: /^(?:ok|FAILED) \| \d+ passed.*\| (\d+) failed/gm },
  // pytest
  {
    passed: /^(?:.*\D)?(\d+) passed\b.* in [\d.]+s/gm,
    failed: /^(?:.*\D)?(\d+) (?:failed|errors?)\b.* in [\d.]+s/gm,
  },
  // mocha
  { passed: /^ *(\d+) passing\b/gm, failed: /^ *(\d+) failing\b/gm },
  // bun test
  { passed: /^ *(\d+) pass$/gm, failed: /^ *(\d+) fail$/gm },
  // go test -v
  { passed: /^ *--- PASS: /gm, failed: /^ *--- FAIL: /gm },
  // go test: a package that has passed has tests, or says that it has none
  { passed: /^ok +\t?\S+\t[\d.]+s(?!.*no tests to run)/gm, failed: /^FAIL\t\S+\t/gm },
  // plain scripts
  { passed: /^PASS: /gm, failed: /^FAIL: /gm },
  // TAP without a summary
  { passed: /^ok \d+(?!.*# SKIP)/gm, failed: /^not ok \d+/gm },
];

/** How many tests ran, by what their runner wrote; null where that says nothing of it. */
export function testCounts(output: string): TestCounts | null {
  const text = stripVTControlCharacters(output)
    .split('\n')
    .filter((line) => line.length <= LINE_CHARACTERS)
    .join('\n');
  for (const { passed, failed } of SUMMARIES) {
    const counts = { passed: sumOf(text, passed), failed: sumOf(text, failed) };
    if (counts.passed !== null || counts.failed !== null)
      return { passed: counts.passed ?? 0, failed: counts.failed ?? 0 };
  }
  return unittestCounts(text);
}

function sumOf(text: string, expression: RegExp): number | null {
  const found = [...text.matchAll(expression)];
  return found.length === 0
    ? null
    : found.reduce((sum, match) => sum + (match[1] === undefined ? 1 : Number(match[1])), 0);
}

/** Python's unittest: `Ran 3 tests in 0.001s`, then `OK` or `FAILED (failures=1, errors=1)`. */
function unittestCounts(text: string): TestCounts | null {
  const ran = sumOf(text, /^Ran (\d+) tests? in /gm);
  if (ran === null) return null;
  const failed =
    (sumOf(text, /^FAILED \(.*?failures=(\d+)/gm) ?? 0) + (sumOf(text, /^FAILED \(.*?errors=(\d+)/gm) ?? 0);
  const skipped = sumOf(text, /^(?:OK|FAILED) \(.*?skipped=(\d+)/gm) ?? 0;
  return { passed: Math.max(0, ran - failed - skipped), failed };
}
