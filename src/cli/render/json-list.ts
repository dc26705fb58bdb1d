import { writeText } from '../output.js';
import type { Terminal } from '../terminal.js';
import { safeJson } from '../text/safe-text.js';

/** One JSON list that can be read while it is written: an item a line. */
export interface JsonList {
  add(item: object): void;
  end(): void;
}

/** A list that is written to stdout. */
export function createJsonList({ stdout }: Pick<Terminal, 'stdout'>): JsonList {
  let separator = '[\n';
  const write = (text: string): void => writeText(stdout, text, false);
  return {
    add(item) {
      write(`${separator}${safeJson(item)}`);
      separator = ',\n';
    },
    end() {
      write(separator === '[\n' ? '[]\n' : '\n]\n');
    },
  };
}
