import type { BoardFiles } from './board-files.js';

/** What a snippet printed, its traceback, and whether it starts the board anew. */
export interface SnippetEnd {
  out: string;
  error: string;
  reset: boolean;
}

/** A snippet while it runs. */
interface Running {
  files: BoardFiles;
  open: Map<string, { name: string; bytes: Buffer; isWritten: boolean }>;
  read: Map<string, Buffer>;
  out: string;
  reset: boolean;
}

/** Does what a statement says, by the parts of its form. Gives its error, or null. */
type Act = (running: Running, parts: string[]) => string | null;

const TEXT = String.raw`('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")`;
const MISSING = 'OSError: [Errno 2] ENOENT';
const UNKNOWN = "NameError: name isn't defined";

/** The statements that there are, by their form. */
const STATEMENTS: [RegExp, Act][] = [
  [/^(?:import|from) [\w ,.]+$/, () => null],
  [new RegExp(String.raw`^(\w+)\s*=\s*open\(${TEXT},\s*['"](rb|wb)['"]\)$`), openFile],
  [new RegExp(String.raw`^(\w+)\.write\(b${TEXT}\)$`), writeFile],
  [/^(\w+)\s*=\s*(\w+)\.read\(\)$/, readFile],
  [/^(\w+)\.close\(\)$/, closeFile],
  [new RegExp(String.raw`^assert (\w+) == b${TEXT}, ${TEXT}$`), compare],
  [new RegExp(String.raw`^u?os\.(?:remove|unlink)\(${TEXT}\)$`), removeFile],
  [new RegExp(String.raw`^print\(${TEXT}\)$`), (running, [, text]) => print(running, bytesOf(text).toString('utf8'))],
  [
    /^print\(u?os\.listdir\(\)\)$/,
    (running) =>
      print(
        running,
        `[${running.files
          .names()
          .map((name) => `'${name}'`)
          .join(', ')}]`,
      ),
  ],
  [
    /(?:^|; ?)machine\.reset\(\)$/,
    (running) => {
      running.reset = true;
      return null;
    },
  ],
];

/**
 * Does what a few statements of Python say, by their form and one a line: files are opened, read, written, compared,
 * removed, listed. No other code runs, on this machine least of all.
 */
export function runSnippet(code: string, files: BoardFiles): SnippetEnd {
  const running: Running = { files, open: new Map(), read: new Map(), out: '', reset: false };
  for (const line of code.split('\n').map((one) => one.trim())) {
    if (line === '' || line.startsWith('#')) continue;
    const error = obey(running, line);
    if (error === null) continue;
    return { out: running.out, error: `Traceback (most recent call last):\r\n${error}\r\n`, reset: false };
  }
  return { out: running.out, error: '', reset: running.reset };
}

function obey(running: Running, line: string): string | null {
  for (const [form, act] of STATEMENTS) {
    const parts = form.exec(line);
    if (parts !== null) return act(running, [...parts]);
  }
  return `NotImplementedError: a simulated board runs no such code: ${line.slice(0, 80)}`;
}

function openFile({ files, open }: Running, [, variable = '', literal, mode]: string[]): string | null {
  const name = bytesOf(literal).toString('utf8');
  const isWritten = mode === 'wb';
  const bytes = isWritten ? Buffer.alloc(0) : files.read(name);
  if (bytes === null) return MISSING;
  open.set(variable, { name, bytes, isWritten });
  return null;
}

function writeFile({ open }: Running, [, variable = '', data]: string[]): string | null {
  const file = open.get(variable);
  if (file === undefined) return UNKNOWN;
  file.bytes = Buffer.concat([file.bytes, bytesOf(data)]);
  return null;
}

function readFile({ open, read }: Running, [, variable = '', from = '']: string[]): string | null {
  const file = open.get(from);
  if (file === undefined) return UNKNOWN;
  read.set(variable, file.bytes);
  return null;
}

function closeFile({ files, open }: Running, [, variable = '']: string[]): string | null {
  const file = open.get(variable);
  if (file === undefined) return UNKNOWN;
  if (file.isWritten) files.write(file.name, file.bytes);
  return null;
}

function compare({ read }: Running, [, variable = '', wanted, message]: string[]): string | null {
  const bytes = read.get(variable);
  if (bytes === undefined) return UNKNOWN;
  return bytes.equals(bytesOf(wanted)) ? null : `AssertionError: ${bytesOf(message).toString('utf8')}`;
}

function removeFile({ files }: Running, [, name]: string[]): string | null {
  return files.remove(bytesOf(name).toString('utf8')) ? null : MISSING;
}

function print(running: Running, text: string): null {
  running.out += `${text}\r\n`;
  return null;
}

const ESCAPES: Record<string, string> = { n: '\n', r: '\r', t: '\t', '0': '\0' };

/** The bytes of a literal of Python. */
function bytesOf(literal = "''"): Buffer {
  const body = literal
    .slice(1, -1)
    .replace(/\\x([0-9a-fA-F]{2})|\\(.)/g, (_, hex?: string, letter?: string) =>
      hex === undefined ? (ESCAPES[letter ?? ''] ?? letter ?? '') : String.fromCharCode(parseInt(hex, 16)),
    );
  return Buffer.from(body, 'latin1');
}
