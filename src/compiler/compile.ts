import { basename, join, relative, resolve, sep } from 'node:path';
import type { Autonomy } from '../plan/gates/autonomy.js';
import type { Permissions } from '../plan/tools/permission.js';
import { isBelow } from '../plan/tools/permission.js';
import type { Plan } from '../plan/plan.js';
import type { RemoteTool } from '../plan/tools/tool.js';
import type { Hash } from '../plan/values/value.js';
import { shippedPermissions } from './agents/permissions.js';
import { autonomyIn } from './formats/autonomy.js';
import { generatedRules } from './project/generated-rules.js';
import type { Config } from './project/config.js';
import { startedFiles } from './project/started-files.js';
import { createDevices } from './project/devices.js';
import { warnOfNearModels } from './project/near-models.js';
import { checkNesting, DEFAULT_MAX_DEPTH } from './workflow/cycles.js';
import type { Texts } from './hash.js';
import { inputPathsOf } from './inputs/input-paths.js';
import { createLoader } from './load.js';
import type { Definition, Loader } from './load.js';
import type { Node } from './text/node.js';
import { memberOf } from './text/node.js';
import type { Problem, Report } from './problems/problem.js';
import { createReport, hasErrors, sortProblems } from './problems/problem.js';
import type { Project } from './project/project.js';
import { kindOf, pathsInside } from './text/disk.js';
import type { Resolver } from './project/resolve.js';
import type { ServerListings } from './agents/server-tools.js';
import { createResolver } from './project/resolve.js';
import { neighbour } from './text/read-source.js';
import type { Source } from './problems/source.js';
import { createSource, displayName } from './problems/source.js';
import { createStepMemo } from './workflow/step-memo.js';
import { createPlanner } from './planner.js';
import type { FollowTools } from './triggers/compile-follow.js';
import type { Triggers } from './triggers/compile-triggers.js';
import type { UnattendedTools } from './triggers/check-gates.js';
import { checkUnattended } from './triggers/check-gates.js';
import { compileTriggers } from './triggers/compile-triggers.js';

export interface CompileOptions {
  /** A path, relative to `cwd` or absolute, or the name of a workflow or an agent. */
  file: string;
  cwd: string;
  project: Project;
  config: Config;
  /** Names of inputs that it is given: `takenInputs` says which it takes that it does not use. */
  given?: readonly string[];
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
  /** What starts runs of it by itself. */
  triggers: Triggers;
  problems: Problem[];
  /** The texts that problems point into, by the problems' `file`. */
  sources: Map<string, string>;
  /**
   * Paths from the project's root that agents of its runs must not write, and which no rule protects: files that it was
   * compiled from, where what they name was looked for, and what the project's settings start.
   */
  kept: string[];
}

/** Compiles one definition and all it reaches into a closed Plan. Never throws for what a person wrote. */
export function compileDefinition(options: CompileOptions): Compiled {
  const compiler = createCompiler(options);
  const file = compiler.find(options.file);
  const plan = compiler.compile(manifestIn(file), options.given);
  const problems = sortProblems(compiler.problems);
  const sound = hasErrors(problems) ? null : plan;
  return {
    file,
    plan: sound,
    inputPaths: sound === null ? {} : inputPathsOf(sound),
    texts: compiler.texts,
    triggers: compiler.triggers.get(manifestIn(file)) ?? {},
    problems,
    sources: compiler.sources,
    kept: keptOf(compiler, options),
  };
}

function keptOf({ sources, used }: Compiler, { cwd, project, config, made }: CompileOptions): string[] {
  const files = [...sources.keys()].map((name) => resolve(cwd, name)).filter((file) => made?.texts.has(file) !== true);
  const { protected: always = [] } = shippedPermissions();
  const paths = [...pathsInside([...files, ...used], project.root), ...startedFiles(config, project.root)];
  return [...new Set(paths)].filter((path) => !isBelow(path, always)).sort();
}

/** A folder with a manifest is the project that it describes. */
function manifestIn(path: string): string {
  const manifest = join(path, 'project.json');
  return kindOf(path) === 'folder' && kindOf(manifest) === 'file' ? manifest : path;
}

/** How a file is compiled again and again while it is being written. */
export interface Editing {
  /** The file. */
  file: string;
  /** Its document, as far as it need not be read anew. */
  parse: (source: Source, report: Report) => Node | null | undefined;
}

