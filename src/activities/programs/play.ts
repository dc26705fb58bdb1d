import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Permissions } from '../../plan/tools/permission.js';
import type { Store } from '../../store/store.js';
import type { LogWriter } from '../../store/logs/line.js';
import { findOnPath } from '../../store/processes/find-on-path.js';
import { outsideFirst, outsidePath } from '../../store/processes/search-path.js';
import { commandEnvironment } from '../processes/command-environment.js';
import { stepFailure } from '../failures.js';
import { announceCommand } from '../processes/announced-commands.js';
import { gatherText } from '../attempt/text-log.js';
import type { Usage } from '../models/protocol/provider.js';
import { createOutputCapture } from '../processes/output-capture.js';
import { runProcess } from '../processes/groups/process-group.js';
import type { Mask } from '../values/mask-secrets.js';
import { maskPieces } from '../values/mask-secrets.js';
import { runTag } from '../processes/tagged-processes.js';
import { programEnvironment } from './environment.js';
import { madeProtected } from '../tools/shell/guard.js';
import { settleAfter } from '../tools/shell/misleading.js';
import { asRefusal } from '../refusal.js';
import { held } from './hold.js';
import { unheardVariables } from './variable-files.js';
import type { Program, ProgramEvent, ProgramOutcome, ProgramTask } from './program.js';
import { eventIn, splitLines } from './stream.js';
import { makeTemporary } from '../../store/folders/temporary.js';

/** Of what a program writes beside its events this much is kept, for the message of its failure. */
const SAID_BYTES = 1_200;
/** A program that has told its result has so long to end by itself. */
const LEAVE_MS = 5_000;

export interface Play {
  program: Program;
  task: Omit<ProgramTask, 'scratch'>;
  /** What its session has used before. */
  before: Usage;
  cwd: string;
  /** By which it must not write some of the workspace, which is its folder. */
  permissions: Permissions | undefined;
  credentials: Record<string, string | undefined>;
  owner: { store: Pick<Store, 'id' | 'folder' | 'readSubmitted'>; run: string };
  signal: AbortSignal;
  log: LogWriter;
  /** How many characters its model has said, and how often it was asked. */
  onProgress: (progress: { characters?: number; turns?: number }) => void;
  onEvent: (event: ProgramEvent) => void;
}

/**
 * Runs a program once, from its start to its end, and tells what came of it. What it writes goes to the step's log as
 * it comes; nothing of it is alive when this returns (I5). Throws `program-missing`.
 */
