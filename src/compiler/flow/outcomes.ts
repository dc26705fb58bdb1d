import type { Outcome as Word } from './condition.js';
import type { Handle, Late } from './frame.js';
import { allOf, anyOf, binary, endsIn, literal, mentions, not, refer } from './frame.js';

/** How a piece of a flow went, for the conditions that look at it. */
export type Outcome =
  | { kind: 'step'; handle: Handle; verdict: boolean }
  /** Branches that ran at once. */
  | { kind: 'parallel'; parts: Outcome[] }
  /** Steps in order: the last one decides, and a failure of any. */
  | { kind: 'sequence'; parts: Outcome[] }
  /** Branches of which at most one ran, else what was before them decides. */
  | { kind: 'branches'; source: Outcome | null; branches: { taken: Late; outcome: Outcome | null }[] };

/** What an agent is asked to say at its end where a condition looks at how it went. */
export const VERDICT_REQUEST =
  'When you are done, say whether it succeeded: end your answer with one line, `RESULT: passed` or `RESULT: failed`.';
/** Answers that say that something failed, in lower case: our own word, and the field that other systems look at. */
const FAILING = ['result: failed', '"success": false', '"success":false'];

/** How an answer ends that says in its last line that it passed, whatever was told of before. */
const PASSING = ['', '.', '\n', '**', '`'].map((end) => `result: passed${end}`);

/** Tells whether a condition's word holds for what came before. */
export function holds(word: Word, outcome: Outcome): Late {
  const parts = outcome.kind === 'parallel' ? outcome.parts : [outcome];
  switch (word) {
    case 'passed':
      return passed(outcome);
    case 'failed':
      return failed(outcome);
    case 'all success':
      return allOf(parts.map(passed)) ?? literal(true);
    case 'any success':
      return anyOf(parts.map(passed));
    case 'all failed':
      return allOf(parts.map(failed)) ?? literal(false);
    case 'any failed':
      return anyOf(parts.map(failed));
  }
}

function passed(outcome: Outcome): Late {
  switch (outcome.kind) {
    case 'step': {
      const succeeded = hasStatus(outcome.handle, 'success');
      return outcome.verdict ? binary('&&', succeeded, not(saysFailed(outcome.handle))) : succeeded;
    }
    case 'parallel':
      return allOf(outcome.parts.map(passed)) ?? literal(true);
    case 'sequence': {
      const last = outcome.parts.at(-1);
      const others = outcome.parts.slice(0, -1).map((part) => not(failed(part)));
      return last === undefined ? literal(true) : (allOf([passed(last), ...others]) ?? literal(true));
    }
    case 'branches':
      return ofBranches(outcome, passed);
  }
}

function failed(outcome: Outcome): Late {
  switch (outcome.kind) {
    case 'step': {
      const { handle, verdict } = outcome;
      return anyOf([
        hasStatus(handle, 'error'),
        hasStatus(handle, 'timeout'),
        ...(verdict ? [saysFailed(handle)] : []),
      ]);
    }
    case 'parallel':
    case 'sequence':
      return anyOf(outcome.parts.map(failed));
    case 'branches':
      return ofBranches(outcome, failed);
  }
}

function ofBranches({ source, branches }: Outcome & { kind: 'branches' }, test: (outcome: Outcome) => Late): Late {
  const none = branches.map(({ taken }) => not(taken));
  const before = source === null ? [] : [allOf([...none, test(source)]) ?? literal(false)];
  return anyOf([
    ...branches.flatMap(({ taken, outcome }) => (outcome === null ? [] : [binary('&&', taken, test(outcome))])),
    ...before,
  ]);
}

function hasStatus(handle: Handle, status: string): Late {
  return binary('==', refer(handle, 'status'), literal(status));
}

function saysFailed(handle: Handle): Late {
  const output = refer(handle, 'output');
  const told = anyOf(FAILING.map((words) => mentions(output, words)));
  return binary('&&', told, not(anyOf(PASSING.map((words) => endsIn(output, words)))));
}
