import { Session } from 'node:inspector/promises';

const COLLECT = 'HeapProfiler.collectGarbage';

/** Has V8 collect all garbage of this thread and of the threads that it has started. */
export async function collectGarbage(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    const threads: string[] = [];
    session.on('NodeWorker.attachedToWorker', ({ params }) => threads.push(params.sessionId));
    await session.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
    await Promise.all(threads.map((sessionId) => collectOf(session, sessionId)));
    await session.post('NodeWorker.disable');
    await session.post(COLLECT);
  } finally {
    session.disconnect();
  }
}

/** Resolves when the thread has answered. */
async function collectOf(session: Session, sessionId: string): Promise<void> {
  const answered = new Promise<void>((resolve) => {
    session.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
      if (params.sessionId === sessionId) resolve();
    });
  });
  await session.post('NodeWorker.sendMessageToWorker', {
    sessionId,
    message: JSON.stringify({ id: 1, method: COLLECT }),
  });
  await answered;
}
