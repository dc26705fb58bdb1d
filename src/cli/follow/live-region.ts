import { redraw, showCursor } from '../output.js';
import type { Terminal } from '../terminal.js';

/** Lines at the bottom of the terminal that are drawn again and again. */
export interface LiveRegion {
  draw(lines: string[]): void;
  /** Leaves nothing of the region on the screen; the next `draw` begins below what was written since. */
  clear(): void;
  /** Shows the cursor again. Call it at the end, whatever happened. */
  close(): void;
}

/** A region at the end of what a terminal shows. Each draw is one write, and none is made when nothing changed. */
export function createLiveRegion({ stderr, palette }: Pick<Terminal, 'stderr' | 'palette'>): LiveRegion {
  let drawn: string[] = [];
  let hidden = false;
  const show = (): void => {
    if (hidden) showCursor(stderr, true);
    hidden = false;
  };
  process.once('exit', show);
  return {
    draw(lines) {
      if (lines.length === drawn.length && lines.every((line, index) => line === drawn[index])) return;
      if (!hidden) showCursor(stderr, false);
      redraw(stderr, drawn.length, lines, palette.colored);
      hidden = true;
      drawn = lines;
    },
    clear() {
      if (drawn.length > 0) redraw(stderr, drawn.length, [], false);
      drawn = [];
      show();
    },
    close() {
      show();
      process.removeListener('exit', show);
    },
  };
}
