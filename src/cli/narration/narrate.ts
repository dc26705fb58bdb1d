import type { ChooseModels } from '../../activities/models/choice/choose.js';
import type { AskTeller } from '../../activities/narration/ask-teller.js';
import type { Allowances } from '../../plan/narration/allowance.js';
import type { Happening } from '../../plan/narration/happening.js';
import type { Pacing } from '../../plan/narration/pacing.js';
import { createPacing } from '../../plan/narration/pacing.js';
import type { NarrationLine } from '../../plan/narration/record.js';
import { sha256 } from '../../store/hash.js';
import type { Store } from '../../store/store.js';
import type { Lock } from '../../workers/processes/lock.js';
import { takeLock } from '../../workers/processes/lock.js';
import type { RunEvent } from '../observe/history/run-event.js';
import type { RunView } from '../observe/view/view.js';
import { rootOf } from '../observe/view/view.js';
import { createHappenings, placedSteps, toHappening } from './happenings.js';
import type { Lessons } from './lessons.js';
import { createLessons } from './lessons.js';
import { listenToOutputs } from './outputs.js';
import type { Origin } from './scene.js';
import { originOf } from './scene.js';
import type { Speak } from './speak.js';
import { createSpeak } from './speak.js';
import type { TaskNames } from './task-names.js';
import { taskNames } from './task-names.js';

/** How often it is looked whether there is something to tell. */
const TICK_MS = 250;
/** How often for who only hears what others say; the longer nobody says anything, the less often. */
const HEAR_MS = 1_000;
const MOST_HEAR_MS = 15_000;
/** Calls that are cut off at the end have so long to say what they cost. */
const CLOSE_MS = 1_000;

/** Tells of a run to whoever watches it. Nothing of it is part of the run: what goes wrong here is told to nobody. */
export interface Narration {
  /** Takes the run as it is now. Nothing is said any more once it has ended. */
  see(view: RunView): void;
  hear(event: RunEvent): void;
  /**
   * Ends it. Of a run that has ended, `last` gives occasion to the lessons of what happened last; null where watching
   * alone ends. Resolves when nothing more will come.
   */
  close(last: RunView | null): Promise<void>;
}

export interface NarrateOptions extends Pick<ChooseModels, 'options' | 'providers' | 'env'> {
  store: Store;
  stateDir: string;
  allowances: Allowances;
  /** Whether it says something itself; else it tells what others say. */
  speaks: boolean;
  /** Takes what is said from now on, by whichever of those who watch. */
  tell: (line: NarrationLine) => void;
}

/** What the one has that speaks: of several who watch the first to come, and when it goes another. */
interface Lead extends Origin {
  lock: Lock;
  pacing: Pacing;
  speak: Speak;
  lessons: Lessons;
}

/** What models are asked with. */
type Asking = Omit<NarrateOptions, 'stateDir' | 'speaks' | 'tell'>;
type Say = (line: NarrationLine) => Promise<void>;

/** Begins to tell of a run. All that is said stands in the store, and is shown from there. */
export function narrate(run: string, options: NarrateOptions): Narration {
  const { store, tell } = options;
  const root = rootOf(run);
  const happenings = createHappenings();
  const outputs = listenToOutputs(store);
  const stop = new AbortController();
  const toldBefore = store.readNarration(root).then((lines) => lines.length);
  toldBefore.catch(() => undefined); // told by `show`
  let shown: number | null = null;
  const listening = createListening(options.speaks, stop.signal);
  let view: RunView | null = null;
  let committed: { path: string; at: string }[] = [];
  let lead: Lead | null = null;
  let names: TaskNames | null = null;
  let ticking: Promise<void> | null = null;
  let speaking: Promise<void> | null = null;
  let teaching: Promise<void> | null = null;

  async function show(): Promise<void> {
    shown ??= await toldBefore;
    const heard = (await store.readNarration(root)).slice(shown);
    for (const line of heard) tell(line);
    shown += heard.length;
    listening.heard(heard.length > 0);
  }

  async function say(line: NarrationLine): Promise<void> {
    await store.addNarration(root, line);
    await show();
  }

  /** All that has happened since this was asked last. */
  async function news(of: RunView, origin: Origin): Promise<Happening[]> {
    names ??= await taskNames(of, origin.spec, store);
    const known = names ?? new Map();
    const commits = committed;
    committed = [];
    const placed = placedSteps(of);
    return [
      ...happenings.since(of, known),
      ...commits.flatMap(({ path, at }) =>
        placed
          .filter(({ step }) => step.path === path)
          .map((one) => ({ ...toHappening('committed', one, known), at: Date.parse(at) })),
      ),
    ];
  }

  async function tick(of: RunView): Promise<void> {
    lead ??= await takeLead(of, options, say);
    if (lead === null) return show();
    const now = Date.now();
    const happened = await news(of, lead);
    for (const happening of happened) {
      if (isToldBy(happening)) lead.pacing.offer(happening, now);
      await lead.lessons.teach(happening);
      teaching ??= ended(lead.lessons.teachMore(happening, now, stop.signal), () => (teaching = null));
    }
    for (const said of await outputs(of, names ?? new Map(), now)) lead.pacing.offer(said, now);
    if (speaking === null && !stop.signal.aborted) speaking = ended(speakNext(lead, now), () => (speaking = null));
  }

  function speakNext({ pacing, speak }: Lead, now: number): Promise<void> | false {
    const next = pacing.next(now);
    if (next === null) return false;
    return speak(next, stop.signal)
      .then((at) => at !== null && pacing.told(next.task, at))
      .then(() => undefined);
  }

  const timer = setInterval(() => {
    if (view !== null && listening.isDue()) ticking ??= ended(tick(view), () => (ticking = null));
  }, listening.tick_ms);
  return {
    see(next) {
      view = next;
      if (next.endedAt !== null) stop.abort();
    },
    hear(event) {
      if (event.kind === 'step-committed') committed.push({ path: event.path, at: event.at });
    },
    async close(last) {
      clearInterval(timer);
      stop.abort();
      await within(CLOSE_MS, Promise.all([ticking, speaking, teaching]));
      const hasEnded = last !== null && last.endedAt !== null && last.status !== 'cancelled';
      if (hasEnded) await ended(tellLast(last), () => undefined);
      await lead?.lock.release();
      lead = null;
    },
  };

  async function tellLast(last: RunView): Promise<void> {
    lead ??= await takeLead(last, options, say);
    if (lead !== null) for (const happening of await news(last, lead)) await lead.lessons.teach(happening);
    await show();
  }
}

