import { dirname, extname, join, posix, relative } from 'node:path';
import type { ToolSource } from './agents/agent-uses.js';
import type { Permissions } from '../plan/tools/permission.js';
import type { ServerSource } from './agents/server-tools.js';
import type { Texts } from './hash.js';
import type { Definition, Loader } from './load.js';
import type { RecordFindings, Report } from './problems/problem.js';
import type { Config } from './project/config.js';
import type { Shared } from './workflow/compile-workflow.js';
import { kindOf } from './text/disk.js';
import { twinsIn } from './project/resolve.js';
import type { Resolution, Resolver } from './project/resolve.js';
import { filesOf } from './agents/hook-files.js';
import { findSkill, skillNames } from './agents/skills.js';
import { serverTools } from './agents/server-tools.js';
import { toDefinedTool } from './agents/tool-files.js';

/** Where agents may have hooks: whatever permissions say, no agent writes there. */
const HOOKED_FOLDERS = ['definitions/agents', '.glee/agents'];

/** What agents' tools are looked up with. */
export interface SourceTools {
  generated: Shared['generated'];
  loader: Loader;
  resolver: Resolver;
  report: Report;
  record: RecordFindings;
  texts: Texts;
  /** The project's. */
  root: string;
  /** The folder that a person is in, from the project's root. */
  cwd: string;
  permissions: Config['permissions'];
  /** `agents.generated_agents_dir`, as it was checked. */
  folder: string | undefined;
  search: Config['search'];
  servers: ServerSource;
  /** Files of tools that a client made. */
  madeTools: string[];
  /** Files that are texts only, which somebody made. */
  madeFiles: ReadonlySet<string>;
  /** What those may do who made what is compiled. */
  within: Permissions[];
}

/** Where agents' tools are looked up: nothing is reported here, for a name may be another thing as well. */
export function toolSource({
  loader,
  resolver,
  report,
  record,
  texts,
  root,
  cwd,
  permissions,
  within,
  generated,
  search,
  folder,
  servers,
  madeTools,
  madeFiles,
}: SourceTools): ToolSource {
  const loaded = <F extends Definition['format']>(
    found: Resolution,
    format: F,
  ): (Definition & { format: F }) | null => {
    const definition = 'entry' in found ? loader.load(found.entry.file) : null;
    return definition?.format === format ? (definition as Definition & { format: F }) : null; // the format was compared
  };
  return {
    report,
    record,
    texts,
    cwd,
    permissions,
    within,
    generated,
    ...(search === undefined ? {} : { search: { url: search.url, headers: search.headers ?? {} } }),
    folder: folder === undefined ? undefined : posix.normalize(folder).replace(/\/$/, ''),
    findRemote: (name) => serverTools(name, servers),
    toolNames: resolver.tools,
    findSkill: (name) => findSkill(name, root),
    skillNames: () => skillNames(root),
    mayHook: (file) => !madeFiles.has(file) && HOOKED_FOLDERS.includes(relative(root, dirname(file))),
    findFile: filesOf(root),
    findTool: (name, from) => {
      const found = resolver.tool(name, from.file);
      const definition = loaded(found, 'tool');
      if (definition === null) return 'entry' in found ? 'faulty' : twinsIn(found);
      return toDefinedTool(definition, { root, texts, isMade: madeTools.includes(definition.file) });
    },
    findAgent: (name, from) => {
      const beside = join(dirname(from.file), `${name}.agent`);
      const isAgentFile = extname(from.file) === '.agent';
      const found =
        isAgentFile && kindOf(beside) === 'file'
          ? { entry: { name, file: beside, builtIn: false } }
          : resolver.agent(name, from.file);
      if (isAgentFile && 'entry' in found) resolver.used.add(beside);
      return loaded(found, 'agent');
    },
    findTwins: (name, from) => twinsIn(resolver.agent(name, from.file)),
  };
}