/** Compiles several definitions with one set of caches: each file is read once. */
export interface Compiler {
  problems: Problem[];
  report: Report;
  sources: Map<string, string>;
  texts: Texts;
  /** Where what definitions name was looked for, by absolute path. */
  used: ReadonlySet<string>;
  /** What starts runs of the compiled definitions by itself, by absolute path. */
  triggers: Map<string, Triggers>;
  /** The absolute path of what a person named. */
  find: (file: string) => string;
  compile: (absolute: string, given?: readonly string[]) => Plan | null;
  /**
   * Finds the problems of a file, and gives it as it is read; unlike `compile` it takes what cannot be run by itself.
   */
  check: (absolute: string) => Definition | null;
  /** Begins anew with one file, whose text has changed: its problems are all that there are then. */
  recheck: (absolute: string) => Definition | null;
}

/** A compiler that reads each file once, however many definitions use it; its problems add up. */
export function createCompiler({
  cwd,
  project,
  config,
  made,
  listings = { listed: new Map(), wanted: new Set() },
  editing,
}: Omit<CompileOptions, 'file'> & { editing?: Editing }): Compiler {
  const { problems, report, record, clear } = createReport();
  const aliases = Object.keys(config.models?.aliases ?? {});
  const loader = createLoader(cwd, report, made?.texts, {
    record,
    ...editing,
    inspect: (definition) => warnOfNearModels(definition, aliases, report),
  });
  const resolver = createResolver(project, made);
  const texts: Texts = editing === undefined ? new Map<Hash, string>() : new NoTexts<Hash, string>();
  const planOf = createPlanner({
    loader,
    resolver,
    report,
    record,
    memo: editing === undefined ? undefined : createStepMemo(editing.file, { report, record }),
    texts,
    madeTools: made?.tools ?? [],
    madeFiles: new Set(made?.texts.keys()),
    within: made?.within ?? [],
    devices: createDevices(project, config),
    builds: config.builds,
    generated: generatedRules(config),
    root: project.root,
    cwd: folderFrom(project.root, cwd),
    permissions: config.permissions,
    folder: config.agents?.generated_agents_dir,
    search: config.search,
    servers: { servers: config.mcp ?? {}, listings, texts, held: made?.remotes },
  });

  const triggers = new Map<string, Triggers>();
  const takeTriggers = createTriggers(triggers, { report, texts, loader, resolver, config });
  /** Names that a person wrote and that mean no one file: what is told of each. */
  const unknown = new Map<string, NoFile>();
  const find = (file: string): string => {
    const absolute = resolve(cwd, file);
    if (kindOf(absolute) !== 'missing' || /[./\\]/.test(file)) return absolute;
    const hints: string[] = [];
    for (const found of [resolver.workflow(file, absolute), resolver.agent(file, absolute)]) {
      if ('entry' in found) return found.entry.file;
      if (found.isAmbiguous === true) {
        unknown.set(absolute, { message: found.missing, suggestion: found.suggestion });
        return absolute;
      }
      if (found.suggestion !== null) hints.push(found.suggestion);
    }
    unknown.set(absolute, {
      suggestion: hints.find((hint) => hint.startsWith('did you mean')) ?? neighbour(absolute) ?? hints[0] ?? null,
    });
    return absolute;
  };

  const loadNamed = (absolute: string): Definition | null => {
    const named = unknown.get(absolute);
    if (named === undefined) return loader.load(absolute);
    reportNamed(named, createSource(absolute, displayName(cwd, absolute), ''), report);
    return null;
  };

  const compile = (absolute: string, given?: readonly string[]): Plan | null => {
    const definition = loadNamed(absolute);
    if (definition === null) return null;
    checkNesting(
      definition,
      (from) => nestingsOf(from, loader, resolver),
      config.workflows?.max_depth ?? DEFAULT_MAX_DEPTH,
      report,
    );
    checkTwin(definition, resolver, report);
    const plan = planOf(definition, given);
    takeTriggers(definition, plan, absolute);
    return plan;
  };

  const check = (absolute: string): Definition | null => {
    const definition = loadNamed(absolute);
    if (definition?.format !== 'tool') compile(absolute);
    else checkTwin(definition, resolver, report);
    return definition;
  };

  const recheck = (absolute: string): Definition | null => {
    clear();
    loader.forget(absolute);
    return check(absolute);
  };

  const { used } = resolver;
  return { problems, report, sources: loader.sources, texts, used, triggers, find, compile, check, recheck };
}

