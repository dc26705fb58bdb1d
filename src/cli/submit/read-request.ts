import type { Json } from '../../plan/values/json.js';
import { usageError } from '../exit-codes.js';
import { jsonTextFault } from '../json-text-fault.js';
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

/** The values in a file of `--inputs`: JSON, or YAML with the same meaning. Tells where a number is another text. */
export async function readInputFile(file: string | null, terminal: Terminal): Promise<Json | null> {
  if (file === null) return null;
  const text = await readGivenFile(file, 'the file of `--inputs`', terminal);
  const values = await parse(text, file);
  const fault = file.endsWith('.json') ? jsonTextFault(text, values) : null;
  if (fault !== null) throw usageError(`Expected the file of \`--inputs\` to be JSON without ${fault}: \`${file}\`.`);
  if (values === null)
    throw usageError(`Expected the file of \`--inputs\` to hold a map of names to values, got nothing: \`${file}\`.`);
  if (!file.endsWith('.json')) await tellSpelling(text, file, terminal);
  return values;
}

/** Nobody sees it otherwise: YAML reads a version `3.10` as the number 3.1. */
async function tellSpelling(text: string, file: string, terminal: Terminal): Promise<void> {
  const { respelledNumbers } = await import('../plain-yaml.js');
  const [first, ...more] = respelledNumbers(text);
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
