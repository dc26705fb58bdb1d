import type { LogWriter } from '../../../store/logs/line.js';
import type { Mask } from '../../values/mask-secrets.js';
import { maskOf } from '../../values/mask-secrets.js';
import type { ToolDefinition } from './definition.js';
import { ownOf } from '../../../plan/values/own.js';

/** A tool's secrets, read from the worker's environment when it acts, and nowhere else (I13). */
export interface Secrets {
  values: Map<string, string>;
  missing: string[];
  /** Takes all secrets out of a text, as they are written and in the forms in which programs often show them. */
  mask: Mask;
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
  return {
    values,
    missing: declared.flatMap(([name, { required = false }]) => (required && !values.has(name) ? [name] : [])),
    mask: maskOf(values.values()),
  };
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
