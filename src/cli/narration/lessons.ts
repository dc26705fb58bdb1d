import type { AskTeller } from '../../activities/narration/ask-teller.js';
import type { Scene } from '../../activities/narration/narrator.js';
import { lessonIn, teacherQuestion } from '../../activities/narration/teacher.js';
import { lessonsAt } from '../../plan/narration/curriculum.js';
import type { Happening } from '../../plan/narration/happening.js';
import { keyOf } from '../../plan/narration/happening.js';
import type { Lesson, NarrationLine } from '../../plan/narration/record.js';
import type { Store } from '../../store/store.js';

/** Lessons of a model's own for a build, its reruns and mendings. */
const MOST_OWN = 3;
const BETWEEN_OWN_MS = 30_000;

/** Teaches each concept once. */
export interface Lessons {
  /** What the curriculum has for a happening. */
  teach(happening: Happening): Promise<void>;
  /** Asks a model for what the curriculum does not have, where it is time for that; false where it is not. */
  teachMore(happening: Happening, now: number, signal: AbortSignal): Promise<void> | false;
}

/** What lessons are made and kept with. */
export interface Teaching {
  store: Pick<Store, 'claimConcept' | 'listConcepts'>;
  origin: string;
  scene: Scene;
  ask: AskTeller;
  say: (line: NarrationLine) => Promise<void>;
}

/** Lessons of one run: those of the curriculum, and a few that a model makes of what happens. */
export function createLessons({ store, origin, scene, ask, say }: Teaching): Lessons {
  let asked = -Infinity;

  async function give(lesson: Lesson, happening: Happening, from: 'model' | 'curriculum'): Promise<void> {
    await say({
      kind: 'lesson',
      // It is told when it happened: what happened last is told when the run has ended.
      at: new Date(from === 'curriculum' ? happening.at : Date.now()).toISOString(),
      key: `lesson ${keyOf(happening)}`,
      task: happening.task,
      from,
      ...lesson,
    });
  }

  async function ownLesson(happening: Happening, signal: AbortSignal): Promise<void> {
    const taught = await store.listConcepts(origin);
    if (taught.filter(isOwn).length >= MOST_OWN) return;
    const names = taught.map((concept) => (isOwn(concept) ? concept.slice(OWN.length) : concept));
    const lesson = lessonIn(await ask(teacherQuestion(happening, scene, names), signal));
    if (lesson === null || signal.aborted || names.includes(lesson.concept)) return;
    if (await store.claimConcept(origin, `${OWN}${lesson.concept}`)) await give(lesson, happening, 'model');
  }

  return {
    async teach(happening) {
      for (const lesson of lessonsAt(happening))
        if (await store.claimConcept(origin, lesson.concept)) await give(lesson, happening, 'curriculum');
    },
    teachMore(happening, now, signal) {
      const { kind, path, task } = happening;
      const isTask = kind === 'completed' && path === task && lessonsAt(happening).length === 0;
      if (!isTask || now - asked < BETWEEN_OWN_MS) return false;
      asked = now;
      return ownLesson(happening, signal);
    },
  };
}

/** Marks a concept that is none of the curriculum's. */
const OWN = 'own ';

function isOwn(concept: string): boolean {
  return concept.startsWith(OWN);
}
