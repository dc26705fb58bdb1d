import { safeJson } from './safe-text.js';

/** One JSON list that can be read while it is written: an item a line. */
export interface JsonList {
  add(item: object): void;
  end(): void;
}

/** A list that is written to a stream. */
export function createJsonList(stream: NodeJS.WritableStream): JsonList {
  let separator = '[\n';
  return {
    add(item) {
      stream.write(`${separator}${safeJson(item)}`);
      separator = ',\n';
    },
    end() {
      stream.write(separator === '[\n' ? '[]\n' : '\n]\n');
    },
  };
}
