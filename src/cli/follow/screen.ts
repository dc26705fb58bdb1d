import type { OpenGate, RunView } from '../observe/view/view.js';
import { isClosed, openGates, openingOf } from '../observe/view/view.js';
import { renderHeader, renderJoined, renderScreen } from '../render/screen.js';
import type { Terminal } from '../terminal.js';
import { heightOf, readingWidthOf, tell, widthOf } from '../terminal.js';
import { createLiveRegion } from './live-region.js';
import { createPlainLines, gateLines, HELD_MS } from './plain-lines.js';
import type { Words } from './words.js';

/** Where a run is shown while it goes on. */
export interface Screen {
  show(view: RunView): void;
  /** Leaves the screen to a question, until `release`. */
  hold(): void;
  release(): void;
  /** Writes a line above the tree; while a question has the screen it waits, so that what is decided on stays there. */
  note(line: string): void;
  /** Leaves the last state of the tree behind. */
  close(): void;
  /** Resolves when all that was to be shown has been. */
  shown(): Promise<void>;
}

/** What the first lines say beside the run itself. */
export interface Header {
  uiUrl: string | null;
  joined: boolean;
}

/** What a gate shows, as people read it; null where the question is all there is. */
export type ReadContent = (open: OpenGate) => Promise<string | null>;

/** What a live tree says of models that speak; null where nobody listens to them. */
type Listening = Words | null;

function headerFor(view: RunView, { uiUrl, joined }: Header, terminal: Terminal): string[] {
  const width = widthOf(terminal.stderr);
  return joined
    ? [...renderJoined(view), ...(uiUrl === null ? [] : [`  Temporal ${uiUrl}`])]
    : renderHeader(view, uiUrl, width);
}

const FRAME_MS = 100;

/** The screen that fits the terminal: a live tree for a person, else one plain line for each change. */
export function createScreen(
  terminal: Terminal,
  about: Header & { listen: () => Listening; read: ReadContent },
): Screen {
  return terminal.interactive ? createLiveScreen(terminal, about, about.listen()) : createPlainScreen(terminal, about);
}

function createLiveScreen(terminal: Terminal, about: Header, words: Listening): Screen {
  const region = createLiveRegion(terminal);
  let view: RunView | null = null;
  let held = false;
  let noted: string[] = [];
  let frame = 0;
  const draw = (): void => {
    if (view === null || held) return;
    const style = {
      width: widthOf(terminal.stderr),
      height: heightOf(terminal.stderr) - 1,
      palette: terminal.palette,
      frame: frame++,
      ...(words === null ? {} : { says: words.at }),
    };
    region.draw(renderScreen(view, Date.now(), style));
  };
  const tellNoted = (): void => {
    if (noted.length === 0) return;
    region.clear();
    tell(terminal, ...noted);
    noted = [];
    draw();
  };
  const release = (): void => {
    held = false;
    draw();
    tellNoted();
  };
  const timer = setInterval(draw, FRAME_MS);
  terminal.stderr.on('resize', draw);
  return {
    show(next) {
      if (view === null) tell(terminal, ...headerFor(next, about, terminal));
      view = next;
      words?.of(next);
    },
    hold() {
      draw();
      held = true;
      region.clear();
      if (view !== null)
        tell(
          terminal,
          ...renderScreen(view, Date.now(), {
            width: widthOf(terminal.stderr),
            height: Math.ceil(heightOf(terminal.stderr) / 2),
            palette: terminal.palette,
            frame,
          }),
        );
    },
    release,
    note(line) {
      noted.push(line);
      if (!held) tellNoted();
    },
    close() {
      release();
      view = null; // what is left on the screen is not drawn again
      clearInterval(timer);
      words?.close();
      terminal.stderr.removeListener('resize', draw);
      region.close();
    },
    shown: () => Promise.resolve(),
  };
}

function createPlainScreen(terminal: Terminal, about: Header & { read: ReadContent }): Screen {
  const changes = createPlainLines();
  const told = new Set<string>();
  let begun = false;
  let held: NodeJS.Timeout | undefined;
  // What a gate shows is read from the store; what comes after it waits.
  let saying = Promise.resolve();
  const say = (lines: () => string[] | Promise<string[]>): void => {
    saying = saying.then(async () => tell(terminal, ...(await lines())));
  };
  const isNew = (open: OpenGate): boolean => !told.has(openingOf(open));
  const show = (view: RunView): void => {
    const head = begun ? [] : headerFor(view, about, terminal);
    begun = true;
    const lines = [...head, ...changes(view, Date.now())];
    say(() => lines);
    clearTimeout(held);
    if (view.reuses === true && !isClosed(view.status)) held = setTimeout(() => show(view), HELD_MS).unref();
    for (const open of openGates(view).filter(isNew)) {
      told.add(openingOf(open));
      say(async () => gateLines(open, await about.read(open), readingWidthOf(terminal.stderr)));
    }
  };
  return {
    show,
    hold: () => undefined,
    release: () => undefined,
    note: (line) => say(() => [line]),
    close: () => clearTimeout(held),
    shown: () => saying,
  };
}
