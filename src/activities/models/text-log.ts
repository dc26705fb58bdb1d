import type { LogWriter } from '../../store/store.js';

/** Pieces of an answer are gathered to a line or about this many characters, so that a log has no line for each token. */
const CHARACTERS = 160;

/** Writes an answer to a step's log as it comes; `onProgress` is told how many characters there are. */
export function gatherText(log: LogWriter, onProgress: (characters: number) => void): { add: (text: string) => void; end: () => void } {
  let waiting = '';
  let characters = 0;

  function flush(): void {
    log.write('text', waiting);
    waiting = '';
  }

  return {
    add(text) {
      waiting += text;
      characters += text.length;
      onProgress(characters);
      if (waiting.length >= CHARACTERS || text.includes('\n')) flush();
    },
    end: flush,
  };
}
