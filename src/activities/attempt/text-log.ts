import type { LogWriter } from '../../store/logs/line.js';

/**
 * Pieces of an answer are gathered to a line or about this many characters, so that a log has no line for each token.
 */
const CHARACTERS = 160;
/** Stands in the log where a model that is asked again says something else. */
export const SAYS_ELSE = 'the model was asked again, and says something else';

/**
 * Writes an answer to a step's log as it comes; `onProgress` is told how many characters there are. Of what a lost
 * worker has `written` of it nothing is written twice, as long as the model says the same again; where it says
 * something else, a note tells so, and all of it follows.
 */
export function gatherText(
  log: LogWriter,
  onProgress: (characters: number) => void,
  written = '',
): { add: (text: string) => void; end: () => void } {
  let waiting = '';
  let characters = 0;
  /** The beginning of the answer, while it is no more than what was written. */
  let known = '';

  function flush(): void {
    log.write('text', waiting);
    waiting = '';
  }

  function write(text: string): void {
    waiting += text;
    if (waiting.length >= CHARACTERS || text.includes('\n')) flush();
  }

  function add(text: string): void {
    if (known.length === written.length) return write(text);
    const whole = known + text;
    known = whole.slice(0, written.length);
    if (written.startsWith(known)) return write(whole.slice(written.length));
    written = known;
    log.write('note', SAYS_ELSE);
    write(whole);
  }

  return {
    add(text) {
      characters += text.length;
      onProgress(characters);
      add(text);
    },
    end() {
      log.writeLast('text', waiting);
      waiting = '';
    },
  };
}
