import type { Stats } from 'node:fs';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { stringify } from 'yaml';
import { z } from 'zod';
import type { Json } from '../../plan/values/json.js';
import { usageError } from '../exit-codes.js';
import { readGivenFile } from '../read-given.js';
import { parsePlainYaml } from '../plain-yaml.js';

const json: z.ZodType<Json> = z.lazy(() =>
  z.union([z.null(), z.boolean(), z.number(), z.string(), z.array(json), z.record(z.string(), json)]),
);

const call = z.strictObject({ id: z.string(), name: z.string(), input: json });
const answer = z.strictObject({
  step: z.string(),
  turn: z.int().positive().optional(),
  text: z.string(),
  calls: z.array(call).optional(),
});

const gate = z.strictObject({
  gate: z.string(),
  decision: z.enum(['approve', 'reject', 'answer']),
  by: z.array(z.string()).min(1),
  comment: z.string().optional(),
  output: json.optional(),
});
const command = z.strictObject({ step: z.string(), output: json.optional(), failed: z.string().optional() });

/** A test of a definition: what its models answer, and how it is to end. The form of the files that `record` writes. */
export const recordingSchema = z.strictObject({
  /** From the project's root, or a name. */
  definition: z.string().min(1),
  input: z.record(z.string(), json).default({}),
  expect: z.strictObject({
    status: z.enum(['success', 'partial', 'error', 'timeout', 'cancelled']),
    /** By their ids, or their numbers from 0. */
    steps: z.record(z.string(), z.string()).default({}),
    /** Every step below these that runs, by its path; left out where that may differ. */
    flow: z.record(z.string(), z.string()).optional(),
    /** Left out where it is not to be compared. */
    output: json.optional(),
  }),
  answers: z.array(answer).default([]),
  /** What people decide, in order; left out, every gate is approved. */
  gates: z.array(gate).optional(),
  /** How commands end, none of which runs then; left out, all of them run. */
  commands: z.array(command).optional(),
});
export type Recording = z.infer<typeof recordingSchema>;

const EXTENSION = /\.ya?ml$/;

/**
 * The files that paths name: themselves, or the YAML files of a folder by name. Throws a usage error for what is not
 * there, or holds none.
 */
export function recordingsAt(paths: string[], cwd: string): string[] {
  return paths.flatMap((path) => {
    const found = lookAt(resolve(cwd, path));
    if (found === null) throw usageError(`There is no \`${path}\`.`, 'Record a run first: perdure record <run>');
    if (!found.isDirectory()) return [path];
    const files = readdirSync(resolve(cwd, path))
      .filter((name) => EXTENSION.test(name))
      .sort()
      .map((name) => join(path, name));
    if (files.length === 0)
      throw usageError(`There are no recordings in \`${path}\`.`, 'Record a run first: perdure record <run>');
    return files;
  });
}

function lookAt(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null; // a part of the path is no folder, links lead round, or it is too long: it is not there either
  }
}

/** Throws a usage error for a file that is no recording. */
export async function readRecording(file: string, cwd: string): Promise<Recording> {
  const parsed = recordingSchema.safeParse(parseYaml(file, await readGivenFile(file, 'the recording', { cwd })));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const why =
    issue === undefined || issue.path.length === 0
      ? ', a map with `definition`, `expect` and `answers`.'
      : `: ${issue.path.join('.')}: ${issue.message}`;
  throw usageError(`Expected \`${file}\` to be a recording${why}`, '`perdure record <run>` writes one.');
}

function parseYaml(file: string, text: string): unknown {
  try {
    return parsePlainYaml(text);
  } catch (error) {
    throw usageError(`\`${file}\` cannot be read as YAML: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** A recording as a file. */
export function recordingText(recording: Recording, run: string): string {
  return (
    `# Recorded from ${run}. \`perdure test\` runs the definition against these ` +
    `answers.\n${stringify(recording, { lineWidth: 0 })}`
  );
}

/** Throws a usage error where a file would be written over. */
export function requireNew(file: string, cwd: string): void {
  if (existsSync(resolve(cwd, file)))
    throw usageError(`\`${file}\` is there already.`, 'Remove it, or name another one with `--to`.');
}
