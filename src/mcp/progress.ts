import type { ServerContext } from '@modelcontextprotocol/server';

/** Tells a line of how it goes. */
export type Progress = (line: string) => void;

/**
 * Progress notifications where the client gave a token for them, else nothing. They only ever go up. `told` waits until
 * all are sent.
 */
export function createProgress({ mcpReq }: ServerContext): { progress: Progress; told: () => Promise<unknown> } {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return { progress: () => undefined, told: () => Promise.resolve() };
  const sent: Promise<unknown>[] = [];
  return {
    progress: (message) => {
      // A client that left is told nothing more.
      sent.push(
        mcpReq
          .notify({ method: 'notifications/progress', params: { progressToken, progress: sent.length + 1, message } })
          .catch(() => undefined),
      );
    },
    told: () => Promise.all(sent),
  };
}
