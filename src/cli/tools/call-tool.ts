import { BUILTIN_INPUTS } from '../../plan/tools/builtin-inputs.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import type { InputSpec } from '../../plan/step.js';
import type { ExitCode } from '../exit-codes.js';
import { usageError } from '../exit-codes.js';
import { openWorkspace, ProblemsError } from '../session.js';
import { parseValue } from '../submit/collect-input.js';
import type { Compiled } from '../submit/prepare.js';
import { readInputFile } from '../submit/read-request.js';
import { run } from '../submit/run.js';
import type { RunCommand } from '../submit/submit-run.js';
import type { Terminal } from '../terminal.js';
import { callOf, WRITTEN_FILE } from './call-text.js';
import { ownOf } from '../../plan/values/own.js';

/** `tools call NAME`: a run of one step, durable and by the project's permissions like any other. */
export async function callTool(tool: string, command: RunCommand, terminal: Terminal): Promise<ExitCode> {
  const { project } = await openWorkspace(terminal);
  const file = await readInputFile(command.inputFile, terminal);
  if (file !== null && !isObject(file))
    throw usageError('Expected the file of `--inputs` to hold a map of names to values.');
  const typed = command.pairs.map(pairOf);
  const names = [...new Set([...Object.keys(file ?? {}), ...typed.map(([name]) => name)])];
  const input = (compiled: Compiled): JsonObject => {
    const schema = schemaOf(compiled);
    const parsed = typed.map(
      ([name, text]) => [name, parseValue(name, text, { type: typeOf(ownOf(schema, name)) })] as const,
    );
    const given: JsonObject = { ...file, ...Object.fromEntries(parsed) };
    return names.length === 0 ? {} : { values: names.map((name) => ownOf(given, name) ?? null) };
  };
  const { file: written, text } = callOf(tool, names, project.root);
  const made = { texts: new Map([[written, text]]), agents: [] };
  return run(command, terminal, { file: written, made, input }).catch((error: unknown) => {
    throw inWordsOfTheCall(error);
  });
}

/** What is wrong with the call itself is told as that: nobody wrote the workflow in which it is a problem. */
function inWordsOfTheCall(error: unknown): unknown {
  if (!(error instanceof ProblemsError)) return error;
  const wrong = error.problems.filter(({ severity }) => severity === 'error');
  if (!wrong.every(({ file }) => file.endsWith(WRITTEN_FILE))) return error;
  const hints = wrong.flatMap(({ code, message, suggestion }) =>
    code === 'missing-input'
      ? [`Give it with \`-i ${/input `([^`]+)`/.exec(message)?.[1] ?? 'name'}=…\`.`]
      : suggestion === null
        ? []
        : [asSentence(suggestion)],
  );
  return usageError(
    wrong.map(({ message }) => message).join('\n'),
    hints.length === 0 ? '`perdure tools list` has them all.' : [...new Set(hints)].join('\n'),
  );
}

function asSentence(hint: string): string {
  return `${hint.charAt(0).toUpperCase()}${hint.slice(1)}${/[.?]$/.test(hint) ? '' : '.'}`;
}

function pairOf(pair: string): [string, string] {
  const position = pair.indexOf('=');
  if (position < 1) throw usageError(`Expected \`-i name=value\`, got \`-i ${pair}\`.`);
  return [pair.slice(0, position), pair.slice(position + 1)];
}

/** What the called tool takes, by name, as its schema says. */
function schemaOf({ plan, texts }: Compiled): JsonObject {
  const [step] = plan.steps;
  if (step?.kind !== 'tool') return {};
  const { tool } = step;
  const schema =
    tool.kind === 'builtin'
      ? BUILTIN_INPUTS[tool.name]
      : // canonical JSON of a schema
        (JSON.parse(typeof tool.inputs === 'string' ? tool.inputs : (texts.get(tool.inputs.text) ?? '{}')) as Json);
  const properties = isObject(schema) ? (schema['properties'] ?? null) : null;
  return isObject(properties) ? properties : {};
}

const TYPES = new Map<Json | undefined, InputSpec['type']>([
  ['integer', 'integer'],
  ['number', 'number'],
  ['boolean', 'boolean'],
  ['array', 'list'],
  ['object', 'object'],
]);

/** How a text of the command line is read; where a schema leaves it open, as a text. */
function typeOf(schema: Json | undefined): InputSpec['type'] {
  // isObject said so
  return TYPES.get(isObject(schema ?? null) ? (schema as JsonObject)['type'] : undefined) ?? 'string';
}
