import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { validateHeaderName, validateHeaderValue } from 'node:http';
import type { Env } from '../../store/cache-folder.js';
import { codeOf } from '../errors.js';
import { telemetrySettings } from './telemetry-settings.js';

/** What is wrong with a setting, and what comes of it; null for nothing. Values may be keys: none is named (I13). */
const CHECKS: Record<string, (value: string) => string | null> = {
  CERTIFICATE: certificateTrouble,
  HEADERS: headersTrouble,
  COMPRESSION: (value) =>
    value === 'gzip' || value === 'none' ? null : 'is neither `gzip` nor `none`: what is sent is not compressed',
  TIMEOUT: (value) => (Number(value) > 0 ? null : 'is no time in milliseconds: 10000 is used'),
};

/** A sentence for each variable of telemetry that says what cannot be used, and for which nothing is refused. */
export function unusableSettings(variables: Env): string[] {
  const { traces, metrics } = telemetrySettings(variables);
  const kinds = [...(traces === null ? [] : ['TRACES_']), ...(metrics === null ? [] : ['METRICS_'])];
  const found = new Map<string, string>();
  for (const kind of kinds)
    for (const [what, troubleIn] of Object.entries(CHECKS)) {
      const name = [`OTEL_EXPORTER_OTLP_${kind}${what}`, `OTEL_EXPORTER_OTLP_${what}`].find(
        (one) => variables[one] !== undefined,
      );
      const trouble = name === undefined ? null : troubleIn(variables[name] ?? '');
      if (name !== undefined && trouble !== null) found.set(name, `Telemetry: \`${name}\` ${trouble}.`);
    }
  return [...found.values()];
}

function certificateTrouble(file: string): string | null {
  const consequence = 'nothing can be sent by https';
  try {
    const [first] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/.exec(readFileSync(file, 'utf8')) ?? [];
    if (first === undefined) return `names a file without a certificate: ${consequence}`;
    new X509Certificate(first);
    return null;
  } catch (error) {
    return `names a file that cannot be read as certificates (${codeOf(error) ?? 'damaged'}): ${consequence}`;
  }
}

function headersTrouble(text: string): string | null {
  const parts = text.split(',').filter((part) => part.trim() !== '');
  if (!parts.every((part) => /^\s*[^\s=]+\s*=/.test(part))) return 'has a part that is no `name=value`: it is left out';
  const { traces } = telemetrySettings({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost',
    OTEL_EXPORTER_OTLP_HEADERS: text,
  });
  try {
    for (const [name, value] of Object.entries(traces?.headers ?? {})) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return null;
  } catch {
    return 'has what can be no header of HTTP: nothing can be sent';
  }
}
