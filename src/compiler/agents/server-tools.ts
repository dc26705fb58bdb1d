import { canonicalJson } from '../../plan/values/json.js';
import type { ListedTool } from '../../plan/tools/mcp-server.js';
import { spelled } from '../../plan/tools/mcp-server.js';
import { matchesPattern } from '../../plan/values/wildcard.js';
import type { RemoteTool } from '../../plan/tools/tool.js';
import type { AuthoredServer } from '../formats/mcp-config.js';
import { toMcpServer } from '../formats/mcp-config.js';
import type { Texts } from '../hash.js';
import { keepText } from '../hash.js';
import { didYouMean } from '../problems/did-you-mean.js';
import { ownOf } from '../../plan/values/own.js';

/** What servers said of their tools before this compile, and the servers whose word it lacks. */
export interface ServerListings {
  listed: ReadonlyMap<string, ListedTool[]>;
  /** Filled by the compiler, which starts and asks nobody: who submits asks these, and compiles again. */
  wanted: Set<string>;
}

/** Where tools of servers are looked up. */
export interface ServerSource {
  /** `mcp` of the config. */
  servers: Record<string, AuthoredServer>;
  listings: ServerListings;
  texts: Texts;
  /**
   * Of what is made while a run runs: the tools of those who made it. No server is asked then, and nothing else is had.
   */
  held?: RemoteTool[] | undefined;
}

/** A name that is of a server's form and means none of its tools. */
export interface MissingRemote {
  missing: string;
  suggestion: string | null;
  /** A mistake also in an agent of another program: the server is known, and whoever makes the agent lacks the tool. */
  refused?: true;
}

/** What providers take as a tool's name. */
const NAME_CHARACTERS = 64;

/**
 * The tools that `server__tool` or `server__*` names, also as Claude Code (`mcp__server__tool`, `mcp__server`) and
 * Gemini (`mcp_server_tool`) write it. Null for a name that is of no server's form; none while the server was not
 * asked.
 */
export function serverTools(
  name: string,
  { servers, listings, texts, held }: ServerSource,
): RemoteTool[] | MissingRemote | null {
  const parts = partsOf(name, Object.keys(servers));
  if (parts === null) return null;
  const known = heldTools(name, held ?? []);
  if (known.length > 0) return known;
  const authored = ownOf(servers, parts.server);
  if (authored === undefined) {
    const near = didYouMean(parts.server, Object.keys(servers));
    return {
      missing: `There is no MCP server \`${parts.server}\` in perdure.yml.`,
      suggestion: near ?? 'add it under `mcp`',
    };
  }
  if (held !== undefined)
    return {
      missing: `Whoever made this has no tool \`${name}\`, and MCP servers are not asked in the middle of a run.`,
      suggestion: didYouMean(
        name,
        held.map((tool) => tool.name),
      ),
      refused: true,
    };
  const listed = listings.listed.get(parts.server);
  if (listed === undefined) {
    listings.wanted.add(parts.server);
    return [];
  }
  const found = meant(parts.tool, namesFor(parts.server, listed));
  if (found.length === 0)
    return {
      missing: `The MCP server \`${parts.server}\` has no tool \`${parts.tool}\`.`,
      suggestion: didYouMean(
        parts.tool,
        listed.map((tool) => tool.name),
      ),
    };
  const connect = keepText(canonicalJson({ ...toMcpServer(authored) }), texts);
  return found.map(({ name, remote, tool: { description, inputs, reads } }) => ({
    kind: 'mcp',
    name,
    server: parts.server,
    remote,
    description: keepText(description, texts),
    inputs: keepText(inputs, texts),
    connect,
    ...(reads ? { reads: true as const } : {}),
  }));
}

/** Those of the tools that somebody has which a name means. */
export function heldTools(name: string, held: RemoteTool[]): RemoteTool[] {
  const parts = partsOf(
    name,
    held.map(({ server }) => server),
  );
  return parts === null
    ? []
    : meant(
        parts.tool,
        held.filter(({ server }) => server === parts.server),
      );
}

/**
 * The tools that a name or a pattern means: that which the server calls so, else each that it fits in any of its names.
 */
function meant<T extends { name: string; server: string; remote: string }>(wanted: string, tools: T[]): T[] {
  const exact = tools.filter(({ remote }) => remote === wanted);
  if (exact.length > 0) return exact;
  return tools.filter(({ name, server, remote }) =>
    [remote, spelled(remote), name.slice(server.length + 2)].some((one) => matchesPattern(wanted, one)),
  );
}

/**
 * Each tool of a server with the name that it has here. Of two that providers would take for one (`notes.add` and
 * `notes_add`, or two that are the same in the letters that are left of them) the later one gets a number; the plain
 * name is that of the tool which is called so.
 */
function namesFor(
  server: string,
  listed: ListedTool[],
): { name: string; server: string; remote: string; tool: ListedTool }[] {
  const usual = (remote: string): string => `${server}__${spelled(remote)}`.slice(0, NAME_CHARACTERS);
  const isOwn = ({ name: remote }: ListedTool): boolean => usual(remote) === `${server}__${remote}`;
  const taken = new Set(listed.filter(isOwn).map(({ name: remote }) => usual(remote)));
  return listed.map((tool) => {
    let name = usual(tool.name);
    for (let number = 2; !isOwn(tool) && taken.has(name); number += 1) {
      const ending = `_${number}`;
      name = usual(tool.name).slice(0, NAME_CHARACTERS - ending.length) + ending;
    }
    taken.add(name);
    return { name, server, remote: tool.name, tool };
  });
}

function partsOf(name: string, servers: string[]): { server: string; tool: string } | null {
  const [, server, tool] = /^(?:mcp__)?([A-Za-z0-9_-]+?)__(.+)$/.exec(name) ?? [];
  if (server !== undefined && tool !== undefined && server !== 'mcp') return { server, tool };
  const [, whole] = /^mcp__([A-Za-z0-9_-]+)$/.exec(name) ?? [];
  if (whole !== undefined) return { server: whole, tool: '*' };
  const [, rest] = /^mcp_(.+)$/.exec(name) ?? [];
  if (rest === undefined) return null;
  const known = servers.find((one) => rest === one || rest.startsWith(`${one}_`));
  return known === undefined
    ? { server: rest.split('_')[0] ?? rest, tool: '*' }
    : { server: known, tool: rest.slice(known.length + 1) || '*' };
}
