import { randomBytes } from 'node:crypto';
import type { Config } from '../../compiler/project/config.js';
import type { RunSettings } from '../../plan/run-input.js';
import { readTraceParent } from '../../plan/telemetry/trace.js';
import type { Terminal } from '../terminal.js';
import { tell } from '../terminal.js';

/**
 * The trace of a run that is submitted, where telemetry is set: that of the command which submits it, where it is part
 * of one (`TRACEPARENT`), else one of its own. A command whose trace is not recorded has its runs not recorded either.
 * Tells of settings that cannot be used.
 */
export async function traceOf(
  config: Pick<Config, 'telemetry'>,
  terminal: Terminal,
): Promise<Pick<RunSettings, 'trace'>> {
  const { env } = terminal;
  const isSet =
    config.telemetry !== undefined || Object.keys(env).some((name) => name.startsWith('OTEL_EXPORTER_OTLP_'));
  if (!isSet) return {};
  const { telemetrySettings, telemetryVariables } = await import('../../workers/telemetry/telemetry-settings.js');
  const variables = telemetryVariables(config, env);
  // What cannot be sent is found out before anything is started.
  const { traces } = telemetrySettings(variables);
  const { unusableSettings } = await import('../../workers/telemetry/unusable-settings.js');
  for (const warning of unusableSettings(variables)) tell(terminal, warning);
  if (traces === null) return {};
  const around = readTraceParent(env['TRACEPARENT']);
  if (around === null) return { trace: { id: randomBytes(16).toString('hex') } };
  return around.sampled ? { trace: { id: around.id, parent: around.parent } } : {};
}
