import { resolve } from 'node:path';
import { isSecret } from '../../activities/notices/webhook-signature.js';
import { findOnPath, isExecutable } from '../../store/processes/find-on-path.js';
import type { Config } from '../../compiler/project/config.js';
import type { Project } from '../../compiler/project/project.js';
import { addressVariable, filledAddress } from '../../plan/gates/notice.js';
import type { Env } from '../../store/cache-folder.js';
import type { Finding } from './finding.js';
import { ownOf } from '../../plan/values/own.js';

/**
 * Tells whether people can be told in the ways that `notify` names. What was not taken stands in the log of its run.
 */
export function noticeFindings({ root }: Project, notify: Config['notify'], env: Env): Finding[] {
  const [program] = notify?.command ?? [];
  return [
    ...(program === undefined ? [] : [ofCommand(program, root, env)]),
    ...(['webhook', 'slack', 'teams'] as const).flatMap((way) => {
      const written = notify?.[way];
      return written === undefined ? [] : [ofAddress(way, written, env)];
    }),
    ...(notify?.secret === undefined ? [] : [ofSecret(notify.secret, env)]),
    ...(notify?.email === undefined ? [] : [ofMail(notify.email, env)]),
  ];
}

function ofCommand(program: string, root: string, env: Env): Finding {
  const file = program.includes('/') ? resolve(root, program) : findOnPath(program, env['PATH'] ?? '');
  const ok = file !== null && isExecutable(file);
  return {
    name: 'notify command',
    ok,
    required: false,
    detail: ok ? file : `\`${program}\` is no program that can be run`,
    fix: ok ? null : 'Install it, or correct `notify` in perdure.yml: nobody is told',
  };
}

function ofAddress(way: string, webhook: string, env: Env): Finding {
  const variable = addressVariable(webhook);
  const ok = filledAddress(webhook, env) !== null;
  const detail =
    variable === null ? 'an address in perdure.yml' : `${variable} ${ok ? 'is set' : 'holds no http or https address'}`;
  return {
    name: `notify ${way}`,
    ok,
    required: false,
    detail,
    fix: ok ? null : `Set ${variable ?? webhook} where you run perdure: nobody is told`,
  };
}

/** Whether what is posted can be signed by it: a secret that is none is found at the first notice otherwise. */
function ofSecret(written: string, env: Env): Finding {
  const variable = addressVariable(written) ?? '';
  const value = ownOf(env, variable) ?? '';
  const ok = isSecret(value);
  const why = value === '' ? 'is not set' : 'is no secret of Standard Webhooks';
  return {
    name: 'notify secret',
    ok,
    required: false,
    detail: `${variable} ${ok ? 'signs what is posted' : why}`,
    fix: ok ? null : `Set ${variable} to whsec_ and at least 16 bytes in base 64: nothing is posted to \`webhook\``,
  };
}

function ofMail(
  { server, user, password, to }: NonNullable<NonNullable<Config['notify']>['email']>,
  env: Env,
): Finding {
  const missing = [user, password]
    .flatMap((written) => addressVariable(written) ?? [])
    .filter((name) => !ownOf(env, name));
  const ok = missing.length === 0;
  return {
    name: 'notify email',
    ok,
    required: false,
    detail: ok ? `${server}, to ${to.join(', ')}; it was not spoken to` : `${missing.join(' and ')} not set`,
    fix: ok ? null : `Set ${missing.join(' and ')} where you run perdure: nobody is told`,
  };
}
