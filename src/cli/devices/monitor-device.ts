import { StringDecoder } from 'node:string_decoder';
import { join } from 'node:path';
import { explainPort } from '../../activities/devices/port/explain-port.js';
import { withPort } from '../../activities/devices/port/open-port.js';
import { openLine } from '../../activities/devices/serial-line.js';
import { createDevices } from '../../compiler/project/devices.js';
import type { Device } from '../../plan/devices/device.js';
import { isSimulated } from '../../plan/devices/device.js';
import { isHere } from '../../workers/link/device-hosts.js';
import { packageRoot } from '../../store/folders/package-root.js';
import type { ExitCode } from '../exit-codes.js';
import { CliError, EXIT, usageError } from '../exit-codes.js';
import { writeText } from '../output.js';
import { safeText } from '../text/safe-text.js';
import { openSession, openWorkspace } from '../session.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';

/** How long a port may be away before it is looked for again. */
const AGAIN_MS = 200;
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Shows what a device says until it is interrupted, or for `limitMs`; lines that are typed are sent. A port that
 * vanishes is opened again when it is back. A port that is not there at the start, or that a run has open, is exit code
 * 3.
 */
export async function monitorDevice(
  name: string,
  terminal: Terminal,
  { limitMs }: { limitMs: number | null },
): Promise<ExitCode> {
  const device = await deviceHere(name, terminal);
  const { store } = await openSession(terminal, { taskQueue: null });
  const stop = new AbortController();
  const timer = limitMs === null ? null : setTimeout(() => stop.abort(), limitMs);
  const interrupt = (): void => stop.abort();
  for (const name of ENDING) process.once(name, interrupt);
  const setting = {
    store,
    run: 'monitor',
    boardProgram: join(packageRoot(), 'dist', 'activities', 'devices', 'board', 'main.js'),
    busyMs: 0,
  };
  try {
    // What is opened once is waited for as long as it takes: a board may be plugged out and in.
    for (let isFirst = true; !stop.signal.aborted; isFirst = false) {
      await withPort(device, setting, stop.signal, (port) => show(device, port.path, terminal, stop.signal)).catch(
        (error: unknown) => {
          if (stop.signal.aborted) return;
          if (isFirst || !(error instanceof Error))
            throw error instanceof Error ? new CliError(error.message, EXIT.unavailable) : error;
        },
      );
      await pauseUnless(stop.signal);
    }
    return EXIT.success;
  } finally {
    if (timer !== null) clearTimeout(timer);
    for (const name of ENDING) process.off(name, interrupt);
    terminal.stdin.pause();
  }
}

/** The device of that name, whose port is there. Throws where it hangs elsewhere, or is not there. */
async function deviceHere(name: string, terminal: Terminal): Promise<Device> {
  const { project, config } = await openWorkspace(terminal);
  const found = createDevices(project, config)(name);
  if (!('device' in found)) throw usageError(found.message, found.suggestion);
  if (!isHere({ task_queue: found.task_queue ?? undefined }, config))
    throw usageError(
      `\`${name}\` hangs on the host whose workers poll \`${found.task_queue ?? ''}\`.`,
      `Run the command there, in a project whose perdure.yml says \`task_queue: ${found.task_queue ?? ''}\`.`,
    );
  if (isSimulated(found.device)) return found.device;
  const { ok, detail, fix } = await explainPort(found.device);
  if (!ok) throw new CliError(detail, EXIT.unavailable, fix);
  return found.device;
}

/**
 * Boards end lines as terminals want it: the return before a line break is none of its own, also where it comes before
 * it.
 */
function createLineEnds(): (text: string) => string {
  let held = '';
  return (text) => {
    const all = held + text;
    held = all.endsWith('\r') ? '\r' : '';
    return all.slice(0, all.length - held.length).replaceAll('\r\n', '\n');
  };
}

async function show(device: Device, path: string, terminal: Terminal, signal: AbortSignal): Promise<void> {
  const decoder = new StringDecoder('utf8');
  const linesOf = createLineEnds();
  const line = await openLine({ path, identity: path }, device.kind.baud, (chunk) =>
    writeText(terminal.stdout, safeText(linesOf(decoder.write(chunk))), false),
  );
  const send = (typed: Buffer): void => line.write(typed.toString('utf8'));
  terminal.stdin.on('data', send);
  tell(terminal, terminal.palette.dim(`${device.name} at ${path}, ${device.kind.baud} baud; Ctrl-C ends it`));
  try {
    const why = await Promise.race([line.gone, aborted(signal)]);
    if (why !== null) tell(terminal, terminal.palette.dim(`the port is gone: ${why}`));
  } finally {
    terminal.stdin.off('data', send);
    line.close();
  }
}

function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(null);
    else signal.addEventListener('abort', () => resolve(null), { once: true });
  });
}

async function pauseUnless(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, AGAIN_MS);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        resolve();
      },
      { once: true },
    );
  });
}
