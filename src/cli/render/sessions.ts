import type { Session } from '../../store/records/session-files.js';
import type { ImportedSession } from '../sessions/import-sessions.js';
import { safeLine, safeName, safeText } from '../text/safe-text.js';

/** Sessions as lines, one each. */
export function sessionRows(sessions: Session[]): string {
  return sessions
    .map(
      ({ session_id, updated_at, status, agent_name, agent_cli, messages }) =>
        `${session_id}  ${updated_at.slice(0, 16).replace('T', ' ')}  ${status.padEnd(9)}  ` +
        `${String(messages.length).padStart(3)} messages  ${playedBy(agent_name, agent_cli)}`,
    )
    .join('\n');
}

/** A session with all that was said in it. */
export function sessionLines({ session_id, agent_name, agent_cli, status, forked_from, messages }: Session): string {
  const head =
    `${session_id} · ${playedBy(agent_name, agent_cli)} · ` +
    `${status}${forked_from === undefined ? '' : ` · copied from ${forked_from}`}`;
  const said = messages.map(({ role, run, at, content, status: ended, error, troubles = [] }) =>
    [
      `${role} · ${at} · ${run}${ended === undefined ? '' : ` · ${ended}`}`,
      safeText(content),
      ...(error == null ? [] : [`error: ${safeText(error)}`]),
      ...troubles.map(
        ({ step, attempts, status: was, error: why }) =>
          `step ${step}: ${was} after ${String(attempts)} ` +
          `${attempts === 1 ? 'try' : 'tries'}${why === null ? '' : `: ${safeText(why)}`}`,
      ),
    ].join('\n'),
  );
  return [head, ...said].join('\n\n');
}

/** What became of each file of an import, one each. */
export function importLines(results: ImportedSession[], dryRun: boolean): string {
  const imported = dryRun ? 'would be imported' : 'imported';
  return results
    .map(({ file, session_id, status, messages, reason }) =>
      status === 'refused'
        ? `${safeName(file)}: not imported. ${safeLine(reason ?? '')}`
        : `${safeName(file)}: ${safeName(session_id ?? '')} ${status === 'kept' ? 'is here already' : imported}, ` +
          `${String(messages)} messages`,
    )
    .join('\n');
}

function playedBy(agent: string, program: Session['agent_cli']): string {
  return `${safeName(agent)}${program === undefined ? '' : ` (${program})`}`;
}
