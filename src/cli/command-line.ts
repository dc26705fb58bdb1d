import { tellError } from './errors.js';
import { EXIT } from './exit-codes.js';
import { flush } from './output.js';
import { packageVersion } from './package-version.js';
import { runProgram } from './program.js';
import { createTerminal } from './terminal.js';

async function runCommandLine(argv: string[]): Promise<never> {
  const terminal = createTerminal();
  // Who reads our output may stop reading (`| head`): that is no failure of ours.
  for (const stream of [terminal.stdout, terminal.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => { if (error.code === 'EPIPE') process.exit(EXIT.success); });
  }
  const exit = await runProgram(argv, terminal, packageVersion()).catch((error: unknown) => tellError(terminal, error, argv.includes('--json')));
  // Open connections must not keep the process; what was written must reach its reader first.
  await Promise.all([terminal.stdout, terminal.stderr].map(flush));
  process.exit(exit);
}

void runCommandLine(process.argv.slice(2));
