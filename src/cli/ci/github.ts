import { randomUUID } from 'node:crypto';
import type { RunView } from '../observe/view/view.js';
import { safeText } from '../text/safe-text.js';
import { ciRows, failedRows } from './rows.js';

/** Annotations that GitHub shows of a job at most. */
const MOST = 10;

/** Two lines, between which GitHub takes nothing for a command. */
export interface Guard {
  begin: string;
  end: string;
}

/**
 * The annotations of a run, written in one piece: they alone are commands, nothing that follows. GitHub takes stderr
 * before stdout, so what the run has printed there comes after them. Null where nothing failed.
 */
export function annotated(view: RunView, { end }: Guard): string | null {
  const lines = annotations(view);
  return lines.length === 0 ? null : [end, ...lines, withoutCommands().begin].join('\n');
}

/** Each step that failed by itself as an annotation of GitHub Actions: one line, whatever was said. */
export function annotations(view: RunView): string[] {
  const failed = failedRows(ciRows(view));
  const whole = failed.length === 0 && view.error !== null ? [{ path: view.name, error: view.error }] : [];
  return [...failed, ...whole]
    .slice(0, MOST)
    .map(({ path, error }) => `::error title=${property(`${view.name}: ${path}`)}::${data(error ?? 'failed')}`);
}

/** Lines around what models and commands say. */
export function withoutCommands(): Guard {
  const token = randomUUID();
  return { begin: `::stop-commands::${token}`, end: `::${token}::` };
}

function data(text: string): string {
  return safeText(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
