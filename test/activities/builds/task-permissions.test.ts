import { expect, it } from 'vitest';
import { agentPermissions } from '../../../src/activities/builds/task-permissions.js';
import { permissionsFrom } from '../../../src/compiler/agents/permissions.js';
import { permissionsSchema } from '../../../src/compiler/formats/permissions.js';
import type { Action } from '../../../src/plan/tools/action.js';
import { judgeAction } from '../../../src/plan/tools/permission.js';
import type { Member } from '../../../src/plan/builds/build-spec.js';
import type { JsonObject } from '../../../src/plan/values/json.js';

const BEA: Member = { name: 'Bea', role: 'builder', persona: '' };
const verdictOf = (action: Action, member: Partial<Member>, permissions: JsonObject = {}): string => {
  const said = permissionsSchema.parse(agentPermissions({ ...BEA, ...member }, { permissions }));
  return judgeAction(permissionsFrom([said], true), action).verdict;
};
const write = (path: string): Action => ({ kind: 'write', path });
const run = (...argv: string[]): Action => ({ kind: 'command', argv, cwd: '.' });

it.each<[string, Partial<Member>, string]>([
  ['src/a.js', {}, 'allow'],
  ['.elisa/context/nugget_context.md', {}, 'deny'],
  ['.elisa/x', { allowed_paths: ['.elisa/', 'src/'] }, 'deny'],
  ['.perdure/x', {}, 'deny'],
  ['src/a.js', { allowed_paths: ['src/**'] }, 'allow'],
  ['tests/a.js', { allowed_paths: ['src/**'] }, 'deny'],
  ['tests/a.js', { allowed_paths: ['**'] }, 'allow'],
  ['src/a.js', { allowed_paths: [] }, 'deny'],
  ['tests/a.js', { restricted_paths: ['tests'] }, 'deny'],
  ['src/tests/a.js', { restricted_paths: ['tests'] }, 'allow'],
  ...['*', '**', '.', './', '/', '**/*', './**/*'].map((all): [string, Partial<Member>, string] => [
    'src/a.js',
    { allowed_paths: ['src/'], restricted_paths: [all] },
    'deny',
  ]),
  ['src/keys.js', { allowed_paths: ['src/'], restricted_paths: ['src/keys.js'] }, 'deny'],
])('writing `%s` as %j is %s', (path, member, verdict) => {
  expect(verdictOf(write(path), member)).toBe(verdict);
});

it('leaves commands nothing to write where everything is restricted', () => {
  expect(agentPermissions({ ...BEA, restricted_paths: ['.'] }, {})).toMatchObject({ writable: [] });
});

it.each<[string, JsonObject, Action, string]>([
  ['writes are asked about', { auto_approve_workspace_writes: false }, write('a'), 'ask'],
  ['writes are not asked about', { auto_approve_workspace_writes: true }, write('a'), 'allow'],
  ['commands are asked about', { auto_approve_safe_commands: false }, run('npm', 'test'), 'ask'],
  ['commands are not asked about', { auto_approve_safe_commands: true }, run('npm', 'test'), 'allow'],
  ['what is denied stays denied', { auto_approve_safe_commands: false }, run('sudo', 'ls'), 'deny'],
  ['the network is closed', {}, run('curl', 'https://example.org'), 'deny'],
  ['the network is open', { allow_network: true }, run('curl', 'https://example.org'), 'allow'],
])('permissions of a spec: %s', (_what, permissions, action, verdict) => {
  expect(verdictOf(action, {}, permissions)).toBe(verdict);
});

it('a spec says after how many denials a person is asked, and may close the network that perdure.yml opens', () => {
  expect(agentPermissions(BEA, { permissions: { escalation_threshold: 7, allow_network: false } })).toMatchObject({
    escalate_after: 7,
    network: false,
  });
});
