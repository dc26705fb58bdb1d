const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ERASE_BELOW = '\u001b[0J';
const ERASE_LINE = '\u001b[0K';

/** Lines at the bottom of the terminal that are drawn again and again. */
export interface LiveRegion {
  draw(lines: string[]): void;
  /** Leaves nothing of the region on the screen; the next `draw` begins below what was written since. */
  clear(): void;
  /** Shows the cursor again. Call it at the end, whatever happened. */
  close(): void;
}

/** A region on a terminal's stream. Each draw is one write, and none is made when nothing changed. */
export function createLiveRegion(stream: NodeJS.WriteStream): LiveRegion {
  let drawn: string[] = [];
  let hidden = false;
  const showCursor = (): void => {
    if (hidden) stream.write(SHOW_CURSOR);
    hidden = false;
  };
  process.once('exit', showCursor);
  const back = (): string => (drawn.length === 0 ? '' : `\u001b[${drawn.length}A\r`);
  return {
    draw(lines) {
      if (lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return;
      // Written over, not erased first: nothing flickers.
      stream.write(`${hidden ? '' : HIDE_CURSOR}${back()}${lines.map((line) => `${line}${ERASE_LINE}\n`).join('')}${ERASE_BELOW}`);
      hidden = true;
      drawn = lines;
    },
    clear() {
      if (drawn.length > 0) stream.write(`${back()}${ERASE_BELOW}`);
      drawn = [];
      showCursor();
    },
    close() {
      showCursor();
      process.removeListener('exit', showCursor);
    },
  };
}
