import { PROGRAMS } from '../../plan/agents/program.js';
import type { Finding, Report } from '../problems/problem.js';
import type { Member, Node } from '../text/node.js';
import { keyOf, memberOf, withMembers, without } from '../text/node.js';

/** Keys of `.glee/config.yml` that have another name here. */
const RENAMED: [section: string, key: string, to: [section: string, key: string]][] = [
  ['subagents', 'default_agent', ['agents', 'default']],
  ['sessions', 'expiry_days', ['sessions', 'expire_days']],
];

/** `.glee/config.yml` in our words, as far as there are any. A default agent that is no program is a warning. */
export function fromGlee(node: Node, report: Report): Node {
  return RENAMED.reduce((ours, [section, key, [toSection, toKey]]) => {
    const member = memberOf(ours, section)?.members?.get(key);
    if (member === undefined) return ours;
    const left = withoutKey(ours, section, key);
    const { value } = member.node;
    if (value === null) return left;
    if (toKey !== 'default' || PROGRAMS.some((program) => program === value))
      return withKey(left, toSection, toKey, member);
    report({
      code: 'invalid-value',
      severity: 'warning',
      at: member.node,
      message: `Expected \`default_agent\` to be one of ${PROGRAMS.join(', ')}, got another word; it is not read.`,
      suggestion: 'write `agents: {default: claude}` into perdure.yml',
    });
    return left;
  }, node);
}

/** A map without a key of one of its maps, and without that where it is empty then. */
function withoutKey(node: Node, section: string, key: string): Node {
  const members = [...(node.members ?? [])].flatMap(([name, member]): [string, Member][] => {
    if (name !== section) return [[name, member]];
    const left = without(member.node, key);
    return left.members?.size === 0 ? [] : [[name, { ...member, node: left }]];
  });
  return withMembers(node, members);
}

/** A map with a key of one of its maps. One that is there already counts. */
function withKey(node: Node, section: string, key: string, member: Member): Node {
  const known = node.members?.get(section);
  if (known !== undefined && known.node.members === null) return node;
  if (known?.node.members?.has(key) === true) return node;
  const map = known?.node ?? { ...member.key, value: {}, members: new Map(), items: null, style: null };
  const written = withMembers(map, [...(map.members ?? []), [key, member]]);
  const place = known?.key ?? keyOf(map, section);
  return withMembers(node, [
    ...[...(node.members ?? [])].filter(([name]) => name !== section),
    [section, { key: place, node: written }],
  ]);
}

/** Takes down keys that nothing here reads, and tells them all as one warning. */
export function createUnread(report: Report): { report: Report; tell: () => void } {
  const unread: Finding[] = [];
  return {
    report: (finding) => {
      if (finding.code === 'unknown-key' && finding.severity === 'warning') unread.push(finding);
      else report(finding);
    },
    tell: () => {
      const [first] = unread;
      if (first === undefined) return;
      const names = unread.map(({ at }) => `\`${at.path}\``).join(', ');
      report({
        code: 'unknown-key',
        severity: 'warning',
        at: first.at,
        message: `Perdure does not read ${names} of Glee's configuration.`,
        suggestion: 'write into perdure.yml what it should do',
      });
    },
  };
}
