import { callOfRemote } from '../../plan/tools/mcp-server.js';
import { subjectOf } from '../../plan/tools/permission.js';
import type { RemoteTool, Tool } from '../../plan/tools/tool.js';
import { matchesPattern } from '../../plan/values/wildcard.js';
import type { AuthoredPermissions } from '../formats/permissions.js';
import { didYouMean } from '../problems/did-you-mean.js';
import type { Place, Report } from '../problems/problem.js';
import type { MissingRemote } from './server-tools.js';

/**
 * Warns of patterns of `deny` and `ask` for a server that these tools are of, and which fit none of what that server
 * has: nothing is held back by them. A server that was not asked yet has said nothing.
 */
export function warnOfStray(
  said: AuthoredPermissions[],
  tools: Iterable<Tool>,
  { findRemote, report }: { findRemote: (name: string) => RemoteTool[] | MissingRemote | null; report: Report },
  at: Place,
): void {
  const patterns = new Set(said.flatMap(({ deny = [], ask = [] }) => [...deny, ...ask]));
  const servers = new Set([...tools].flatMap((tool) => (tool.kind === 'mcp' ? [tool.server] : [])));
  for (const server of servers) {
    const had = findRemote(`${server}__*`);
    if (!Array.isArray(had) || had.length === 0) continue;
    const subjects = had.flatMap((tool) => subjectOf(callOfRemote(tool)));
    for (const pattern of patterns) {
      if (!/^mcp:(?:mcp__)?/.test(pattern) || !pattern.replace(/^mcp:(?:mcp__)?/, '').startsWith(`${server}__`))
        continue;
      if (subjects.some((subject) => matchesPattern(pattern, subject))) continue;
      report({
        code: 'unknown-tool',
        severity: 'warning',
        at,
        message: `\`${pattern}\` of the permissions fits no tool of the server \`${server}\`, and holds nothing back.`,
        suggestion: didYouMean(
          pattern,
          had.map(({ remote }) => `mcp:${server}__${remote}`),
        ),
      });
    }
  }
}
