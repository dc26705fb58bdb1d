import { cutTo } from '../../plan/text/cut-to.js';
import type { Edit, Fix } from './fix.js';
import { editOf, fixOf } from './fix.js';
import type { Place } from './source.js';
import { pathIn, positionAt } from './source.js';

export type { Place } from './source.js';

/**
 * Every problem the compiler can find, and what it means. Closed; a test fails when a code lacks its row in
 * `docs/problems.md` or its file in `definitions/invalid/`.
 */
export const PROBLEM_CODES = {
  'unreadable-file': 'The file cannot be read, is no regular file, is too big, or is no UTF-8 text.',
  'empty-file': 'The file holds nothing.',
  'invalid-yaml': 'The text is not the YAML that definitions are written in.',
  'invalid-json': 'The text is not JSON.',
  'invalid-toml': 'The text is not TOML.',
  'multiple-documents': 'A file holds one definition; `---` starts a second one.',
  'duplicate-key': 'A key is written twice in one map.',
  'forbidden-key': 'A key that means something else elsewhere (`<<`, `__proto__`, `constructor`, `prototype`).',
  'yaml-alias': 'Aliases (`*name`) are not expanded.',
  'too-deep': 'Values are nested more than 64 levels deep.',
  'unsafe-number': 'A number that JSON cannot carry exactly.',
  'number-spelling': 'A number that is handed on in another spelling than it is written in.',
  'unsupported-format': 'A format that this version does not compile.',
  'foreign-file': 'The file belongs to another tool.',
  'unknown-key': 'A key that nothing reads.',
  'unsupported-key': 'A key of the language that this version does not run yet.',
  'missing-key': 'A key that must be there is missing.',
  'invalid-value': 'A value of the wrong type or out of range.',
  'invalid-name': 'A name or an id that is not spelled as names are.',
  'reserved-name': 'A name that the language uses itself.',
  'duplicate-name': 'Two things of one kind have one name.',
  'step-kind':
    'A step is one thing: `agent`, `command`, `tool`, `workflow`, `plan`, `approval`, `ask`, `set`, `wait`, ' +
    '`compile`, `flash`, `serial`, or `steps` of its own; in a chain `systemPrompt` or `command`.',
  'conflicting-keys': 'Two keys that say the same thing in different ways.',
  'command-not-list': 'A command is a list: the executable, then its arguments.',
  'command-not-literal': 'The executable of a command is written out; it is no template.',
  'value-as-code': 'A value is put into the text of a program that an interpreter runs.',
  'invalid-template': 'A `${…}` that cannot be parsed.',
  'operator-not-allowed': 'Operators and functions are for `when`, `until` and `set`.',
  'when-not-expression': '`when` and `until` are one `${…}`, or true or false.',
  'text-condition':
    'A condition asks of a text what only a number, `true` or `false` can answer, or compares what is never equal.',
  'invalid-schema': 'The JSON Schema of an output cannot be used.',
  'unknown-model': 'A chain has no model of that name.',
  'near-model': 'The name of a model that is nearly a short name, and none.',
  'unknown-tool': 'There is no tool of that name.',
  'unknown-skill': 'There is no skill of that name, or it cannot be read.',
  'unknown-toolset': 'There is no set of tools and no agent of that name.',
  'python-only': 'Something that only Python could run.',
  'unknown-agent': 'There is no agent of that name.',
  'unknown-workflow': 'There is no workflow of that name or at that path.',
  'unknown-device': 'There is no device of that name in `perdure.yml`.',
  'invalid-device': 'A device of `perdure.yml` that no step can use.',
  'unknown-step': 'There is no step of that id or index.',
  'unknown-group': 'There is no parallel group of that name.',
  'unknown-field': 'A result has no such field.',
  'unknown-input': 'An input is passed that nothing declares or uses.',
  'missing-input': 'An input that must be given is not.',
  'typed-escape': 'A new line is typed as two characters, `\\n`, which stay so.',
  'unused-input': 'An input that is declared, or given where none is declared, and that nobody refers to.',
  'near-input':
    'A name that is taken for an input, and is nearly the name of something else, or what other languages write ' +
    "before an input's name.",
  'unknown-variable':
    'A text refers to something that it is not given. In the prompt of an agent it stays as it is, with a warning.',
  'forward-reference':
    'A step refers to itself or to a later one, where steps run in the order in which they are written.',
  'out-of-scope': 'A reference to what is inside the body of a `foreach` or a `loop`, from outside of it.',
  'constant-until': 'A condition that no round of its loop can change.',
  'hidden-index': 'The `when` of a `foreach` refers to `index` where something around it runs again, too.',
  'hidden-character': 'A file, or a skill, has characters that are not drawn: it says more than its readers see.',
  'step-cycle': 'Steps wait for each other.',
  'workflow-cycle': 'Workflows contain each other.',
  'workflow-depth': 'Workflows are nested too deep.',
  'group-not-parallel': 'A parallel group in a workflow that runs its steps one after the other.',
  'unterminated-text': 'A text in a flow has a quote at one end only.',
  'unbalanced-bracket': 'A bracket in a flow has no partner.',
  'unexpected-text': 'Something in a flow that its grammar has no place for.',
  'dangling-operator': 'An operator of a flow with nothing before or after it.',
  'missing-operator': 'Two steps of a flow with no operator between them.',
  'missing-step': 'Brackets or a condition of a flow with no step in or after them.',
  'unconditional-loop': 'A jump of a flow that is taken always.',
  'unknown-label': 'A jump of a flow out of the brackets in which its label stands.',
  'judged-condition': 'A condition of a flow in words that no rule knows; a model is asked whether it holds.',
  'blind-step': 'A step of a flow whose text refers to nothing of the steps before it: that text is all that it sees.',
  'unread-capture': 'An output of a flow that has a name, and nothing reads it.',
  'missing-condition': 'A `~>` of a flow without a condition, or an `(else)` that is not the last of several.',
  'folder-name': 'A tool is found by the name of its folder, and its file says another.',
  'shadows-builtin': "A file takes a built-in agent's name, and wins.",
  'unattended-gate':
    'A place where a run that starts by itself would wait for a person: a gate without a deadline or a fallback.',
  'trigger-cycle': 'Definitions whose runs would start each other for ever.',
  'plan-too-large': 'The compiled Plan has more than 1 MiB.',
  'path-too-long': 'Steps are nested so deep, with such long ids, that the path of one is too long.',
} as const;

