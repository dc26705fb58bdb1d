import type { Session } from '../../cli/session.js';
import { grpcTrouble } from '../../cli/grpc.js';
import type { TemporalLink } from '../../workers/link/temporal-link.js';

/** A session whose way to Temporal is opened once for all pages. */
export interface SharedSession extends Session {
  /** The same call once more over a new link, where the server of the first one has gone. */
  patiently<T>(read: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/**
 * Has all who connect share one link, which stays open: whoever looks keeps the host, as `watch` does. The host is
 * started where there is something that it may know.
 */
export function shareLink(session: Session): SharedSession {
  let open: Promise<TemporalLink> | null = null;
  const connect: Session['connect'] = async (options) => {
    open ??= session.connect({ ...options, start: options.start || session.mayKnowRuns() }).catch((error: unknown) => {
      open = null;
      throw error;
    });
    return { ...(await open), close: () => Promise.resolve() };
  };
  const drop = async (): Promise<void> => {
    const link = await open?.catch(() => null);
    open = null;
    await link?.close().catch(() => undefined);
  };
  return {
    ...session,
    connect,
    close: drop,
    async patiently(read) {
      try {
        return await read();
      } catch (error) {
        if (grpcTrouble(error) !== 'connection-lost') throw error;
        await drop();
        return read();
      }
    },
  };
}
