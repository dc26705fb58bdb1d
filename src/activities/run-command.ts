import { stat } from 'node:fs/promises';
import { constants } from 'node:os';
import { resolve } from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { render } from '../plan/evaluate.js';
import type { Json } from '../plan/json.js';
import { toText } from '../plan/json.js';
import type { CommandStep } from '../plan/step.js';
import { errorCode } from '../store/store-failure.js';
import type { LogWriter, Store } from '../store/store.js';
import type { Attempt } from './attempt.js';
import { attempt } from './attempt.js';
import { commandEnvironment } from './command-environment.js';
import type { Activities, CommandCall, StepOutput } from './contract.js';
import type { Dependencies } from './dependencies.js';
import { resolveExecutable } from './executable.js';
import { stepFailure } from './failures.js';
import { createOutputCapture } from './output-capture.js';
import { checkOutput } from './output-schema.js';
import type { ProcessEnd, ProcessOptions } from './process-group.js';
import { runProcess } from './process-group.js';
import { wrapperOnce } from './process-namespace.js';
import { createScope } from './rendering.js';

const KB = 1024;
/** Of stderr this much is kept for the failure's message; the log has all of it. */
const STDERR_BYTES = 1_200;
/** A log takes this much of each stream and try; a program that writes without end does not fill the disk (S32). */
const LOG_BYTES = 16 * 1024 * 1024;

/** Runs a program to its end (decision 3). Its output is what it wrote to stdout. */
export function createRunCommand({ store }: Dependencies): Activities['runCommand'] {
  return (call) => attempt(store, call, 'command', (current) => run(store, call, current));
}

async function run(store: Store, call: CommandCall, { step, signal, log, progress }: Attempt<CommandStep>): Promise<StepOutput> {
  const command = await prepare(store, call, step);
  const stdout = createOutputCapture(step.max_output_kb * KB);
  const stderr = createOutputCapture(STDERR_BYTES);
  const out = logged(log, 'stdout');
  const err = logged(log, 'stderr');
  const end = await start({
    ...command,
    wrapper: await wrapperOnce(),
    signal,
    onStdout: (chunk) => {
      stdout.add(chunk);
      out.add(chunk);
      progress['bytes'] = stdout.bytes();
    },
    onStderr: (chunk) => {
      stderr.add(chunk);
      err.add(chunk);
    },
  });
  out.end();
  err.end();
  signal.throwIfAborted();
  if (end.code !== 0) throw commandFailed(end, stderr.text());
  const text = stdout.text().replace(/\r?\n$/, '');
  const output = step.schema === null ? text : parseOutput(text, stdout.isCut(), step);
  return { output: await store.put(output), spend: { usd: 0, tokens: 0, steps: 1 }, note: 'exit 0', reused: false };
}

type Command = Pick<ProcessOptions, 'file' | 'args' | 'cwd' | 'env' | 'stdin'>;

/** Renders a step into what the system is asked to run. */
async function prepare(store: Store, call: CommandCall, step: CommandStep): Promise<Command> {
  const templates = [...step.argv, ...Object.values(step.env), ...[step.cwd, step.stdin].filter((template) => template !== null)];
  const scope = await createScope(store, call.environment, templates);
  const text = (template: CommandStep['argv'][number]): string => toText(render(template, scope));
  const argv = step.argv.map(text);
  const declared = Object.fromEntries(Object.entries(step.env).map(([name, value]) => [name, text(value)]));
  refuseNul([...argv, ...Object.values(declared)]);
  const cwd = resolve(call.workspace, step.cwd === null ? '.' : text(step.cwd));
  await requireFolder(cwd);
  const env = commandEnvironment(declared, `${store.id}:${process.pid}:${call.root.run}`);
  const file = await resolveExecutable(argv[0] ?? '', cwd, env['PATH'] ?? '');
  return { file, args: argv.slice(1), cwd, env, stdin: step.stdin === null ? null : text(step.stdin) };
}

/** The system would end the text there, and so run something else than was written (S21). */
function refuseNul(texts: string[]): void {
  const found = texts.find((text) => text.includes('\0'));
  if (found !== undefined) throw stepFailure('command-refused', `Expected arguments and environment without NUL characters, got \`${found.slice(0, 80).replaceAll('\0', '\\0')}\`.`);
}

async function requireFolder(cwd: string): Promise<void> {
  const found = await stat(cwd).catch(() => null);
  if (found === null || !found.isDirectory()) throw stepFailure('command-refused', `Expected the \`cwd\` \`${cwd}\` to be a folder, ${found === null ? 'but there is none' : 'got something else'}.`);
}

async function start(options: ProcessOptions): Promise<ProcessEnd> {
  try {
    return await runProcess(options);
  } catch (error) {
    const code = errorCode(error);
    if (code === 'E2BIG') throw stepFailure('command-refused', 'The arguments are too long for the system (E2BIG). Give big values through `stdin` instead.');
    if (code === 'EACCES') throw stepFailure('command-refused', `The system does not allow to run \`${options.file}\` in \`${options.cwd}\` (EACCES).`);
    if (code === 'EAGAIN' || code === 'ENOMEM' || code === 'EMFILE') throw stepFailure('internal', `The system cannot start another process (${code}).`);
    throw error;
  }
}

/** Writes a stream to the log as it comes, as whole characters, up to a bound. */
function logged(log: LogWriter, stream: 'stdout' | 'stderr'): { add: (chunk: Buffer) => void; end: () => void } {
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  return {
    add(chunk) {
      if (bytes > LOG_BYTES) return;
      bytes += chunk.length;
      log.write(stream, decoder.write(chunk));
      if (bytes > LOG_BYTES) log.write('note', `${stream} goes on; this log keeps its first ${LOG_BYTES / KB / KB} MiB`);
    },
    end: () => log.write(stream, decoder.end()),
  };
}

function parseOutput(text: string, isCut: boolean, { max_output_kb, schema }: CommandStep): Json {
  if (isCut) throw stepFailure('answer-invalid', `Expected JSON of at most \`max_output_kb\` (${max_output_kb}), got more. Raise it.`);
  const checked = checkOutput(text, schema);
  if ('value' in checked) return checked.value;
  throw stepFailure('answer-invalid', `The output does not satisfy \`schema\`. ${checked.errors.join('. ')}`);
}

function commandFailed({ code, signal }: ProcessEnd, stderr: string): Error {
  const how = signal !== null ? `was ended by ${signal}` : `exit ${code ?? 'unknown'}${signalIn(code)}`;
  const said = stderr.trim();
  return stepFailure('command-failed', said === '' ? how : `${how}: ${said}`);
}

/** By convention 128 + n is the exit code of a program that signal n ended. */
function signalIn(code: number | null): string {
  const [name] = Object.entries(constants.signals).find(([, number]) => code === 128 + number) ?? [];
  return name === undefined ? '' : ` (${name})`;
}
