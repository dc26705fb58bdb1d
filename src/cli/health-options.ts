import type { HealthPlace } from '../workers/telemetry/told-worker.js';
import type { Options, OptionSpec } from './command.js';
import { usageError } from './exit-codes.js';
import type { Terminal } from './terminal.js';

/** Options of commands that run a worker in the foreground. */
export const HEALTH_OPTIONS: OptionSpec[] = [
  {
    flags: '--health-port <n>',
    about: 'serve /healthz, /readyz and /metrics there; PERDURE_HEALTH_PORT when left out',
  },
  { flags: '--health-host <address>', about: 'address of this machine for that; 127.0.0.1 when left out' },
];

/** Where a worker is to serve its health, as the command line says, else the environment; null for nowhere. */
export async function healthFrom(
  options: Pick<Options, 'text'>,
  { env }: Pick<Terminal, 'env'>,
): Promise<HealthPlace | null> {
  const { healthPlace } = await import('../workers/telemetry/health-place.js');
  try {
    return healthPlace({
      PERDURE_HEALTH_PORT: options.text('health-port') ?? env['PERDURE_HEALTH_PORT'],
      PERDURE_HEALTH_HOST: options.text('health-host') ?? env['PERDURE_HEALTH_HOST'],
    });
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error));
  }
}
