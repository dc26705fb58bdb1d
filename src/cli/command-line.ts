import { tellError } from './errors.js';
import { CliError, EXIT } from './exit-codes.js';
import { flush } from './output.js';
import { packageVersion } from './package-version.js';
import { runProgram } from './program.js';
import { createTerminal } from './terminal.js';

/** A command that says its last word to nobody has so long to end with its own code. */
const END_MS = 1_000;

async function runCommandLine(argv: string[]): Promise<never> {
  const cwd = currentFolder();
  const terminal = createTerminal(cwd ?? '/');
  // Who reads our output may stop reading (`| head`): that is no failure of ours, and no success of a run.
  const lost: { error: NodeJS.ErrnoException | null } = { error: null };
  for (const stream of [terminal.stdout, terminal.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') setTimeout(() => process.exit(EXIT.interrupted), END_MS).unref();
      else if (stream === terminal.stdout) lost.error ??= error;
    });
  }
  const running = cwd === null ? Promise.reject(noFolder()) : runProgram(argv, terminal, packageVersion());
  const exit = await running.catch((error: unknown) => tellError(terminal, error, argv.includes('--json')));
  // Open connections must not keep the process; what was written must reach its reader first.
  await Promise.all([terminal.stdout, terminal.stderr].map(flush));
  if (lost.error === null) process.exit(exit);
  // A result that nobody has is no success, whatever the command came to.
  await tellError(
    terminal,
    new CliError(
      `Not all of the output could be written: ${lost.error.message}.`,
      EXIT.ended,
      'Make room where it goes, and do it again; what ran has run.',
    ),
    false,
  );
  await flush(terminal.stderr);
  process.exit(exit === EXIT.success ? EXIT.ended : exit);
}

/** Null where it was removed. */
function currentFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    return null;
  }
}

function noFolder(): CliError {
  return new CliError(
    'The current folder was removed.',
    EXIT.unavailable,
    'Go to another one and run the command there.',
  );
}

void runCommandLine(process.argv.slice(2));
