import { dirname, extname, join, posix, resolve } from 'node:path';
import type { Permissions } from '../plan/tools/permission.js';
import type { Plan } from '../plan/plan.js';
import type { RemoteTool } from '../plan/tools/tool.js';
import type { Hash } from '../plan/values/value.js';
import type { ToolSource } from './agents/agent-uses.js';
import type { AgentDefinition } from './agents/agent-definition.js';
import { createAgentCompiler } from './agents/compile-agent.js';
import { compileFlow } from './flow/compile-flow.js';
import { compileBuild } from './builds/compile-build.js';
import { compileProject } from './builds/compile-project.js';
import { compileChain } from './chains/compile-chain.js';
import { compileAgentAlone } from './workflow/compile-agent-alone.js';
import type { Shared, WorkflowDefinition } from './workflow/compile-workflow.js';
import { compileWorkflow } from './workflow/compile-workflow.js';
import { generatedRules } from './project/generated-rules.js';
import type { Config } from './project/config.js';
import { createDevices, toDeviceRef } from './project/devices.js';
import { checkNesting, DEFAULT_MAX_DEPTH } from './workflow/cycles.js';
import type { Texts } from './hash.js';
import { inputPathsOf } from './inputs/input-paths.js';
import { createLoader } from './load.js';
import type { Definition, Loader } from './load.js';
import type { Node } from './text/node.js';
import { memberOf, startOf } from './text/node.js';
import type { Problem, Report } from './problems/problem.js';
import { createReport, hasErrors, sortProblems } from './problems/problem.js';
import type { Project } from './project/project.js';
import { kindOf, listFolder } from './text/disk.js';
import type { Resolution, Resolver } from './project/resolve.js';
import type { ServerListings, ServerSource } from './agents/server-tools.js';
import { serverTools } from './agents/server-tools.js';
import { createResolver, isBuiltInName, isTemporaryAgent } from './project/resolve.js';
import { neighbour } from './text/read-source.js';
import { createSource, displayName, stemOf } from './problems/source.js';
import type { ToolsetScope } from './agents/toolsets.js';
import { checkToolsets } from './agents/toolsets.js';
import { createToolFinder } from './agents/step-tools.js';
import { toDefinedTool } from './agents/tool-files.js';

/** The nesting that is allowed where nobody says otherwise. */

export interface CompileOptions {
  /** A path, relative to `cwd` or absolute, or the name of a workflow or an agent. */
  file: string;
  cwd: string;
  project: Project;
  config: Config;
  /**
   * Definitions that are no files: their texts by absolute path, which of them are agents and tools that may be named,
   * what bounds all that these may do, and in the middle of a run the tools of MCP servers that there are.
   */
  made?: {
    texts: Map<string, string>;
    agents: string[];
    tools?: string[];
    own?: boolean;
    within?: Permissions[];
    remotes?: RemoteTool[];
  };
  /** What MCP servers said of their tools; servers that were not asked are added to `wanted`. */
  listings?: ServerListings;
}

export interface Compiled {
  /** The absolute path of what was compiled, also where it was given by its name. */
  file: string;
  /** Null exactly when a problem is an error. */
  plan: Plan | null;
  /** Which steps need each input, by path: `serve-customers/0`. */
  inputPaths: Record<string, string[]>;
  /** Texts that the Plan names by hash; the submitter stores them. */
  texts: Map<Hash, string>;
  problems: Problem[];
  /** The texts that problems point into, by the problems' `file`. */
  sources: Map<string, string>;
}

/** Compiles one definition and all it reaches into a closed Plan. Never throws for what a person wrote. */
export function compileDefinition(options: CompileOptions): Compiled {
  const compiler = createCompiler(options);
  const file = compiler.find(options.file);
  const plan = compiler.compile(manifestIn(file));
  const problems = sortProblems(compiler.problems);
  const sound = hasErrors(problems) ? null : plan;
  return {
    file,
    plan: sound,
    inputPaths: sound === null ? {} : inputPathsOf(sound),
    texts: compiler.texts,
    problems,
    sources: compiler.sources,
  };
}

/** A folder with a manifest is the project that it describes. */
function manifestIn(path: string): string {
  const manifest = join(path, 'project.json');
  return kindOf(path) === 'folder' && kindOf(manifest) === 'file' ? manifest : path;
}

/** Compiles several definitions with one set of caches: each file is read once. */
export interface Compiler {
  problems: Problem[];
  report: Report;
  sources: Map<string, string>;
  texts: Texts;
  /** The absolute path of what a person named. */
  find: (file: string) => string;
  compile: (absolute: string) => Plan | null;
  /**
   * Finds the problems of a file, and gives it as it is read; unlike `compile` it takes what cannot be run by itself.
   */
  check: (absolute: string) => Definition | null;
}

