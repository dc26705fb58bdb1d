import type { Twins } from '../compiler/project/resolve.js';
import { CliError } from '../cli/exit-codes.js';
import { grpcTrouble } from '../cli/grpc.js';
import { shortWords } from '../plan/text/short-words.js';
import { safeText } from '../cli/text/safe-text.js';
import { ProblemsError } from '../cli/session.js';

/** What was asked cannot be done: one sentence for the model that asked. */
export class McpRefusal extends Error {
  override readonly name = 'McpRefusal';
}

/** A name that no file has, or that several have. */
export function refusedName({ missing, suggestion }: Twins): McpRefusal {
  return new McpRefusal(suggestion === null ? missing : `${missing} ${suggestion}`);
}

/** An error in the words of the command line, without its colours. */
export async function errorText(error: unknown): Promise<string> {
  if (error instanceof ProblemsError) {
    const { printProblems } = await import('../compiler/problems/print-problems.js');
    return printProblems(error.problems, error.sources, { files: error.files, color: false, forModel: true }).trimEnd();
  }
  if (!(error instanceof Error)) return safeText(String(error));
  if (grpcTrouble(error) === 'connection-lost')
    return `The Temporal server does not answer: ${safeText(shortWords(error.message))}`;
  const hint = error instanceof CliError || 'hint' in error ? error.hint : null;
  return safeText(shortWords(typeof hint === 'string' ? `${error.message} ${hint}` : error.message));
}
