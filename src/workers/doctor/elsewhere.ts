import type { Env } from '../../store/cache-folder.js';
import { reach } from '../connection/connect.js';
import { missingSearchAttributes } from '../connection/server-health.js';
import { temporalSettings } from '../connection/temporal-settings.js';
import { messageOf, UnavailableError } from '../errors.js';
import type { Finding } from './finding.js';

/** The oldest server that is supported. */
const OLDEST = [1, 29] as const;

/** Where a server is that the environment names, if any, and what it lacks. */
export async function elsewhereFindings(env: Env): Promise<Finding[]> {
  const name = 'temporal elsewhere';
  try {
    const settings = temporalSettings(env);
    if (settings === null)
      return [{ name, ok: true, required: false, detail: 'none named; Perdure uses its own server', fix: null }];
    const where = `${settings.address}, namespace ${settings.namespace}, from ${settings.source}`;
    const connection = await reach(settings);
    try {
      const { serverVersion } = await connection.workflowService.getSystemInfo({});
      const version = serverVersion ?? 'of no version';
      const found: Finding = { name, ok: true, required: true, detail: `${where}, server ${version}`, fix: null };
      if (isOld(version)) return [{ ...found, ok: false, fix: `Servers ${OLDEST.join('.')} and later are supported` }];
      return [found, await searchAttributes(() => missingSearchAttributes(connection, settings.namespace))];
    } finally {
      await connection.close();
    }
  } catch (error) {
    const fix = (error instanceof UnavailableError ? error.hint : null) ?? "Correct Temporal's settings";
    return [{ name, ok: false, required: true, detail: messageOf(error), fix }];
  }
}

/** Runs go without them, and are found by less. */
async function searchAttributes(ask: () => Promise<string[]>): Promise<Finding> {
  const about = { name: 'search attributes', required: false };
  try {
    const missing = await ask();
    return missing.length === 0
      ? { ...about, ok: true, detail: 'there', fix: null }
      : { ...about, ok: false, detail: `${missing.join(', ')} missing`, fix: 'Make them: perdure setup' };
  } catch (error) {
    return { ...about, ok: false, detail: `the server does not tell: ${messageOf(error)}`, fix: null };
  }
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]);
}
