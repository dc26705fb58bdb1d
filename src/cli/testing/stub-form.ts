import type { StubEnd } from '../../plan/agents/recorded-answers.js';
import { didYouMean } from '../../compiler/problems/did-you-mean.js';
import type { Place, Report } from '../../compiler/problems/problem.js';
import { describe } from '../../compiler/text/check.js';
import type { Node } from '../../compiler/text/node.js';
import { keyOf, memberOf } from '../../compiler/text/node.js';
import { failureType } from './recording.js';

/** What stands in for a step, as it is written. */
export interface WrittenStub {
  /** What it is called: a step's path, or in a flow a variable, a gate or an agent. */
  key: string;
  at: Place;
  /** Where its value is. */
  value: Node;
  end: StubEnd;
}

const FORMS = ['output', 'failed', 'failure', 'rounds', 'real'];

/** Reads what stands in for steps, by their names; what is none is reported, and left out. */
export function readStubs(node: Node, report: Report): WrittenStub[] {
  return [...(node.members ?? [])].flatMap(([key, { key: at, node: value }]) => {
    const end = readEnd(value, report);
    return end === null ? [] : [{ key, at, value, end }];
  });
}

/**
 * A value is the output. A map of these words says more: `{output: …}`, `{failed: why}` with `failure`,
 * `{rounds: […]}`, `{real: true}`.
 */
function readEnd(node: Node, report: Report): StubEnd | null {
  const keys = [...(node.members?.keys() ?? [])];
  if (!keys.some((key) => FORMS.includes(key))) return valueOf(node, keys, report);
  const other = keys.find((key) => !FORMS.includes(key));
  if (other !== undefined) {
    report({
      code: 'unknown-key',
      at: keyOf(node, other),
      message: `There is no key \`${other}\` beside \`${keys.filter((key) => FORMS.includes(key)).join('`, `')}\`.`,
      suggestion: didYouMean(other, FORMS) ?? 'write an output that has such keys as `{output: …}`',
    });
    return null;
  }
  const said = keys.filter((key) => key !== 'failure');
  if (said.length !== 1) {
    const got = said.length === 0 ? 'none' : said.join(' and ');
    report({
      code: said.length === 0 ? 'missing-key' : 'conflicting-keys',
      at: keyOf(node, keys[0] ?? ''),
      message: `Expected one of output, failed, rounds and real, got ${got}.`,
    });
    return null;
  }
  return formOf(node, report);
}

/** An output as it stands, unless its only key is nearly one that says how the step ends. */
function valueOf(node: Node, keys: string[], report: Report): StubEnd | null {
  const [only] = keys;
  const hint = only === undefined || keys.length > 1 ? null : didYouMean(only, FORMS);
  if (only === undefined || hint === null) return { output: node.value };
  report({
    code: 'unknown-key',
    at: keyOf(node, only),
    message: `There is no key \`${only}\` here. As an output it is written \`{output: {${only}: …}}\`.`,
    suggestion: hint,
  });
  return null;
}

function formOf(node: Node, report: Report): StubEnd | null {
  const [failed, rounds, real] = ['failed', 'rounds', 'real'].map((key) => memberOf(node, key));
  const failure = memberOf(node, 'failure');
  if (failed) {
    if (typeof failed.value !== 'string') return refuse(failed, 'why it failed, as a text', report);
    if (failure === null) return { failed: failed.value };
    const type = failureType.safeParse(failure.value);
    if (type.success) return { failed: failed.value, failure: type.data };
    const hint = typeof failure.value === 'string' ? didYouMean(failure.value, failureType.options) : null;
    return refuse(failure, 'a kind of failure, such as `timeout`', report, hint);
  }
  if (failure !== null) return refuse(failure, '`failure` beside `failed`', report);
  if (rounds) {
    const ends = (rounds.items ?? []).map((item) => readEnd(item, report));
    if (ends.length === 0) return refuse(rounds, 'a list with what each round gives', report);
    return ends.includes(null) ? null : { rounds: ends.filter((end) => end !== null) };
  }
  if (real) return real.value === true ? { real: true } : refuse(real, '`true`', report);
  return { output: memberOf(node, 'output')?.value ?? null };
}

function refuse(at: Node, expected: string, report: Report, suggestion: string | null = null): null {
  report({
    code: 'invalid-value',
    at,
    message: `Expected ${expected}, got ${describe(at.value)}.`,
    suggestion,
  });
  return null;
}
