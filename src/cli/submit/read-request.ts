import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Json } from '../../plan/json.js';
import { usageError } from '../exit-codes.js';
import type { Terminal } from '../terminal.js';

/** The request as it was typed; `-` reads all of stdin, without its final newline. */
export async function readRequest(typed: string | undefined, terminal: Terminal): Promise<string | null> {
  if (typed === undefined) return null;
  if (typed !== '-') return typed;
  const chunks: Buffer[] = [];
  for await (const chunk of terminal.stdin) chunks.push(Buffer.from(chunk as Buffer)); // without an encoding, stdin gives buffers
  return decode(Buffer.concat(chunks), 'stdin').replace(/\r?\n$/, '');
}

/** The values in a file of `--inputs`: JSON, or YAML with the same meaning. */
export async function readInputFile(file: string | null, terminal: Terminal): Promise<Json | null> {
  if (file === null) return null;
  const path = resolve(terminal.cwd, file);
  const found = await stat(path).catch(() => null);
  if (found === null) throw usageError(`The file of \`--inputs\` is not there: \`${file}\`.`);
  if (!found.isFile()) throw usageError(`Expected the file of \`--inputs\` to be a regular file, got \`${file}\`.`);
  const content = await readFile(path).catch(() => null);
  if (content === null) throw usageError(`The file of \`--inputs\` cannot be read: \`${file}\`.`);
  return parse(decode(content, `\`${file}\``), file);
}

function decode(content: Buffer, name: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    throw usageError(`Expected ${name} to be UTF-8 text.`);
  }
}

async function parse(text: string, file: string): Promise<Json> {
  const { parsePlainYaml } = await import('../plain-yaml.js');
  try {
    if (file.endsWith('.json')) return JSON.parse(text) as Json; // JSON.parse gives nothing else
    return parsePlainYaml(text);
  } catch (error) {
    throw usageError(`The file of \`--inputs\` is not ${file.endsWith('.json') ? 'JSON' : 'YAML'}: ${error instanceof Error ? error.message.split('\n')[0] ?? '' : String(error)}`);
  }
}