/** A compiler that reads each file once, however many definitions use it; its problems add up. */
export function createCompiler({
  cwd,
  project,
  config,
  made,
  listings = { listed: new Map(), wanted: new Set() },
}: Omit<CompileOptions, 'file'>): Compiler {
  const { problems, report } = createReport();
  const loader = createLoader(cwd, report, made?.texts);
  const resolver = createResolver(project, made);
  const texts: Texts = new Map();
  const planOf = createPlanner({
    loader,
    resolver,
    report,
    texts,
    madeTools: made?.tools ?? [],
    within: made?.within ?? [],
    devices: createDevices(project, config),
    generated: generatedRules(config),
    root: project.root,
    permissions: config.permissions,
    folder: config.agents?.generated_agents_dir,
    search: config.search,
    servers: { servers: config.mcp ?? {}, listings, texts, held: made?.remotes },
  });

  /** Names that a person wrote and that mean nothing, with what may have been meant. */
  const unknown = new Map<string, string | null>();
  const find = (file: string): string => {
    const absolute = resolve(cwd, file);
    if (kindOf(absolute) !== 'missing' || /[./\\]/.test(file)) return absolute;
    const hints: string[] = [];
    for (const found of [resolver.workflow(file, absolute), resolver.agent(file, absolute)]) {
      if ('entry' in found) return found.entry.file;
      if (found.suggestion !== null) hints.push(found.suggestion);
    }
    unknown.set(
      absolute,
      hints.find((hint) => hint.startsWith('did you mean')) ?? neighbour(absolute) ?? hints[0] ?? null,
    );
    return absolute;
  };

  const loadNamed = (absolute: string): Definition | null => {
    const hint = unknown.get(absolute);
    if (hint === undefined) return loader.load(absolute);
    const source = createSource(absolute, displayName(cwd, absolute), '');
    report({
      code: 'unknown-workflow',
      at: { source, path: '', start: 0, end: 1 },
      message: `There is no definition and no file \`${source.file}\`.`,
      suggestion: hint,
    });
    return null;
  };

  const compile = (absolute: string): Plan | null => {
    const definition = loadNamed(absolute);
    if (definition === null) return null;
    checkNesting(
      definition,
      (from) => nestingsOf(from, loader, resolver),
      config.workflows?.max_depth ?? DEFAULT_MAX_DEPTH,
      report,
    );
    checkTwin(definition, resolver, report);
    return planOf(definition);
  };

  const check = (absolute: string): Definition | null => {
    const definition = loadNamed(absolute);
    if (definition?.format !== 'tool') compile(absolute);
    return definition;
  };

  return { problems, report, sources: loader.sources, texts, find, compile, check };
}

function nestingsOf(from: Definition, loader: Loader, resolver: Resolver) {
  if (from.format !== 'workflow') return [];
  return stepsBelow(from.node).flatMap((step) => {
    const at = memberOf(step, 'workflow');
    const found = typeof at?.value === 'string' ? resolver.workflow(at.value, from.file) : null;
    const definition = found !== null && 'entry' in found ? loader.load(found.entry.file) : null;
    return at === null || definition === null ? [] : [{ at, definition }];
  });
}

/** Every step of a workflow, or of a step's body, at any depth. */
function stepsBelow(node: Node): Node[] {
  const own = ['steps', 'finally'].flatMap((key) => memberOf(node, key)?.items ?? []);
  return own.flatMap((step) => [step, ...stepsBelow(step)]);
}

function checkTwin(definition: Definition, resolver: Resolver, report: Report): void {
  const twin = resolver.twinOf(definition.file, definition.name);
  if (twin === null) return;
  const at = memberOf(definition.node, 'name') ?? definition.node;
  report({
    code: 'duplicate-name',
    at,
    message: `Another file of this folder has the name \`${twin.name}\` already.`,
    suggestion: 'names are unique, whatever the case',
  });
}

interface Tools {
  generated: Shared['generated'];
  devices: ReturnType<typeof createDevices>;
  loader: Loader;
  resolver: Resolver;
  report: Report;
  texts: Texts;
  /** The project's. */
  root: string;
  permissions: Config['permissions'];
  /** `agents.generated_agents_dir`, as it was checked. */
  folder: string | undefined;
  search: Config['search'];
  servers: ServerSource;
  /** Files of tools that a client made. */
  madeTools: string[];
  /** What those may do who made what is compiled. */
  within: Permissions[];
}

