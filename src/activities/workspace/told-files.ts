import type { Permissions } from '../../plan/tools/permission.js';
import { judgeAction } from '../../plan/tools/permission.js';

/**
 * Which files agents are told the content of without having asked: those that these permissions let be read, but none
 * in whose path a name begins with a dot, which may hold secrets.
 */
export function mayBeTold(permissions: Permissions | undefined): (path: string) => boolean {
  return (path) =>
    !/(?:^|\/)\./.test(path) &&
    (permissions === undefined || judgeAction(permissions, { kind: 'read', path }).verdict === 'allow');
}
