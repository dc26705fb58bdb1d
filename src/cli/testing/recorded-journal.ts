import type { RecordedAnswer } from '../../plan/agents/recorded-answers.js';
import type { RunRecord } from '../../plan/result.js';
import type { JournalEntry } from '../../store/journal/entry.js';
import type { Store } from '../../store/store.js';
import type { RunView } from '../observe/view/view.js';
import { answersIn, stepOf } from './recorded-answers.js';
import { everyStepOf } from './recorded-run.js';

type Entries = [key: string, entry: JournalEntry][];

/**
 * What is journalled of a closed run. What models answered in steps whose results it reused is taken from the runs that
 * it is a rerun of, the last one first.
 */
export async function journalOf(
  record: Pick<RunRecord, 'journal' | 'rerun_of'>,
  view: RunView,
  store: Pick<Store, 'listJournal' | 'readRun'>,
): Promise<Entries> {
  let entries = await store.listJournal(record.journal);
  for (let before = record.rerun_of; before !== undefined;) {
    const missing = new Set(unanswered(view, answersIn(entries)));
    const earlier = missing.size === 0 ? null : await store.readRun(before);
    if (earlier === null) break;
    const taken = (await store.listJournal(earlier.journal)).filter(([key]) => missing.has(stepOf(key) ?? ''));
    entries = [...taken, ...entries];
    before = earlier.rerun_of;
  }
  return entries;
}

/** Paths of the steps in which a model did its work, and of which there is no answer, in their order. */
export function unanswered(view: RunView, answers: Pick<RecordedAnswer, 'step'>[]): string[] {
  const answered = new Set(answers.map(({ step }) => step));
  return everyStepOf(view).flatMap(({ path, step, result }) =>
    step.kind === 'agent' && result?.status === 'success' && !answered.has(path) ? [path] : [],
  );
}
