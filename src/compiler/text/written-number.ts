import type { Node } from './node.js';
import type { Report } from '../problems/problem.js';

/** What a number is made of; in quotes, behind a tag, it is spelled by nobody. */
const BARE = /^[\w.+-]+$/;

/** A scalar where a text is meant: numbers as they are written, `3.10` and `0755` and not `3.1` and `755`. */
export function writtenText({ value, source, start, end }: Node): string {
  const written = source.text.slice(start, end);
  return typeof value === 'number' && BARE.test(written) ? written : String(value);
}

/**
 * Warns of numbers, in a value that is handed on, whose readers see another spelling than their author: `3.10` is
 * `3.1`. Numbers that are counted or measured with read the same either way, and are none of these.
 */
export function warnOfSpelling(node: Node, report: Report): void {
  for (const item of node.items ?? []) warnOfSpelling(item, report);
  for (const { node: member } of node.members?.values() ?? []) warnOfSpelling(member, report);
  if (typeof node.value !== 'number') return;
  const written = writtenText(node);
  const value = JSON.stringify(node.value);
  if (written === value) return;
  report({
    code: 'number-spelling',
    severity: 'warning',
    at: node,
    message: `The number \`${written}\` is handed on as \`${value}\`.`,
    suggestion: `put it in quotes if it is a text; a number is written \`${value}\``,
  });
}
