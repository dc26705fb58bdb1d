import { TOOLSET_NAMES } from '../../compiler/agents/tool-names.js';
import { loadConfig } from '../../compiler/project/config.js';
import { findProject } from '../../compiler/project/project.js';
import { createResolver } from '../../compiler/project/resolve.js';
import { withOverlay } from '../../compiler/text/disk.js';
import { SHORT_NAMES } from '../../plan/agents/model-names.js';
import { BUILTIN_TOOLS, MAKERS } from '../../plan/tools/tool.js';
import type { Documents } from './documents.js';
import { ownOf } from '../../plan/values/own.js';

/** What a project calls things by. */
export interface KnownNames {
  agents: string[];
  workflows: string[];
  /** Tools that come with Perdure, those of the project, and `server__` for those of servers. */
  tools: string[];
  toolsets: string[];
  models: string[];
  devices: string[];
  servers: string[];
}

/** The names that a file may use, as the project stands in the editor. */
export function namesFor(file: string, cwd: string, { texts }: Documents): KnownNames {
  return withOverlay({ texts }, () => {
    const project = findProject(cwd);
    const resolver = createResolver(project);
    const { config } = loadConfig(project);
    const servers = Object.keys(config.mcp ?? {});
    const agents = resolver.agents().map(({ name }) => name);
    return {
      agents,
      workflows: resolver.workflows(file).map(({ name }) => name),
      tools: [...resolver.tools(), ...BUILTIN_TOOLS, ...servers.map((server) => `${server}__`)],
      toolsets: [...TOOLSET_NAMES, ...agents],
      models: [...Object.keys(config.models?.aliases ?? {}), ...SHORT_NAMES],
      devices: Object.keys(config.devices ?? {}),
      servers,
    };
  });
}

/** What the values of some keys name. */
const NAMED: Record<string, keyof KnownNames> = {
  agent: 'agents',
  tasks: 'agents',
  workflow: 'workflows',
  tool: 'tools',
  toolsets: 'toolsets',
  model: 'models',
  modelRef: 'models',
  device: 'devices',
  mcp: 'servers',
};

/** The names that may stand under a key of a document. */
export function namesUnder(path: string[], names: KnownNames): string[] {
  const keys = path.filter((segment) => segment !== '[]');
  const key = keys.at(-1) ?? '';
  if (key === 'tools' || key === 'disallowed_tools') return [...names.tools, ...MAKERS, ...names.agents];
  if (keys.at(-2) === 'aliases' || (key === 'default' && keys.at(-2) === 'models')) return names.models;
  const named = ownOf(NAMED, key);
  return named === undefined ? [] : names[named];
}
