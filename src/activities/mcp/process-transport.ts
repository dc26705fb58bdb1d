import { spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/client';

/** From the end of its input to TERM, and from TERM to KILL. */
const GRACE_MS = 1_000;

export interface ServerProcess {
  /** Absolute path of the program, and its arguments. */
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  onStderr: (chunk: Buffer) => void;
  /** One of its messages has no end; it is being killed. */
  onTooLong: () => void;
}

/**
 * The stdio transport over a process group of its own: when it closes, nothing of the group is alive (I5). The SDK's
 * own leaves what a server has started.
 */
export function processTransport({ file, args, cwd, env, onStderr, onTooLong }: ServerProcess): Transport {
  const child = spawn(file, args, { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  const buffer = new ReadBuffer();
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()));
  const started = new Promise<void>((resolve, reject) => child.once('spawn', resolve).once('error', reject));
  started.catch(() => undefined);

  const kill = (signal: NodeJS.Signals): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, signal);
    } catch {
      // ESRCH: nothing of it is alive.
    }
  };
  const take = (chunk: Buffer): void => {
    try {
      buffer.append(chunk);
    } catch {
      onTooLong();
      child.stdout.off('data', take).resume();
      return kill('SIGKILL');
    }
    while (takeMessage());
  };
  // What is no message says nothing of those after it.
  const takeMessage = (): boolean => {
    try {
      const message = buffer.readMessage();
      if (message !== null) transport.onmessage?.(message);
      return message !== null;
    } catch (error) {
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
      return true;
    }
  };

  const transport: Transport = {
    async start() {
      child.stdout.on('data', take);
      child.stderr.on('data', onStderr);
      child.stdin.on('error', (error) => transport.onerror?.(error));
      void exited.then(() => {
        kill('SIGKILL');
        transport.onclose?.();
      });
      await started;
    },
    send: (message: JSONRPCMessage) =>
      new Promise((resolve, reject) =>
        child.stdin.write(serializeMessage(message), (error) => (error == null ? resolve() : reject(error))),
      ),
    async close() {
      child.stdin.end();
      await Promise.race([exited, delay(GRACE_MS, undefined, { ref: false })]);
      kill('SIGTERM');
      await Promise.race([exited, delay(GRACE_MS, undefined, { ref: false })]);
      kill('SIGKILL');
      await exited;
    },
  };
  return transport;
}