export type ProblemCode = keyof typeof PROBLEM_CODES;

/** One finding of the compiler. `line` and `column` count from 1. */
export interface Problem {
  code: ProblemCode;
  severity: 'error' | 'warning';
  message: string;
  /** Where in the document: `steps[2].agent`. */
  path: string;
  /** Relative to the folder the command ran in, with forward slashes. */
  file: string;
  line: number;
  column: number;
  /** Characters that the caret underlines, at least 1. */
  length: number;
  /** How to mend it, or null when the message says it all. */
  suggestion: string | null;
  /** The edit that mends it, where the suggestion can be followed literally; else null. */
  fix: Edit | null;
}

export interface Finding {
  code: ProblemCode;
  at: Place;
  message: string;
  suggestion?: string | null;
  /** The edit that the suggestion is, where its words alone do not say it; null where there is none all the same. */
  fix?: Fix | null;
  severity?: Problem['severity'];
}

/** Takes a finding down; the same finding twice is one problem. */
export type Report = (finding: Finding) => void;

/** Takes down what is found while something is worked out, to tell it again where the result is used again. */
export type RecordFindings = <T>(work: () => T) => { value: T; findings: readonly Finding[] };

/** Where nothing is used again, nothing is taken down. */
export const recordNothing: RecordFindings = (work) => ({ value: work(), findings: [] });

/** A result that may be used again, each time with all that was found with it. */
export interface Kept<T> {
  value: T;
  findings: readonly Finding[];
}

/** Gives the result of a key, which is worked out once; what was found then is told each time. */
export function takeKept<K, T>(
  kept: { get: (key: K) => Kept<T> | undefined; set: (key: K, made: Kept<T>) => unknown },
  key: K,
  work: () => T,
  { report, record }: { report: Report; record: RecordFindings },
): T {
  const known = kept.get(key);
  if (known === undefined) {
    const made = record(work);
    kept.set(key, made);
    return made.value;
  }
  for (const finding of known.findings) report(finding);
  return known.value;
}

/** Findings as they are collected. */
export interface Collected {
  problems: Problem[];
  report: Report;
  record: RecordFindings;
  /** Begins anew. */
  clear: () => void;
}

/** Collects problems in place of throwing: a person sees all of them at once. */
export function createReport(): Collected {
  const problems: Problem[] = [];
  const seen = new Set<string>();
  const recording: Finding[][] = [];
  const report: Report = (finding) => {
    for (const findings of recording) findings.push(finding);
    const { code, at: told, message, suggestion = null, severity = 'error' } = finding;
    const literal = fixOf(told, suggestion);
    const fix = finding.fix === undefined ? literal : finding.fix;
    const at = literal?.at ?? told;
    const { source } = at;
    const { line, column, rest } = positionAt(source, at.start);
    const key = JSON.stringify([code, source.file, line, column, message]);
    if (seen.has(key)) return;
    seen.add(key);
    const length = Math.max(1, Math.min(at.end - at.start, rest));
    const place = { path: pathIn(source, at.path), file: source.file, line, column, length };
    problems.push({ code, severity, message, ...place, suggestion, fix: fix && editOf(fix) });
  };
  const record: RecordFindings = (work) => {
    const findings: Finding[] = [];
    recording.push(findings);
    try {
      return { value: work(), findings };
    } finally {
      recording.splice(recording.indexOf(findings), 1);
    }
  };
  const clear = (): void => {
    problems.length = 0;
    seen.clear();
  };
  return { problems, report, record, clear };
}

/** In the order of files and lines, as people read them. */
export function sortProblems(problems: Problem[]): Problem[] {
  return problems.sort((a, b) =>
    a.file === b.file ? a.line - b.line || a.column - b.column : a.file < b.file ? -1 : 1,
  );
}

export function hasErrors(problems: Problem[]): boolean {
  return problems.some(({ severity }) => severity === 'error');
}

/** Of so many problems at most a model is told: it writes anew what has more. */
export const MOST_TOLD = 20;
const LINE_CHARACTERS = 1_000;

/** How many problems are not told. */
export function untold(count: number): string[] {
  const left = count - MOST_TOLD;
  return left > 0 ? [`… and ${left} more ${left === 1 ? 'problem' : 'problems'}.`] : [];
}

/** Problems of one line each, as models are told them. */
export function toldProblems(lines: string[]): string {
  return [...lines.slice(0, MOST_TOLD).map((line) => cutTo(line, LINE_CHARACTERS)), ...untold(lines.length)].join('\n');
}

/** A problem in one line, as models read it. */
export function problemLine({ file, line, column, code, message, suggestion }: Problem): string {
  return `${file}:${line}:${column}  ${code}  ${message}${suggestion === null ? '' : ` (${suggestion})`}`;
}
