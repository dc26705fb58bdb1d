import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { z } from 'zod';
import { flowHead, readHead } from '../../compiler/formats/flow/document.js';
import type { Place, Report } from '../../compiler/problems/problem.js';
import type { Source } from '../../compiler/problems/source.js';
import { createSource, displayName, isFlowTest, isTestFile } from '../../compiler/problems/source.js';
import { check } from '../../compiler/text/check.js';
import type { Node } from '../../compiler/text/node.js';
import { memberOf, startOf } from '../../compiler/text/node.js';
import { parseYaml } from '../../compiler/text/yaml.js';
import { readGivenFile } from '../read-given.js';
import type { Recording } from './recording.js';
import { expectation, inputs, recordingSchema } from './recording.js';
import type { WrittenStub } from './stub-form.js';
import { readStubs } from './stub-form.js';

/** A test as it is written. */
export interface WrittenTest {
  /** As a person named it. */
  file: string;
  source: Source;
  node: Node;
  recording: Recording;
  /** A path, absolute or from the project's root, or a name. */
  definition: string;
  /** What stands in for its steps; null where the file has no stubs. */
  stubs: WrittenStub[] | null;
  /** Its stubs are named after a flow's variables, and steps that nothing reads need none. */
  mocks: boolean;
}

interface Reading {
  cwd: string;
  root: string;
  report: Report;
  sources: Map<string, string>;
}

/** Reads a test; null when it has problems, which are reported. Throws a usage error for what is no text. */
export async function readTest(file: string, reading: Reading): Promise<WrittenTest | null> {
  const { cwd, sources } = reading;
  const absolute = resolve(cwd, file);
  const source = createSource(absolute, displayName(cwd, absolute), await readGivenFile(file, 'the test', { cwd }));
  sources.set(source.file, source.text);
  return isFlowTest(file) ? readFlowTest(file, source, reading) : readRecording(file, source, reading);
}

function readRecording(file: string, source: Source, { report, root }: Reading): WrittenTest | null {
  const node = parseYaml({ source, start: 0, end: source.text.length }, report, false);
  const recording = node && check(recordingSchema, node, { report });
  if (node === null || recording === null) return null;
  const stubsAt = memberOf(node, 'stubs');
  const stubs = stubsAt && readStubs(stubsAt, report);
  const definition = recording.definition ?? (isTestFile(file) ? besideOf(source.absolute, /\.test\.ya?ml$/) : null);
  if (definition === null) {
    report({
      code: 'missing-key',
      at: startOf(node),
      message: 'Expected `definition`: the definition that is tested.',
      suggestion: 'a test called `NAME.test.yml` is one of the definition `NAME` beside it',
    });
    return null;
  }
  const at = recording.definition === undefined ? definition : fromRoot(definition, root);
  return { file, source, node, recording, definition: at, stubs, mocks: false };
}

/** A file below the project's root, where there is one; else it is a name. */
function fromRoot(definition: string, root: string): string {
  const path = join(root, definition);
  return existsSync(path) ? path : definition;
}

/** The definition beside a test, by the test's own name; null where there is none. */
function besideOf(test: string, ending: RegExp): string | null {
  const stem = join(dirname(test), basename(test).replace(ending, ''));
  return ['.yml', '.yaml', '.json', '.flow'].map((end) => stem + end).find((path) => existsSync(path)) ?? null;
}

const flowTest = flowHead.extend({
  flow: z.string({ error: 'a path' }).optional(),
  mocks: z.record(z.string(), z.json(), { error: 'a map of names to what they give' }).optional(),
  input: inputs.default({}),
  expect: expectation.default({ status: 'success', steps: {} }),
});

function readFlowTest(file: string, source: Source, { report }: Reading): WrittenTest | null {
  const head = readHead(source, report);
  if (head === null) return null;
  const { node } = head;
  const written = check(flowTest, node, { report });
  const mocksAt = memberOf(node, 'mocks');
  const stubs = mocksAt === null ? [] : readStubs(mocksAt, report);
  if (written === null) return null;
  const { flow, input, expect } = written;
  const isWhole =
    memberOf(node, 'workflow') !== null || source.text.slice(head.bodyStart).replace(/#.*$/gm, '').trim() !== '';
  const recording: Recording = { input, expect, answers: [] };
  const given = { file, source, node, recording, stubs, mocks: true };
  if (isWhole) return flow === undefined ? { ...given, definition: source.absolute } : twice(node, report);
  const beside = flow === undefined ? source.absolute.replace(/\.test$/, '') : join(dirname(source.absolute), flow);
  if (existsSync(beside)) return { ...given, definition: beside };
  report({
    code: 'missing-key',
    at: flow === undefined ? startOf(node) : (memberOf(node, 'flow') ?? node),
    message:
      flow === undefined
        ? `Expected a flow below the front matter, or in \`${basename(beside)}\` beside this file.`
        : `There is no file \`${flow}\` beside this one.`,
    suggestion: flow === undefined ? 'write `flow: FILE` with the path from here' : null,
  });
  return null;
}

function twice(node: Node, report: Report): null {
  const at: Place = memberOf(node, 'flow') ?? node;
  report({
    code: 'conflicting-keys',
    at,
    message: 'The flow is named twice: under `flow:`, and below the front matter.',
    suggestion: 'keep one of them',
  });
  return null;
}
