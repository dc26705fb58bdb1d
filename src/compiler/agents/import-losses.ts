import type { Json } from '../../plan/values/json.js';
import { isObject } from '../../plan/values/json.js';
import { NEEDLESS, lackingTools } from '../../plan/agents/program-access.js';
import type { AuthoredAgent } from '../formats/agent/agent.js';
import { NAME_TOOLS, toolsGiver } from '../formats/agent/agent.js';
import type { DialectName } from '../formats/agent/agent-dialect.js';
import { splitTools } from '../formats/agent/agent-tools.js';
import type { AuthoredServer } from '../formats/mcp-config.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import { filesOf } from './hook-files.js';
import type { ImportedHooks } from './import-hooks.js';
import { bindHooks } from './import-hooks.js';
import { serverTools } from './server-tools.js';
import { findSkill } from './skills.js';

/** What an import could not carry over. */
export interface LostField {
  field: string;
  reason: string;
  changes_behaviour: boolean;
  /** What the person can do about it. */
  fix?: string;
}

/** What an import knows of the project that it imports to. */
export interface ImportProject {
  root: string;
  /** `mcp` of perdure.yml. */
  servers: Record<string, AuthoredServer>;
}

/** An agent as the project can have it, and what of it the project lacks. */
export interface Fitted {
  authored: AuthoredAgent;
  lost: LostField[];
  /** Tools of MCP servers are among its own: no program has them, and a model provider plays it. */
  served: boolean;
  /** Its hooks, which are not of `authored`: a person has to approve them. */
  hooks: ImportedHooks | null;
}

/** Takes from an imported agent what the project does not have: skills, MCP servers. Tools stay, and are told. */
export function fitToProject(
  { name, authored, node }: { name: string; authored: AuthoredAgent; node: Node },
  dialect: DialectName,
  { root, servers }: ImportProject,
): Fitted {
  const { skills = [], mcp = [], hooks = [], ...rest } = authored;
  const { bound, broken } = bindHooks(name, hooks, filesOf(root));
  const has = (server: string): boolean => Object.hasOwn(servers, server);
  const known = mcp.filter(has);
  const found = skills.filter((name) => isSkill(name, root));
  const tools = toolLosses(authored, dialect, servers);
  const lost = [
    ...skills.filter((name) => !found.includes(name)).map((name) => lostSkill(name)),
    ...mcp.filter((name) => !has(name)).map((name) => lostServer(name, definitionOf(node, name))),
    ...tools.lost,
    ...broken.map((reason) => lostHook(reason)),
  ];
  const fitted = {
    ...rest,
    ...(found.length === 0 ? {} : { skills: found }),
    ...(known.length === 0 ? {} : { mcp: known }),
  };
  return { authored: fitted, lost, served: known.length > 0 || tools.served, hooks: bound };
}

function isSkill(name: string, root: string): boolean {
  const skill = findSkill(name, root);
  return skill !== null && !('failure' in skill);
}

function lostSkill(name: string): LostField {
  return {
    field: 'skills',
    reason: `there is no skill \`${name}\` in this project`,
    changes_behaviour: true,
    fix: `put it into \`.claude/skills/${name}/SKILL.md\`, and write \`skills: [${name}]\` into the agent`,
  };
}

function lostHook(reason: string): LostField {
  return { field: 'hooks', reason, changes_behaviour: true, fix: 'make its file a text of at most 256 KiB' };
}

function lostServer(name: string, definition: Json): LostField {
  return {
    field: 'mcpServers',
    reason: `there is no MCP server \`${name}\` in perdure.yml`,
    changes_behaviour: true,
    fix:
      `add \`mcp: {${name}: ${serverText(definition)}}\` to perdure.yml; write \`mcp: [${name}]\` into the ` +
      'agent, and leave its `agent` out',
  };
}

/** An agent's own server, where its file defines it. */
function definitionOf(node: Node, name: string): Json {
  const written = ['mcpServers', 'mcp_servers'].map((key) => memberOf(node, key)?.value ?? null);
  const maps = written.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isObject);
  return maps.find((map) => Object.hasOwn(map, name))?.[name] ?? null;
}

/** A server as perdure.yml has it. Values of variables may be secrets: they are named, and never shown. */
function serverText(definition: Json): string {
  const { command, args, env, url, headers } = isObject(definition) ? definition : {};
  const references = (map: Json | undefined): string =>
    (map !== undefined && isObject(map) ? Object.keys(map) : [])
      .map((name) => `${JSON.stringify(name)}: "\${env.${name.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}}"`)
      .join(', ');
  const withMap = (key: string, map: Json | undefined): string =>
    references(map) === '' ? '' : `, ${key}: {${references(map)}}`;
  if (typeof url === 'string') return `{url: ${JSON.stringify(url)}${withMap('headers', headers)}}`;
  const argv = [command, ...(Array.isArray(args) ? args : [])].filter((word) => typeof word === 'string');
  return argv.length === 0 ? '{command: […]}' : `{command: ${JSON.stringify(argv)}${withMap('env', env)}}`;
}

/** Tools that nobody has here, each with what to do; and whether some are of a server that the project has. */
function toolLosses(
  authored: AuthoredAgent,
  dialect: DialectName,
  servers: ImportProject['servers'],
): { lost: LostField[]; served: boolean } {
  const lost: LostField[] = [];
  let served = false;
  const names = splitTools(authored.tools);
  for (const name of names) {
    const remote = serverTools(name, { servers, listings: { listed: new Map(), wanted: new Set() }, texts: new Map() });
    if (Array.isArray(remote)) served = true;
    else if (remote !== null)
      lost.push({
        field: 'tools',
        reason: `\`${name}\`: ${remote.missing.replace(/^There/, 'there').replace(/\.$/, '')}`,
        changes_behaviour: true,
        fix: remote.suggestion?.startsWith('did you mean')
          ? `${remote.suggestion} Else add it under \`mcp\` in perdure.yml, and leave the agent's \`agent\` out`
          : "add it under `mcp` in perdure.yml, and leave the agent's `agent` out",
      });
    else if (lackingTools([name]).length > 0 && !NEEDLESS.includes(name))
      lost.push({
        field: 'tools',
        reason: `\`${name}\`: no tool that is handed on to ${dialect}`,
        changes_behaviour: true,
        fix: 'name a tool, an agent or a `tool.yml` of this project in its place, and leave `agent` out',
      });
  }
  const giver = toolsGiver(authored, dialect);
  if (giver !== null)
    lost.push({
      field: 'tools',
      reason: `not written: ${giver} gives such an agent all tools; here it only reads`,
      changes_behaviour: true,
      fix: NAME_TOOLS,
    });
  return { lost, served };
}
