import { join } from 'node:path';
import type { CommandRule } from '../../plan/tools/command-rule.js';
import { COMMAND_CLASSES } from '../../plan/tools/command-rule.js';
import type { Permissions } from '../../plan/tools/permission.js';
import { bothWritable } from '../../plan/tools/permission.js';
import { plainPattern } from '../../plan/tools/plain-address.js';
import type { AuthoredPermissions } from '../formats/permissions.js';
import { permissionsSchema } from '../formats/permissions.js';
import type { Report } from '../problems/problem.js';
import { createReport } from '../problems/problem.js';
import { packageRoot } from '../text/disk.js';
import { readSettings } from '../text/read-source.js';

const FILE = 'definitions/permissions/default.yml';

/**
 * What an agent may do: what is said first goes before what is said later, and the rules that come with the package
 * come last. Lists add up, but for `writable`, of which each limits the other; `network`, `on_denial` and
 * `escalate_after` are those of the first that says them.
 */
export function permissionsFrom(said: AuthoredPermissions[], shell: boolean): Permissions {
  const all = [...said, shippedPermissions()];
  const first = <K extends 'network' | 'on_denial' | 'escalate_after'>(key: K): AuthoredPermissions[K] =>
    all.find((one) => one[key] !== undefined)?.[key];
  const denial = first('on_denial');
  const writable = all.reduce<string[] | undefined>((paths, one) => bothWritable(paths, one.writable), undefined);
  return {
    commands: shell ? all.flatMap(commandRules) : [],
    network: first('network') ?? false,
    deny: all.flatMap(({ deny = [] }) => deny.map(plainPattern)),
    ask: all.flatMap(({ ask = [] }) => ask.map(plainPattern)),
    allow: all.flatMap(({ allow = [] }) => allow.map(plainPattern)),
    protected: all.flatMap((one) => one.protected ?? []),
    ...(writable === undefined ? {} : { writable }),
    asking: all.some(({ asking }) => asking === 'deny') ? 'deny' : 'ask',
    ...(denial === undefined || denial === 'tell' ? {} : { denial }),
    escalate_after: first('escalate_after') ?? 3,
  };
}

function commandRules({ commands = {} }: AuthoredPermissions): CommandRule[] {
  return COMMAND_CLASSES.flatMap((kind) =>
    (commands[kind] ?? []).map((rule): CommandRule =>
      typeof rule === 'string'
        ? { words: rule, class: kind }
        : {
            words: rule.words,
            class: kind,
            ...(rule.refuses === undefined ? {} : { refuses: rule.refuses }),
            ...(rule.asks === undefined ? {} : { asks: rule.asks }),
          },
    ),
  );
}

let shipped: AuthoredPermissions | null = null;

/** The rules that come with the package: one data file, read once. */
export function shippedPermissions(): AuthoredPermissions {
  shipped ??= readShipped();
  return shipped;
}

function readShipped(): AuthoredPermissions {
  const { problems, report } = createReport();
  const read = readPermissions(join(packageRoot(), FILE), packageRoot(), report);
  if (read === null) throw new Error(`The package is damaged: ${FILE} cannot be read. ${problems[0]?.message ?? ''}`);
  return read;
}

/** Reads a file of rules; null when it has problems, which are reported. */
export function readPermissions(
  file: string,
  cwd: string,
  report: Report,
  sources?: Map<string, string>,
): AuthoredPermissions | null {
  return readSettings(permissionsSchema, file, { cwd, report, sources });
}
