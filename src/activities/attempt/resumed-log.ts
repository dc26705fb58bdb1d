import { Context } from '@temporalio/activity';
import { LINE_CHARACTERS } from '../../store/logs/log-lines.js';
import type { Store } from '../../store/store.js';
import type { LogLine, LogWriter } from '../../store/logs/line.js';
import type { StepCall } from '../contract.js';
import { SAYS_ELSE } from './text-log.js';

/**
 * The log of an attempt that says again what one before it has said, whose worker was lost: nothing stands in it twice.
 */
export interface ResumedLog {
  /** Leaves out the notes that are there already. */
  log: LogWriter;
  /** What is there of the model's next words. */
  said: () => string;
  /** Takes the model's next words from the journal: what a lost worker has not written of them is written now. */
  retell: (text: string) => void;
}

/** Where in a log of all tries an attempt's own lines begin: at this note of its try, or with the try. */
interface Place extends Pick<StepCall, 'root' | 'path' | 'try'> {
  note: string | null;
}

/** What a log has of one attempt: notes, and the model's words between them. */
type Piece = Pick<LogLine, 'stream' | 'text'>;

const TRY = /^try (\d+)(, started \d+ times)?$/;

/** Goes on with a log where an attempt before this one has left it; the first one begins with the place's note. */
export async function resumeLog(
  store: Store,
  log: LogWriter,
  place: Place,
  mayBeAgain = Context.current().info.attempt > 1,
): Promise<ResumedLog> {
  const pieces = mayBeAgain ? await piecesAt(store, place) : null;
  if (pieces === null && place.note !== null) log.write('note', place.note);
  return over(log, pieces ?? [], pieces !== null);
}

/** The pieces are used up from the first one: what comes again comes in the same order. */
function over(log: LogWriter, pieces: Piece[], isResumed: boolean): ResumedLog {
  const nextText = (): Piece | undefined => (pieces[0]?.stream === 'text' ? pieces[0] : undefined);
  return {
    log: {
      ...log,
      write(stream, text, at) {
        const known =
          stream === 'note' ? pieces.findIndex((piece) => piece.stream === 'note' && piece.text === text) : -1;
        if (known === -1) log.write(stream, text, at);
        else pieces.splice(0, known + 1);
      },
    },
    said() {
      const text = nextText()?.text ?? '';
      if (text !== '') pieces.shift();
      return text;
    },
    retell(text) {
      const piece = nextText();
      if (piece === undefined) {
        if (isResumed) log.write('text', text);
      } else if (piece.text.startsWith(text)) {
        piece.text = piece.text.slice(text.length);
        if (piece.text === '') pieces.shift();
      } else if (text.startsWith(piece.text)) {
        pieces.shift();
        log.write('text', text.slice(piece.text.length));
      }
    },
  };
}

/** What the log has of a place; null where it does not come to it. The same note in another try is another place. */
async function piecesAt(store: Store, { root: { run }, path, try: own, note }: Place): Promise<Piece[] | null> {
  let isOwn = own === 1;
  let pieces: Piece[] | null = isOwn && note === null ? [] : null;
  for await (const line of linesOf(store, run, path)) {
    const tried = line.stream === 'note' ? TRY.exec(line.text) : null;
    if (tried !== null) {
      isOwn = Number(tried[1]) === own;
      if (!isOwn) pieces = null;
      else if (note === null) pieces ??= [];
    } else if (isOwn && line.stream === 'note' && line.text === note) pieces = [];
    else if (pieces !== null) addTo(pieces, line);
  }
  return pieces;
}

/** Every line of a log. */
export async function* linesOf(store: Store, run: string, path: string): AsyncGenerator<LogLine> {
  for (let offset = 0; ;) {
    const { lines, next } = await store.readLog(run, path, offset);
    if (next === offset) return;
    yield* lines;
    offset = next;
  }
}

function addTo(pieces: Piece[], { stream, text }: LogLine): void {
  const last = pieces.at(-1);
  if (stream === 'text' && last?.stream === 'text') last.text += text;
  // What it began with then is not what it says now.
  else if (text === SAYS_ELSE && last?.stream === 'text') last.text = '';
  else if (stream === 'note' && last?.stream === 'note' && isCut(last.text)) last.text += text;
  else if (stream === 'text' || stream === 'note') pieces.push({ stream, text });
}

/** A long note stands in several lines. */
function isCut(text: string): boolean {
  return text.length > 0 && text.length % LINE_CHARACTERS === 0;
}
