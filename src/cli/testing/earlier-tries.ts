import type { Failure } from '../../plan/failure.js';
import { observe } from '../observe/observer.js';
import type { RunView } from '../observe/view/view.js';
import type { Session } from '../session.js';
import type { EarlierTries } from './recorded-run.js';
import { everyStepOf } from './recorded-run.js';

/**
 * Why earlier tries failed, of the steps that had some: of a closed run the store keeps only how the last one ended, so
 * they are read from its history, for as long as the server has it.
 */
export async function earlierTries(view: RunView, session: Session): Promise<EarlierTries> {
  const wanted = everyStepOf(view).filter(({ result }) => result !== null && result.attempts > 1);
  if (wanted.length === 0) return new Map();
  const failures = await readFailures(view.run, session).catch(() => null);
  if (failures === null) return null;
  const earlier = new Map<string, Failure[]>();
  for (const { path, step, result } of wanted) {
    const count = (result?.attempts ?? 1) - 1;
    const own = (failures.get(path) ?? []).slice(0, count);
    if (own.length === count) earlier.set(path, own);
    // What the run itself held against an agent's answers it holds against them again.
    else if (step.kind !== 'agent') return null;
  }
  return earlier;
}

async function readFailures(run: string, session: Session): Promise<Map<string, Failure[]> | null> {
  if (!session.mayKnowRuns()) return null;
  const link = await session.connect({ start: true });
  const failures = new Map<string, Failure[]>();
  try {
    await observe({
      ...{ source: link, run, store: session.store, wait: false },
      signal: new AbortController().signal,
      onEvent: (_run, event) => {
        if (event.kind === 'step-failed')
          failures.set(event.path, [...(failures.get(event.path) ?? []), event.failure]);
      },
    }).done;
  } finally {
    await link.close();
  }
  return failures;
}
