import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import type { FailureType } from '../../plan/failure.js';
import { FAILURES } from '../../plan/failure.js';
import type { Json } from '../../plan/values/json.js';
import { createReport } from '../../compiler/problems/problem.js';
import { createSource } from '../../compiler/problems/source.js';
import { parseYaml } from '../../compiler/text/yaml.js';
import { usageError } from '../exit-codes.js';
import { yamlText } from '../../compiler/text/yaml-text.js';

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
);
const text = z.string({ error: 'a text' });

const call = z.strictObject({ id: text, name: text, input: json });
/** Kinds of failure, as a file has them. */
export const failureType = z.enum(Object.keys(FAILURES) as [FailureType, ...FailureType[]], {
  error: 'a kind of failure, such as `timeout`',
});
const answer = z.strictObject({
  step: text,
  try: z.int().positive().optional(),
  turn: z.int().positive().optional(),
  text: text.default(''),
  failed: text.optional(),
  failure: failureType.optional(),
  calls: z.array(call).optional(),
});

const gate = z.strictObject({
  gate: text,
  decision: z.enum(['approve', 'reject', 'answer']),
  by: z.array(text).min(1),
  comment: text.optional(),
  output: json.optional(),
});

const end = z.strictObject({
  step: text,
  output: json.optional(),
  failed: text.optional(),
  failure: failureType.optional(),
});

const STATUSES = ['success', 'partial', 'error', 'timeout', 'cancelled'] as const;

/** What a test expects. */
export const expectation = z.strictObject({
  status: z.enum(STATUSES, { error: `one of ${STATUSES.join(', ')}` }).default('success'),
  /** By their ids, or their numbers from 0. */
  steps: z.record(z.string(), text).default({}),
  /** Every step below these that runs, by its path; left out where that may differ. */
  flow: z.record(z.string(), text).optional(),
  /** What runs, in order; left out where that may differ. */
  path: z.array(text, { error: 'a list of names' }).optional(),
  /** Left out where it is not to be compared. */
  output: json.optional(),
});

export const inputs = z.record(z.string(), json, { error: 'a map of names to values' });

/** A test of a definition: what its models answer, and how it is to end. The form of the files that `record` writes. */
export const recordingSchema = z.strictObject({
  /** From the project's root, or a name; left out, it is the file of the test's own name beside it. */
  definition: text.min(1).optional(),
  input: inputs.default({}),
  expect: expectation.default({ status: 'success', steps: {} }),
  answers: z.array(answer).default([]),
  /** What people decide, in order; left out, every gate is approved. */
  gates: z.array(gate).optional(),
  /** How commands end, none of which runs then; left out, all of them run. */
  commands: z.array(end).optional(),
  /** What came of flashing and listening; left out, devices have their stand-ins. */
  devices: z.array(end).optional(),
  /** How steps end, by their paths. */
  stubs: z.record(z.string(), json, { error: 'a map of steps to what stands in for them' }).optional(),
});
export type Recording = z.infer<typeof recordingSchema>;

/** A recording as a file. */
export function recordingText(recording: Recording, run: string): string {
  return `# Recorded from ${run}. \`perdure test\` runs the definition against these answers.\n${yamlText(recording)}`;
}

/** Throws a usage error where a test could not be read again: keys that may not be used, more levels than are read. */
export function requireReadable(text: string, run: string): void {
  const { problems, report } = createReport();
  parseYaml(
    { source: createSource('/recording.yml', 'recording.yml', text), start: 0, end: text.length },
    report,
    false,
  );
  const [first] = problems;
  if (first === undefined) return;
  throw usageError(
    `The run \`${run}\` cannot be recorded: ${first.path === '' ? '' : `\`${first.path}\`: `}${first.message}`,
    'Nothing was written. A test cannot say such a value: let the step answer with another one, or with a text.',
  );
}

/** Throws a usage error where a file would be written over. */
export function requireNew(file: string, cwd: string): void {
  if (existsSync(resolve(cwd, file)))
    throw usageError(`\`${file}\` is there already.`, 'Remove it, or name another one with `--to`.');
}
