import type { InputSpec } from '../../plan/step.js';
import type { InputType } from '../../plan/values/input-type.js';
import type { Json } from '../../plan/values/json.js';
import { jsonTextFault } from '../../plan/values/json-text-fault.js';
import { ownOf } from '../../plan/values/own.js';
import { usageError } from '../exit-codes.js';
import { decode, readGivenFile } from '../read-given.js';
import { safeLine } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';

/** The request as it was typed; `-` reads all of stdin, without its final newline. */
export async function readRequest(typed: string | undefined, terminal: Terminal): Promise<string | null> {
  if (typed === undefined) return null;
  if (typed !== '-') return typed;
  const chunks: Buffer[] = [];
  // without an encoding, stdin gives buffers
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk as Buffer));
  return decode(Buffer.concat(chunks), 'stdin').replace(/\r?\n$/, '');
}

/** The values in a file of `--inputs`: JSON, or YAML with the same meaning. */
export async function readInputFile(file: string | null, terminal: Terminal): Promise<Json | null> {
  if (file === null) return null;
  const text = await readGivenFile(file, 'the file of `--inputs`', terminal);
  const values = await parse(text, file);
  const fault = file.endsWith('.json') ? jsonTextFault(text, values) : null;
  if (fault !== null) throw usageError(`Expected the file of \`--inputs\` to be JSON without ${fault}: \`${file}\`.`);
  if (values === null)
    throw usageError(`Expected the file of \`--inputs\` to hold a map of names to values, got nothing: \`${file}\`.`);
  return values;
}

/** Types of inputs that say that a number is one: it may be written as anybody likes. */
const COUNTS: ReadonlySet<string> = new Set<InputType>(['number', 'integer']);

/** Tells of numbers in a YAML file of `--inputs` that nobody sees as they are written: a version `3.10` is 3.1. */
export async function tellSpelling(
  file: string | null,
  inputs: Record<string, Pick<InputSpec, 'type'>>,
  terminal: Terminal,
): Promise<void> {
  if (file === null || file.endsWith('.json')) return;
  const { respelledNumbers } = await import('../plain-yaml.js');
  const text = await readGivenFile(file, 'the file of `--inputs`', terminal);
  const [first, ...more] = respelledNumbers(text).filter(({ path }) => !COUNTS.has(ownOf(inputs, path)?.type ?? 'any'));
  if (first === undefined) return;
  const others = more.length === 0 ? '' : ` So ${more.length === 1 ? 'is another' : `are ${more.length} others`}.`;
  tell(terminal, safeLine(`${file}, \`${first.path}\`: ${first.message}${others} Put it in quotes if it is a text.`));
}

async function parse(text: string, file: string): Promise<Json> {
  const { parsePlainYaml } = await import('../plain-yaml.js');
  try {
    if (file.endsWith('.json')) return JSON.parse(text) as Json; // JSON.parse gives nothing else
    return parsePlainYaml(text);
  } catch (error) {
    throw usageError(
      `The file of \`--inputs\` is not ${file.endsWith('.json') ? 'JSON' : 'YAML'}: ` +
        `${error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)}`,
    );
  }
}