/** Why a name is that of no one file: `message` where it is that of several. */
interface NoFile {
  message?: string;
  suggestion: string | null;
}

function reportNamed({ message, suggestion }: NoFile, source: Source, report: Report): void {
  report({
    code: message === undefined ? 'unknown-workflow' : 'duplicate-name',
    at: { source, path: '', start: 0, end: 1 },
    message: message ?? `There is no definition and no file \`${source.file}\`.`,
    suggestion,
  });
}

/** Keeps no text: where only problems are asked for, nobody submits the Plan. */
class NoTexts<K, V> extends Map<K, V> {
  override set(): this {
    return this;
  }
}

/** A folder as a path from the project's root: `decks`, `../elsewhere`; empty for the root itself. */
function folderFrom(root: string, folder: string): string {
  return relative(root, folder).split(sep).join('/');
}

/** Compiles what starts runs of a definition by itself, and looks whether such runs would wait for people. */
function createTriggers(
  triggers: Map<string, Triggers>,
  tools: { report: Report; texts: Texts; loader: Loader; resolver: Resolver; config: Config },
): (definition: Definition, plan: Plan | null, absolute: string) => void {
  const { report, texts, loader, resolver, config } = tools;
  const unattended = { report, policies: policiesOf(config), nestedIn: nestedFrom(loader, resolver) };
  const named = namedFrom(loader, resolver, report);
  return (definition, plan, absolute) => {
    if (definition.format !== 'workflow') return;
    const found = compileTriggers(definition, plan, { report, texts, named });
    triggers.set(absolute, found);
    if (plan !== null && Object.keys(found).length > 0) checkUnattended(definition, plan, unattended);
  };
}

/** What the project says of when steps wait for a person. */
function policiesOf(config: Config): Autonomy[] {
  const autonomy = autonomyIn(config.autonomy);
  return autonomy === undefined ? [] : [autonomy];
}

function nestedFrom(loader: Loader, resolver: Resolver): UnattendedTools['nestedIn'] {
  return (from, at) => {
    const found = typeof at.value === 'string' ? resolver.workflow(at.value, from.file) : null;
    return found !== null && 'entry' in found ? loader.load(found.entry.file) : null;
  };
}

function namedFrom(loader: Loader, resolver: Resolver, report: Report): FollowTools['named'] {
  return (from, at, isTold) => {
    if (typeof at.value !== 'string') return null;
    const found = resolver.workflow(at.value, from.file);
    if ('entry' in found) return loader.load(found.entry.file);
    const { missing: message, suggestion } = found;
    if (isTold) report({ code: 'unknown-workflow', at, message, suggestion });
    return null;
  };
}

function nestingsOf(from: Definition, loader: Loader, resolver: Resolver) {
  if (from.format !== 'workflow') return [];
  return nestedBelow(from.node).flatMap((at) => {
    const definition = nestedFrom(loader, resolver)(from, at);
    return definition === null ? [] : [{ at, definition }];
  });
}

/** What each step has found before: while a file is being written most steps stay the same nodes. */
const nested = new WeakMap<Node, Node[]>();

/** The `workflow` of every step of a workflow, or of a step's body, at any depth. */
function nestedBelow(node: Node): Node[] {
  const own = ['steps', 'finally'].flatMap((key) => memberOf(node, key)?.items ?? []);
  return own.flatMap((step) => {
    let known = nested.get(step);
    if (known === undefined) {
      const at = memberOf(step, 'workflow');
      nested.set(step, (known = [...(at === null ? [] : [at]), ...nestedBelow(step)]));
    }
    return known;
  });
}

function checkTwin(definition: Definition, resolver: Resolver, report: Report): void {
  const twin = resolver.twinOf(definition.file, definition.name);
  if (twin === null) return;
  const at = memberOf(definition.node, 'name') ?? definition.node;
  report({
    code: 'duplicate-name',
    at,
    message: `\`${basename(twin.file)}\` in this folder has the name \`${twin.name}\` already.`,
    suggestion: 'names are unique, whatever the case',
  });
}
