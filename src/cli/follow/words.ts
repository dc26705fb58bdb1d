import type { Store } from '../../store/store.js';
import type { RunView, StepView } from '../observe/view/view.js';
import { everyStepView, nestedIn, rootOf } from '../observe/view/view.js';

/** How often logs are looked at. */
const LOOK_MS = 200;
/** Steps whose words are shown at once: a screen has no room for more. */
const MOST_STEPS = 8;
/** Of what a model says the end is shown. */
const TAIL_CHARACTERS = 80;

/** What models say at this moment, from the logs that their activities write: nothing of it is in history. */
export interface Words {
  /** Whose words are to be shown from now on. */
  of(view: RunView): void;
  /** The end of what a step's model is saying; null where it says nothing. */
  at: (path: string) => string | null;
  close(): void;
}

/** How far a log was read, and what is open of the words at its end. */
interface Heard {
  offset: number;
  text: string;
}

/** Listens to the agents that run. Only where the store is: from elsewhere each look would be a workflow. */
export function listenToModels(store: Pick<Store, 'readLog'>): Words {
  const heard = new Map<string, Heard>();
  let shown: { run: string; paths: string[] } = { run: '', paths: [] };
  let looking = false;

  async function look(): Promise<void> {
    if (looking) return;
    looking = true;
    try {
      for (const path of shown.paths)
        heard.set(path, await hear(store, shown.run, path, heard.get(path) ?? { offset: 0, text: '' }));
    } catch {
      // Words are an extra: what cannot be read is not shown.
    } finally {
      looking = false;
    }
  }

  const timer = setInterval(() => void look(), LOOK_MS);
  return {
    of(view) {
      shown = {
        run: rootOf(view.run),
        paths: speaking(view)
          .slice(0, MOST_STEPS)
          .map(({ path }) => path),
      };
      for (const path of heard.keys()) if (!shown.paths.includes(path)) heard.delete(path);
    },
    at: (path) => tailOf(heard.get(path)?.text ?? ''),
    close: () => clearInterval(timer),
  };
}

/** Agents that run, those of nested runs included. */
function speaking(view: RunView): StepView[] {
  return everyStepView(view.steps).flatMap((step) => [
    ...(step.step.kind === 'agent' && step.status === 'running' ? [step] : []),
    ...nestedIn(step).flatMap(speaking),
  ]);
}

/** Reads on. A note, that a tool is called say, ends what was said before it. */
async function hear(store: Pick<Store, 'readLog'>, run: string, path: string, { offset, text }: Heard): Promise<Heard> {
  const { lines, next } = await store.readLog(run, path, offset);
  let said = text;
  for (const line of lines) said = line.stream === 'text' ? `${said}${line.text}` : '';
  return { offset: next, text: said.slice(-2 * TAIL_CHARACTERS) };
}

/** The last line that has something in it. */
function tailOf(text: string): string | null {
  const line = text.trimEnd().split('\n').at(-1)?.trim() ?? '';
  if (line === '') return null;
  return line.length <= TAIL_CHARACTERS ? line : `…${line.slice(-TAIL_CHARACTERS)}`;
}
