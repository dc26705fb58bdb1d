import type { Stats } from 'node:fs';
import { statSync } from 'node:fs';
import { constants } from 'node:os';
import { toText } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import type { CommandStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { errorCode } from '../../store/store-failure.js';
import type { Claim } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import { loggedStream } from '../attempt/logged-stream.js';
import type { Attempt } from '../attempt/attempt.js';
import { attempt } from '../attempt/attempt.js';
import { recordedEnd } from '../attempt/recorded-end.js';
import { commandEnvironment } from '../processes/command-environment.js';
import type { CommandRequest } from './command-request.js';
import { createCommandRequest } from './command-request.js';
import type { CommandCall, StepOutput } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { convert } from '../values/convert-output.js';
import { resolveExecutable } from '../processes/executable.js';
import { stepFailure } from '../failures.js';
import { spanParts, tracedEnvironment } from '../attempt/trace-context.js';
import { whileHeld } from '../attempt/call-journal.js';
import { writeDown } from '../attempt/left-to-write.js';
import { announceCommand } from '../processes/announced-commands.js';
import { loadStep } from '../values/load-step.js';
import { runOnce } from './journaled-command.js';
import type { OutputCapture } from '../processes/output-capture.js';
import { createOutputCapture } from '../processes/output-capture.js';
import { checkOutput } from '../values/output-schema.js';
import type { ProcessOptions } from '../processes/groups/process-group.js';
import { runProcess } from '../processes/groups/process-group.js';
import { contentKey, keepOutput, keepSoon } from '../reuse/content-key.js';
import { commandContent, hashesOf, reusedCommand } from './command-content.js';
import type { ProcessEnd } from '../processes/started-process.js';
import type { RunTag } from '../processes/tagged-processes.js';
import { runTag } from '../processes/tagged-processes.js';

const KB = 1024;
/** Of stderr this much is kept for the failure's message; the log has all of it. */
const STDERR_BYTES = 1_200;

/** Runs a program to its end (decision 3). Its output is what it wrote to stdout. */
export function createRunCommand({ store }: Dependencies): (call: CommandCall) => Promise<StepOutput> {
  return (call) => {
    const render = async (): Promise<CommandRequest> =>
      createCommandRequest(store, call, (await loadStep(store, call, 'command')).step);
    const act = (request?: CommandRequest, claim?: Claim): Promise<StepOutput> =>
      attempt(store, call, 'command', async (current) => {
        const signal = claim === undefined ? current.signal : whileHeld(current.signal, claim);
        return run(store, call, request ?? (await render()), { ...current, signal });
      });
    return call.quick === true ? runOnce(store, call, render, act) : act();
  };
}

async function run(
  store: Store,
  call: CommandCall,
  request: CommandRequest,
  current: Attempt<CommandStep>,
): Promise<StepOutput> {
  const { step } = current;
  const recorded =
    call.rehearsal === true
      ? await recordedEnd(store, call, 'command', (output) => outputOf(toText(output), false, step))
      : null;
  if (recorded !== null) return recorded;
  const content = await commandContent(step, request);
  const key = (): Hash => contentKey('command', content);
  // Whether an external effect has happened a later run must not have to guess.
  const keep = async (output: StepOutput): Promise<StepOutput> => {
    // Before the next step begins, which may write them too.
    const wrote = step.writes === undefined ? {} : { wrote: await hashesOf(step.writes, request.cwd) };
    const made = { ...output, ...wrote };
    return step.effect === 'external' ? keepOutput(store, call, key(), made) : keepSoon(store, call, key, made);
  };
  const known = call.reuse === undefined ? null : await reusedCommand(store, call, key(), request);
  if (known !== null) return known;
  const traced = { ...request, env: { ...tracedEnvironment(call, spanParts.step(call.path)), ...request.env } };
  const { end, stdout, stderr } = await runHeard(traced, { store: store.id, run: call.root.run }, current);
  current.signal.throwIfAborted();
  if (end.code !== 0) throw commandFailed(end, stderr.text());
  const text = stdout.text().replace(/\r?\n$/, '');
  const output = outputOf(text, stdout.isCut(), step);
  return writeDown(step, async () =>
    keep({
      output: await store.put(output),
      spend: { usd: 0, tokens: 0, steps: 1 },
      note: stdout.isUtf8() ? 'exit 0' : 'exit 0; bytes of its output that are no UTF-8 stand as U+FFFD',
      reused: false,
    }),
  );
}

/** Runs a command, and gives its end with what it printed, which goes to the log as it comes. */
async function runHeard(
  request: CommandRequest,
  owner: Pick<RunTag, 'store' | 'run'>,
  { step, signal, log, progress }: Attempt<CommandStep>,
): Promise<{ end: ProcessEnd; stdout: OutputCapture; stderr: OutputCapture }> {
  const stdout = createOutputCapture(step.max_output_kb * KB);
  const stderr = createOutputCapture(STDERR_BYTES);
  const out = loggedStream(log, 'stdout');
  const err = loggedStream(log, 'stderr');
  const end = await startCommand(request, owner, {
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
  return { end, stdout, stderr };
}

/**
 * Runs what is asked for, tagged with whose it is; when this returns nothing of its process group is alive. Throws
 * failures of a step where it cannot be started.
 */
export async function startCommand(
  { argv, cwd, env: declared, stdin }: Omit<CommandRequest, 'place'>,
  owner: Pick<RunTag, 'store' | 'run'>,
  watch: Pick<ProcessOptions, 'signal' | 'onStdout' | 'onStderr'>,
): Promise<ProcessEnd> {
  requireFolder(cwd);
  const command = announceCommand();
  const env = commandEnvironment(declared, runTag({ ...owner, worker: process.pid, command: command.number }));
  try {
    const file = resolveExecutable(argv[0] ?? '', cwd, env['PATH'] ?? '');
    return await runProcess({ file, args: argv.slice(1), cwd, env, stdin, killRest: command.killRest, ...watch });
  } catch (error) {
    throw startFailure(error, argv[0] ?? '', cwd);
  } finally {
    command.release();
  }
}

function startFailure(error: unknown, program: string, cwd: string): unknown {
  switch (errorCode(error)) {
    case 'E2BIG':
      return stepFailure(
        'command-refused',
        'The arguments are too long for the system (E2BIG). Give big values through `stdin` instead.',
      );
    case 'EACCES':
      return stepFailure('command-refused', `The system does not allow to run \`${program}\` in \`${cwd}\` (EACCES).`);
    case 'EAGAIN':
    case 'ENOMEM':
    case 'EMFILE':
      return stepFailure('internal', `The system cannot start another process (${errorCode(error)}).`);
    default:
      return error;
  }
}

function requireFolder(cwd: string): void {
  const found = statIfThere(cwd);
  if (found === null || !found.isDirectory())
    throw stepFailure(
      'command-refused',
      `Expected the \`cwd\` \`${cwd}\` to be a folder, ${found === null ? 'but there is none' : 'got something else'}.`,
    );
}

function statIfThere(path: string): Stats | null {
  try {
    return statSync(path);
  } catch {
    return null;
  }
}

/** What a command is taken to have said that wrote a text. */
function outputOf(text: string, isCut: boolean, step: CommandStep): Json {
  return step.schema === null ? convert(text, step.output_as) : parseOutput(text, isCut, step);
}

function parseOutput(text: string, isCut: boolean, { max_output_kb, schema }: CommandStep): Json {
  if (isCut)
    throw stepFailure(
      'answer-invalid',
      `Expected JSON of at most \`max_output_kb\` (${max_output_kb}), got more. Raise it.`,
    );
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
