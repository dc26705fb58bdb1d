import type { Node } from '../../text/node.js';
import { keyOf, memberOf } from '../../text/node.js';
import type { Place, Report } from '../../problems/problem.js';
import { deviceNameNode } from './target-device.js';

/** Warns of boards that nothing is written to, of none where some are meant, and of checks before no deployment. */
export function warnOfUnreached(node: Node, report: Report): void {
  const warn = (place: Place, message: string): void =>
    report({ code: 'unsupported-key', severity: 'warning', at: place, message });
  const target = inner(node, 'deployment', 'target');
  const type = inner(node, 'nugget', 'type') ?? memberOf(node, 'type');
  const isForBoards = type?.value === 'hardware' || ['esp32', 'both'].includes(String(target?.value));
  const isNamed = itemsOf(node, 'devices').some((device) => deviceNameNode(device) !== null);
  if (isNamed && !isForBoards)
    warn(
      keyOf(node, 'devices'),
      '`devices`: nothing is compiled or flashed without `type: hardware` or a `target` of boards.',
    );
  if (isForBoards && !isNamed && target?.value !== 'esp32')
    warn(target ?? type ?? node, 'No board is named under `devices`: nothing is compiled or flashed.');
  if (!(isForBoards && isNamed)) warnOfChecks(node, target, warn);
}

function warnOfChecks(node: Node, target: Node | null, warn: (place: Place, message: string) => void): void {
  if ((target?.value ?? 'preview') !== 'preview') return;
  for (const rule of checksIn(node))
    warn(keyOf(rule, 'trigger'), 'The target `preview` deploys nothing: nobody is asked whether this rule holds.');
}

function checksIn(node: Node): Node[] {
  return itemsOf(node, 'rules').filter((rule) => memberOf(rule, 'trigger')?.value === 'before_deploy');
}

function itemsOf(node: Node, key: string): readonly Node[] {
  return memberOf(node, key)?.items ?? [];
}

function inner(node: Node, key: string, below: string): Node | null {
  const holder = memberOf(node, key);
  return holder && memberOf(holder, below);
}
