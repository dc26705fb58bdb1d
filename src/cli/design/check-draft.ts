import type { ZodError } from 'zod';
import { findProject } from '../../compiler/project/project.js';
import type { ExitCode } from '../exit-codes.js';
import { EXIT } from '../exit-codes.js';
import { readRequest } from '../submit/read-request.js';
import type { Terminal } from '../terminal.js';
import { printJson } from '../terminal.js';
import { draftSchema, problemsOf } from './draft.js';

/** `design --check`: says what is wrong with the draft on stdin, as the workflow of `design` asks. */
export async function checkDraft(terminal: Terminal): Promise<ExitCode> {
  const read = draftSchema.safeParse(parse((await readRequest('-', terminal)) ?? ''));
  const problems = read.success ? problemsOf(read.data, findProject(terminal.cwd).root) : misfit(read.error);
  printJson(terminal, { ok: problems === '', problems, draft: read.success ? read.data : null });
  return EXIT.success;
}

function misfit({ issues }: ZodError): string {
  const told = issues.map(({ path, message }) => `${path.length === 0 ? 'the whole' : path.join('.')}: ${message}`);
  return `The draft is not of the form that is asked for: ${told.join('; ')}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
