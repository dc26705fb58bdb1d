import type { Json } from '../../../plan/values/json.js';
import { isObject } from '../../../plan/values/json.js';
import type { LogWriter } from '../../../store/logs/line.js';
import type { ToolDefinition } from './definition.js';
import { ownOf } from '../../../plan/values/own.js';

const MASK = '…';

/** A tool's secrets, read from the worker's environment when it acts, and nowhere else (I13). */
export interface Secrets {
  values: Map<string, string>;
  missing: string[];
  /** Takes all secrets out of a text, as they are written and in the forms in which programs often show them. */
  mask: (text: string) => string;
}

/** A tool's secrets as the environment has them; those that it needs and that are not there by name. */
export function readSecrets({ permissions }: ToolDefinition, environment: NodeJS.ProcessEnv = process.env): Secrets {
  const declared = Object.entries(permissions?.secrets ?? {});
  const values = new Map(
    declared.flatMap(([name]) => {
      const value = ownOf(environment, name);
      return value ? [[name, value] as const] : [];
    }),
  );
  const forms = [...values.values()].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
    Buffer.from(secret).toString('base64url'),
  ]);
  return {
    values,
    missing: declared.flatMap(([name, { required = false }]) => (required && !values.has(name) ? [name] : [])),
    mask: (text) => forms.reduce((masked, form) => masked.replaceAll(form, MASK), text),
  };
}

/** A value with every text in it masked. */
export function maskValue(value: Json, mask: Secrets['mask']): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((item) => maskValue(item, mask));
  return isObject(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [mask(key), maskValue(item, mask)]))
    : value;
}

/** A log that is written at the end, masked whole: a secret may come in two pieces. */
export function maskedLog(log: LogWriter, { values, mask }: Secrets): { log: LogWriter; flush: () => void } {
  if (values.size === 0) return { log, flush: () => undefined };
  const written: Record<'stdout' | 'stderr' | 'text' | 'note', string[]> = {
    stdout: [],
    stderr: [],
    text: [],
    note: [],
  };
  const write: LogWriter['write'] = (stream, text) => void written[stream].push(text);
  return {
    log: { write, writeLast: write, close: async () => undefined },
    flush: () => {
      for (const stream of ['stdout', 'stderr', 'text', 'note'] as const)
        if (written[stream].length > 0) log.write(stream, mask(written[stream].join('')));
    },
  };
}
