import type { InjectedContext } from '../../plan/agents/injected-context.js';
import type { RunSettings } from '../../plan/run-input.js';
import type { Store } from '../../store/store.js';
import { safeName } from '../text/safe-text.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';
import { sessionOfRun } from './ask-in-session.js';
import type { Question } from './inject-context.js';

/** A run that was started, or joined. */
interface Begun {
  run: string;
  joined: boolean;
  settings: Pick<RunSettings, 'context'>;
  question: Question | null;
  store: Pick<Store, 'get' | 'listSessions'>;
}

/** Says which session a run goes on with, and which instructions are not taken at their word. */
export async function tellContext(
  { run, joined, settings: { context }, question, store }: Begun,
  terminal: Terminal,
): Promise<void> {
  if (question !== null) {
    const session = joined
      ? ((await sessionOfRun(run, question.session, store))?.session_id ?? null)
      : question.session;
    tell(
      terminal,
      terminal.palette.dim(
        session === null
          ? `\`${run}\` was there before, in no session that is kept: nothing is asked in one now.`
          : `Session ${safeName(session)}: go on with \`--session ${safeName(session)}\`.`,
      ),
    );
  }
  // Of one that was there before it was said when it started.
  if (joined || context === undefined) return;
  // as `injectContext` puts it there
  const { blocks } = (await store.get(context)) as unknown as InjectedContext;
  if (blocks.some(({ source, trusted }) => source === 'AGENTS.md' && !trusted))
    tell(terminal, 'AGENTS.md is as a run left it: agents are told it as untrusted, until a person changes it.');
}