export async function play(options: Play): Promise<ProgramOutcome> {
  const scratch = await makeTemporary('program');
  try {
    return await playIn(scratch, options);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function playIn(scratch: string, options: Play): Promise<ProgramOutcome> {
  const { program, cwd, owner, signal } = options;
  const { args, stdin, env: added, files = {} } = program.invoke({ ...options.task, scratch });
  for (const [name, text] of Object.entries(files)) await writeFile(join(scratch, name), text, { mode: 0o600 });
  const { declared, redact } = programEnvironment(program, options.credentials);
  const unheard = unheardVariables(cwd, program.variableFiles ?? []);
  const command = announceCommand();
  const known = commandEnvironment(
    { PATH: outsideFirst(process.env['PATH'], cwd), ...declared, ...added },
    runTag({ store: owner.store.id, run: owner.run, worker: process.pid, command: command.number }),
  );
  const env = { ...unheard, ...known };
  const listening = listen(options, redact);
  try {
    const place = { ...owner, log: options.log, workspace: cwd, permissions: options.permissions, signal };
    const { release, ...words } = await held(executableOf(program, cwd), args, place);
    const outcome = await runProcess({
      ...words,
      cwd,
      env,
      stdin,
      killRest: command.killRest,
      signal: AbortSignal.any([signal, listening.enough]),
      onStdout: listening.stdout.add,
      onStderr: listening.stderr.add,
    })
      .then((end) => {
        listening.finish();
        const told = listening.outcome(signal.aborted);
        if (told === null) signal.throwIfAborted();
        return masked(told ?? listening.reader.end(end, listening.said()), redact);
      })
      // Also of one that was cancelled: what it has made does not stay.
      .catch((error: unknown) => settleAfter(error, release, options.log));
    // What was used counts, also where what was made could not all be settled.
    const made = await release().catch(asRefusal);
    if (Array.isArray(made) && made.length === 0) return outcome;
    const message = Array.isArray(made) ? madeProtected(`\`${program.name}\``, made) : made.message;
    const { usage, usd } = outcome;
    return { kind: 'failed', message, usage, usd };
  } finally {
    listening.finish();
    command.release();
  }
}

/** Reads both streams: events from stdout, everything else as what it says beside. */
function listen({ program, before, task, log, onProgress, onEvent }: Play, redact: Mask) {
  const reader = program.reader(before);
  const said = createOutputCapture(SAID_BYTES);
  const enough = new AbortController();
  const pieces = maskPieces(redact);
  const text = gatherText(log, (characters) => onProgress({ characters }));
  let early: ProgramOutcome | null = null;
  let hasResult = false;
  let turns = 0;
  let leaving: NodeJS.Timeout | undefined;

  function endText(): void {
    text.add(pieces.end());
    text.end();
  }

  function stopWith(outcome: ProgramOutcome): void {
    early ??= outcome;
    enough.abort(new Error('the program is ended'));
  }

  /** Some stay, for a server that they have started say. */
  function leaveSoon(): void {
    clearTimeout(leaving);
    hasResult = true;
    leaving = setTimeout(() => {
      log.write('note', `\`${program.name}\` has told its result and does not end: it is ended\n`);
      stopWith(toldResult());
    }, LEAVE_MS);
  }

  /** What it has told counts, however it was ended afterwards. */
  function toldResult(): ProgramOutcome {
    return reader.end({ code: 0, signal: null }, said.text().trim());
  }

  function tell(event: ProgramEvent): void {
    onEvent(event);
    switch (event.kind) {
      case 'text':
        return text.add(pieces.add(event.text));
      case 'turn':
        clearTimeout(leaving);
        hasResult = false;
        turns += 1;
        onProgress({ turns });
        // Programs that know the limit keep it themselves; the others are ended when they begin another turn.
        if (turns > task.maxTurns)
          stopWith({ ...reader.end({ code: null, signal: null }, ''), kind: 'turns-exceeded' });
        return undefined;
      case 'tool':
        endText();
        return log.write('note', `${event.name} ${event.about}\n`);
      case 'note':
        return log.write('note', `${event.text}\n`);
      case 'result':
        return leaveSoon();
      case 'session':
        return undefined;
    }
  }

  function hear(line: string): void {
    said.add(Buffer.from(`${line}\n`));
    log.write('stderr', `${line}\n`);
    const outcome = reader.hear?.(line) ?? null;
    if (outcome !== null) stopWith(outcome);
  }

  const outLines = splitLines((line) => {
    const plain = redact(line);
    const event = eventIn(plain);
    if (event === null) hear(plain);
    else reader.read(event).forEach(tell);
  });
  const errorLines = splitLines((line) => hear(redact(line)));
  return {
    reader,
    stdout: outLines,
    stderr: errorLines,
    enough: enough.signal,
    said: () => said.text().trim(),
    /** What came of it before its end; of one that was ended from outside, by its limit say, what it had told. */
    outcome: (isEnded: boolean) => early ?? (isEnded && hasResult ? toldResult() : null),
    finish: () => {
      outLines.end();
      errorLines.end();
      clearTimeout(leaving);
      endText();
    },
  };
}

/** The outcome without secrets: a reader may have put it together from pieces, each of which has a part of one. */
function masked(outcome: ProgramOutcome, mask: Mask): ProgramOutcome {
  if ('text' in outcome) return { ...outcome, text: mask(outcome.text) };
  return 'message' in outcome ? { ...outcome, message: mask(outcome.message) } : outcome;
}

/** Never a file of the workspace: an agent may have made it. */
function executableOf({ name, install }: Program, workspace: string): string {
  const file = findOnPath(name, outsidePath(process.env['PATH'], workspace));
  if (file !== null) return file;
  const isInside = findOnPath(name, process.env['PATH'] ?? '') !== null;
  throw stepFailure(
    'program-missing',
    `Cannot find the program \`${name}\` on the PATH of the worker` +
      `${isInside ? ' but among packages or in the workspace, where an agent may have put it' : ''}. ` +
      `Install it: ${install}`,
  );
}