/** Plans by definition; a workflow that is being compiled already has no Plan yet, and the cycle was reported. */
function createPlanner({ devices, ...tools }: Tools): (definition: Definition) => Plan | null {
  const { loader, resolver, report, texts, root, generated } = tools;
  const plans = new Map<Definition, Plan | null>();

  const planOf = (definition: Definition): Plan | null => {
    const known = plans.get(definition);
    if (known !== undefined) return known;
    plans.set(definition, null);
    const plan = compileOne(definition);
    plans.set(definition, plan);
    return plan;
  };

  const compileOne = (definition: Definition): Plan | null => {
    switch (definition.format) {
      case 'workflow':
        return compileWorkflow(definition, shared);
      case 'agent':
        if (definition.authored.toolsets !== undefined) checkToolsets(definition, looseScope(definition), report);
        if (isTemporaryAgent(definition.file) && isBuiltInName(definition.name)) refuseBuiltInName(definition.file);
        return compileAgentAlone(definition, shared);
      case 'build':
        return compileBuild(definition, shared);
      case 'project':
        return compileProject(definition, { ...shared, load: loader.load, root });
      case 'tool':
        report({
          code: 'unsupported-format',
          at: startOf(definition.node),
          message: `\`${definition.name}\` is a tool, which does nothing by itself.`,
          suggestion: 'check it with `perdure tools lint`',
        });
        return null;
      case 'chain':
        return compileChain(definition, shared);
      case 'flow':
        return compileFlow(definition, shared);
    }
  };

  /** A temporary agent would never be found under such a name: the built-in one is. Each file is told once. */
  const refused = new Set<string>();
  const refuseBuiltInName = (file: string): void => {
    const definition = refused.has(file) ? null : loader.load(file);
    refused.add(file);
    if (definition === null) return;
    const at = memberOf(definition.node, 'name') ?? definition.node;
    report({
      code: 'reserved-name',
      at,
      message: `A temporary agent may not take the name of the built-in agent \`${definition.name}\`.`,
      suggestion: 'give it another name',
    });
  };

  /** Outside a project an agent may call those beside it, and those that may be named. */
  const looseScope = ({ file }: AgentDefinition): ToolsetScope => {
    const beside = listFolder(dirname(file)).flatMap(({ name }) => (extname(name) === '.agent' ? [stemOf(name)] : []));
    return {
      agents: [...beside, ...resolver.agents().map(({ name }) => name)],
      python: false,
      generates: false,
      closed: false,
    };
  };

  const source = toolSource(tools);
  const shared: Shared = {
    report,
    texts,
    generated,
    compileAgent: createAgentCompiler(source),
    findTool: createToolFinder(source),
    findDevice: (name, at) => {
      const found = devices(name);
      if ('device' in found) return toDeviceRef(found, texts);
      report({ ...found, at });
      return null;
    },
    findAgent: (name, from, at) => {
      const found = resolver.agent(name, from.file);
      if ('missing' in found) {
        report({ code: 'unknown-agent', at, message: found.missing, suggestion: found.suggestion });
        return null;
      }
      const definition = loader.load(found.entry.file);
      if (definition?.format === 'workflow')
        report({
          code: 'unknown-agent',
          at,
          message: `\`${name}\` is a workflow.`,
          suggestion: `write \`workflow: ${name}\``,
        });
      if (definition?.format !== 'agent') return null;
      const usurper = resolver.usurper(name, from.file);
      if (usurper !== null) refuseBuiltInName(usurper.file);
      if (!found.entry.builtIn) warnOfShadow(definition, report);
      if (definition.authored.toolsets !== undefined) checkToolsets(definition, looseScope(definition), report);
      return definition;
    },
    knowsAgent: (name, from) => 'entry' in resolver.agent(name, from.file),
    findWorkflow: (name, from: WorkflowDefinition, at) => {
      const found = resolver.workflow(name, from.file);
      if ('missing' in found) {
        report({ code: 'unknown-workflow', at, message: found.missing, suggestion: found.suggestion });
        return null;
      }
      const definition = loader.load(found.entry.file);
      return definition && planOf(definition);
    },
  };

  return planOf;
}

/** Where agents' tools are looked up: nothing is reported here, for a name may be another thing as well. */
function toolSource({
  loader,
  resolver,
  report,
  texts,
  root,
  permissions,
  within,
  generated,
  search,
  folder,
  servers,
  madeTools,
}: Omit<Tools, 'devices'>): ToolSource {
  const loaded = <F extends Definition['format']>(
    found: Resolution,
    format: F,
  ): (Definition & { format: F }) | null => {
    const definition = 'entry' in found ? loader.load(found.entry.file) : null;
    return definition?.format === format ? (definition as Definition & { format: F }) : null; // the format was compared
  };
  return {
    report,
    texts,
    permissions,
    within,
    generated,
    ...(search === undefined ? {} : { search: { url: search.url, headers: search.headers ?? {} } }),
    folder: folder === undefined ? undefined : posix.normalize(folder).replace(/\/$/, ''),
    findRemote: (name) => serverTools(name, servers),
    toolNames: resolver.tools,
    findTool: (name, from) => {
      const found = resolver.tool(name, from.file);
      const definition = loaded(found, 'tool');
      if (definition === null) return 'entry' in found ? 'faulty' : null;
      return toDefinedTool(definition, { root, texts, isMade: madeTools.includes(definition.file) });
    },
    findAgent: (name, from) => {
      const beside = join(dirname(from.file), `${name}.agent`);
      const isBeside = extname(from.file) === '.agent' && kindOf(beside) === 'file';
      return loaded(
        isBeside ? { entry: { name, file: beside, builtIn: false } } : resolver.agent(name, from.file),
        'agent',
      );
    },
  };
}

function warnOfShadow(definition: AgentDefinition, report: Report): void {
  if (!isBuiltInName(definition.name)) return;
  const at = memberOf(definition.node, 'name') ?? definition.node;
  report({
    code: 'shadows-builtin',
    severity: 'warning',
    at,
    message: `This file is used in place of the built-in agent \`${definition.name}\`.`,
  });
}
