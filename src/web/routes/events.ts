import type { Hono } from 'hono';
import type { SSEStreamingApi } from 'hono/streaming';
import { streamSSE } from 'hono/streaming';
import { rootOf } from '../../cli/observe/view/view.js';
import type { PageContext, PageEnv, Site } from '../site.js';
import { personAt } from './sign-in.js';

/** Proxies end what says nothing. */
const BEAT_MS = 20_000;
const RETRY_MS = 3_000;

type Tell = (event: 'open' | 'beat' | 'changed' | 'ended') => void;

/** Tells pages that what they show has changed. What it is they ask for as before. */
export function eventRoutes(app: Hono<PageEnv>, site: Site): void {
  const isGone = (c: PageContext) => (): boolean => personAt(c, site) === null;
  app.get('/events', (c) =>
    streamSSE(c, (stream) => untilGone(stream, isGone(c), (tell) => site.listing.watch(() => tell('changed')))),
  );
  app.get('/runs/:run/events', (c) => {
    const run = rootOf(c.req.param('run'));
    return streamSSE(c, (stream) =>
      untilGone(stream, isGone(c), (tell, end) =>
        site.runs.watch(run, {
          onChange: () => tell('changed'),
          onEnd: (isClosed) => {
            tell(isClosed ? 'ended' : 'changed');
            end();
          },
        }),
      ),
    );
  });
}

/**
 * Keeps a stream open until its reader goes or is signed out, or `end` is called. `watch` gives what ends its watching.
 */
async function untilGone(
  stream: SSEStreamingApi,
  isGone: () => boolean,
  watch: (tell: Tell, end: () => void) => () => void,
): Promise<void> {
  // What was told last is still on its way when the stream is to end.
  let written = Promise.resolve();
  const tell: Tell = (event) => {
    written = written.then(() => stream.writeSSE({ event, data: '', retry: RETRY_MS })).catch(() => undefined);
  };
  tell('open');
  let end = (): void => undefined;
  const beat = setInterval(() => (isGone() ? end() : tell('beat')), BEAT_MS);
  let stop = (): void => undefined;
  await new Promise<void>((resolve) => {
    end = resolve;
    stream.onAbort(resolve);
    stop = watch(tell, resolve);
    // Between the page and this request something may have changed that nobody was told.
    tell('changed');
  });
  clearInterval(beat);
  stop();
  await written;
}
