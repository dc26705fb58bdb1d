import type { RecordedAnswer } from '../../plan/agents/recorded-answers.js';
import { turnIn, USUAL_FAILURE } from '../../plan/agents/recorded-answers.js';
import type { StepResult } from '../../plan/result.js';
import { isObject } from '../../plan/values/json.js';
import type { Json } from '../../plan/values/json.js';
import type { JournalEntry } from '../../store/journal/entry.js';
import type { RunView } from '../observe/view/view.js';
import type { EarlierTries } from './recorded-run.js';
import { everyStepOf } from './recorded-run.js';

type Answer = RecordedAnswer & { try: number };

/**
 * What models answered in a run, in the order of the questions, and why they did not. Of a step with several tries, the
 * answers to each; where nobody knows how those before the last ended, to the last alone.
 */
export function answersOf(
  view: RunView,
  entries: [key: string, entry: JournalEntry][],
  earlier: EarlierTries,
): RecordedAnswer[] {
  const answers = answersIn(entries);
  const results = new Map(everyStepOf(view).map(({ path, step, result }) => [path, { kind: step.kind, result }]));
  const told = [...results].flatMap(([path, { kind, result }]) =>
    kind === 'agent' && result !== null ? failuresOf(path, result, { answers, earlier }) : [],
  );
  const lastTries = new Map(answers.map(({ step, try: tried }) => [step, tried]));
  return [...answers, ...told].flatMap(({ try: tried, ...answer }) => {
    const attempts = results.get(answer.step)?.result?.attempts ?? 1;
    if (attempts > 1 && earlier !== null) return [{ ...answer, try: tried }];
    return tried === (lastTries.get(answer.step) ?? tried) ? [answer] : [];
  });
}

/** Why tries of an agent's step failed, of those whose last answer does not say it already. */
function failuresOf(
  step: string,
  { attempts, failure, error }: StepResult,
  { answers, earlier }: { answers: Answer[]; earlier: EarlierTries },
): Answer[] {
  const before = earlier?.get(step) ?? [];
  const last = failure === null ? [] : [{ type: failure, message: error ?? '' }];
  const from = attempts - before.length;
  return [...before, ...last].flatMap(({ type, message }, index) => {
    const tried = from + index;
    const answered = answers.filter((answer) => answer.step === step && answer.try === tried).at(-1);
    if (type === 'cancelled' || (answered !== undefined && answered.calls === undefined)) return [];
    const turn = answered?.turn === undefined ? {} : { turn: answered.turn + 1 };
    const kind = type === USUAL_FAILURE.agent ? {} : { failure: type };
    return [{ step, try: tried, ...turn, text: '', failed: message, ...kind }];
  });
}

/** The last answer to each question of each try. */
export function answersIn(entries: [key: string, entry: JournalEntry][]): Answer[] {
  const answers = new Map<string, Answer>();
  const paused = new Map<string, string>();
  for (const [key, { response }] of entries) {
    const answer = answerOf(partsOf(key), response);
    if (answer === null) continue;
    const question = JSON.stringify([answer.step, answer.try, answer.turn]);
    const text = (paused.get(question) ?? '') + answer.text;
    // What comes after a pause goes on with the same answer.
    if (isObject(response) && response['stop'] === 'paused') paused.set(question, text);
    else paused.delete(question);
    answers.set(question, { ...answer, text });
  }
  return [...answers.values()];
}

/** Null for a key that is a content's hash. */
function partsOf(key: string): Json {
  return key.startsWith('[') ? (JSON.parse(key) as Json) : null; // every other key is canonical JSON of a list
}

/** The path of the step that an entry is of; null for a key that is a content's hash. */
export function stepOf(key: string): string | null {
  const parts = partsOf(key);
  return Array.isArray(parts) && typeof parts[0] === 'string' ? parts[0] : null;
}

/**
 * Questions are `[step, try, 0, again]`, `[step, try, 'turn', turn, asked]` and `[step, try, 'program', again]`; what
 * else is journalled is no model's.
 */
function answerOf(key: Json, response: Json): Answer | null {
  if (!Array.isArray(key) || !isObject(response) || typeof response['text'] !== 'string') return null;
  const [step, tried, ...part] = key;
  if (
    typeof step !== 'string' ||
    typeof tried !== 'number' ||
    !(part[0] === 0 || part[0] === 'turn' || part[0] === 'program')
  )
    return null;
  const turn = turnIn(part);
  const blocks = Array.isArray(response['blocks']) ? response['blocks'].filter(isObject) : [];
  const calls = blocks
    .filter(({ kind }) => kind === 'call')
    .map(({ id, name, input }) => ({ id: String(id), name: String(name), input: input ?? null }));
  return {
    step,
    try: tried,
    ...(turn === null ? {} : { turn }),
    text: response['text'],
    ...(calls.length === 0 ? {} : { calls }),
  };
}
