import { StringDecoder } from 'node:string_decoder';
import type { LogWriter } from '../../store/logs/line.js';

const MB = 1024 * 1024;
/** A log takes this much of each stream and try; a program that writes without end does not fill the disk. */
const LOG_BYTES = 16 * MB;

/** A stream of a program, as the log gets it. */
export interface LoggedStream {
  add: (chunk: Buffer) => void;
  /** To be called when the program has ended: what is left is no whole character. */
  end: () => void;
}

/** Writes a stream to the log as it comes, as whole characters, up to a bound. */
export function loggedStream(log: Pick<LogWriter, 'write'>, stream: 'stdout' | 'stderr'): LoggedStream {
  const decoder = new StringDecoder('utf8');
  let bytes = 0;
  return {
    add(chunk) {
      if (bytes > LOG_BYTES) return;
      bytes += chunk.length;
      log.write(stream, decoder.write(chunk));
      if (bytes > LOG_BYTES) log.write('note', `${stream} goes on; this log keeps its first ${LOG_BYTES / MB} MiB`);
    },
    end() {
      const rest = decoder.end();
      if (rest !== '') log.write(stream, rest);
    },
  };
}
