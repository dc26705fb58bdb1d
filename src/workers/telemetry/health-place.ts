import type { Env } from '../../store/cache-folder.js';
import { UnavailableError } from '../errors.js';
import { LOOPBACK } from '../server/ports.js';
import type { HealthPlace } from './told-worker.js';

/**
 * Where a worker serves its health, as the environment says; null for nowhere. Throws an UnavailableError for what is
 * no port.
 */
export function healthPlace(env: Env): HealthPlace | null {
  const port = env['PERDURE_HEALTH_PORT'] ?? '';
  if (port === '') return null;
  const number = Number(port);
  if (!Number.isInteger(number) || number < 0 || number > 65_535)
    throw new UnavailableError(`Expected the health port to be a port from 0 to 65535, got \`${port}\`.`);
  return { port: number, host: env['PERDURE_HEALTH_HOST'] || LOOPBACK };
}
