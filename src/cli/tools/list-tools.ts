import { relative } from 'node:path';
import { handlerOf } from '../../activities/tools/handlers.js';
import type { ServerListings } from '../../compiler/agents/server-tools.js';
import { serverTools } from '../../compiler/agents/server-tools.js';
import { createLoader } from '../../compiler/load.js';
import type { Problem } from '../../compiler/problems/problem.js';
import { createReport } from '../../compiler/problems/problem.js';
import type { Twins } from '../../compiler/project/resolve.js';
import { createResolver } from '../../compiler/project/resolve.js';
import { BUILTIN_TOOLS, MAKERS } from '../../plan/tools/tool.js';
import type { Workspace } from '../session.js';
import { askServers } from '../submit/ask-servers.js';
import type { Terminal } from '../terminal.js';

/** A tool that definitions of this project may name. */
export interface ListedTool {
  name: string;
  /** Who has it: `builtin`, a `tool.yml` of the project, or an MCP server of `perdure.yml`. */
  source: 'builtin' | 'native' | 'mcp';
  description: string | null;
  /** Of a `tool.yml`, from the current folder; absent where two files define it. */
  file?: string;
}

export interface ToolList {
  tools: ListedTool[];
  /** What is told of names that several files have. */
  taken: Twins[];
  problems: Problem[];
  sources: Map<string, string>;
}

/**
 * Every tool that may be named here; with `ask` those of MCP servers one by one, which starts them, else each server by
 * its pattern.
 */
export async function listTools(
  workspace: Workspace,
  { ask }: { ask: boolean },
  terminal: Terminal,
): Promise<ToolList> {
  const { problems, report } = createReport();
  const loader = createLoader(terminal.cwd, report);
  const resolver = createResolver(workspace.project);
  const taken: Twins[] = [];
  const written = resolver.tools().flatMap((name): ListedTool[] => {
    const found = resolver.tool(name, `${workspace.project.root}/any`);
    if (!('entry' in found)) {
      taken.push(found);
      return [{ name, source: 'native', description: null }];
    }
    const definition = loader.load(found.entry.file);
    return [
      {
        name,
        source: 'native',
        description: definition?.format === 'tool' ? definition.authored.description : null,
        file: relative(terminal.cwd, found.entry.file),
      },
    ];
  });
  const served = ask
    ? await toolsOfServers(workspace, terminal)
    : Object.keys(workspace.config.mcp ?? {}).map((server): ListedTool => ({
        name: `${server}__*`,
        source: 'mcp',
        description: null,
      }));
  return { tools: [...(await ownTools()), ...written, ...served], taken, problems, sources: loader.sources };
}

async function ownTools(): Promise<ListedTool[]> {
  const all = [
    ...BUILTIN_TOOLS.map((name) => ({ kind: 'builtin' as const, name })),
    ...MAKERS.map((name) => ({ kind: 'maker' as const, name })),
  ];
  // What they are told to be is in none of their Plans' texts.
  const nowhere = { getText: () => Promise.reject(new Error('A built-in tool has its description with it.')) };
  return Promise.all(
    all.map(async (tool): Promise<ListedTool> => ({
      name: tool.name,
      source: 'builtin',
      description: (await handlerOf(tool).spec(tool, nowhere)).description,
    })),
  );
}

async function toolsOfServers(workspace: Workspace, terminal: Terminal): Promise<ListedTool[]> {
  const servers = workspace.config.mcp ?? {};
  const listings: ServerListings = {
    listed: await askServers(Object.keys(servers), workspace, terminal),
    wanted: new Set(),
  };
  return Object.keys(servers).flatMap((server) => {
    const texts = new Map<`sha256:${string}`, string>();
    const found = serverTools(`${server}__*`, { servers, listings, texts });
    if (!Array.isArray(found)) return [];
    return found.map(({ name, description }): ListedTool => ({
      name,
      source: 'mcp',
      description: typeof description === 'string' ? description : (texts.get(description.text) ?? null),
    }));
  });
}