interface Listening {
  tick_ms: number;
  heard: (something: boolean) => void;
  isDue: () => boolean;
}

/** When it is looked again: who only hears looks ever less often; not at all once stopped. */
function createListening(speaks: boolean, stopped: AbortSignal): Listening {
  let every = HEAR_MS;
  let at = 0;
  return {
    tick_ms: speaks ? TICK_MS : HEAR_MS,
    heard(something) {
      every = something ? HEAR_MS : Math.min(2 * every, MOST_HEAR_MS);
      at = Date.now() + every;
    },
    isDue: () => !stopped.aborted && (speaks || Date.now() >= at),
  };
}

/** Of what is below a task only that is told which is news of the task. */
function isToldBy({ kind, path, task }: Happening): boolean {
  return path === task || kind === 'again' || kind === 'waiting';
}

/** Null where somebody else tells of the run already, and for who only hears. */
async function takeLead(view: RunView, options: NarrateOptions, say: Say): Promise<Lead | null> {
  if (!options.speaks) return null;
  const name = sha256(rootOf(view.run)).slice('sha256:'.length, 'sha256:'.length + 16);
  const lock = await takeLock(options.stateDir, `narrate-${name}`);
  if (lock === null) return null;
  try {
    return { lock, ...(await beginToLead(view, options, say)) };
  } catch (error) {
    await lock.release(); // for the next try
    throw error;
  }
}

async function beginToLead(view: RunView, { store, ...choice }: Asking, say: Say): Promise<Omit<Lead, 'lock'>> {
  const root = rootOf(view.run);
  const origin = await originOf({ ...view, run: root }, store);
  const before = await store.readNarration(root);
  const pacing = createPacing();
  for (const line of before) if (line.kind === 'message') pacing.told(line.task, Date.parse(line.at));
  const ask = createAsk(view, { store, ...choice });
  return {
    ...origin,
    pacing,
    speak: createSpeak({ scene: origin, ask, say, before }),
    lessons: createLessons({ store, origin: origin.origin, scene: origin, ask, say }),
  };
}

/** Models are looked for once there is something to ask, and never for a rehearsal. */
function createAsk({ run, rehearsal }: RunView, { store, env, allowances, ...choice }: Asking): AskTeller {
  let asking: Promise<AskTeller> | null = null;
  const begin = async (): Promise<AskTeller> => {
    const { chooseTellers } = await import('../../activities/narration/choose-tellers.js');
    const { createAskTeller } = await import('../../activities/narration/ask-teller.js');
    const tellers = await chooseTellers({ ...choice, env });
    return createAskTeller({ store, run: rootOf(run), tellers, credentials: () => env, allowances });
  };
  return async (question, signal) => {
    if (rehearsal) return null;
    const ask = await (asking ??= begin());
    return signal.aborted ? null : ask(question, signal);
  };
}

/** Waits for something that nobody is to hear of where it fails; null for nothing. */
function ended(work: Promise<void> | false, then: () => void): Promise<void> | null {
  return work === false ? null : work.catch(() => undefined).finally(then);
}

async function within(ms: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([work, new Promise((resolve) => (timer = setTimeout(resolve, ms)))]);
  clearTimeout(timer);
}
