import { resolve } from 'node:path';
import type { Plan } from '../plan/plan.js';
import type { Hash } from '../plan/value.js';
import type { AgentDefinition } from './compile-agent.js';
import { createAgentCompiler } from './compile-agent.js';
import { compileAgentAlone } from './compile-agent-alone.js';
import type { Shared, WorkflowDefinition } from './compile-workflow.js';
import { compileWorkflow } from './compile-workflow.js';
import type { Config } from './config.js';
import { checkNesting } from './cycles.js';
import type { Texts } from './hash.js';
import { inputPathsOf } from './input-paths.js';
import { createLoader } from './load.js';
import type { Definition, Loader } from './load.js';
import { memberOf } from './node.js';
import type { Problem, Report } from './problem.js';
import { createReport, hasErrors, sortProblems } from './problem.js';
import type { Project } from './project.js';
import { kindOf } from './read.js';
import type { Resolver } from './resolve.js';
import { createResolver, isBuiltInName } from './resolve.js';

/** The nesting that seed 003 allows where nobody says otherwise. */
const DEFAULT_MAX_DEPTH = 5;

export interface CompileOptions {
  /** A path, relative to `cwd` or absolute, or the name of a workflow or an agent. */
  file: string;
  cwd: string;
  project: Project;
  config: Config;
}

export interface Compiled {
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
  const plan = compiler.compile(compiler.find(options.file));
  const problems = sortProblems(compiler.problems);
  const sound = hasErrors(problems) ? null : plan;
  return { plan: sound, inputPaths: sound === null ? {} : inputPathsOf(sound), texts: compiler.texts, problems, sources: compiler.sources };
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
}

/** A compiler that reads each file once, however many definitions use it; its problems add up. */
export function createCompiler({ cwd, project, config }: Omit<CompileOptions, 'file'>): Compiler {
  const { problems, report } = createReport();
  const loader = createLoader(cwd, report);
  const resolver = createResolver(project);
  const texts: Texts = new Map();
  const planOf = createPlanner({ loader, resolver, report, texts });

  const find = (file: string): string => {
    const absolute = resolve(cwd, file);
    if (kindOf(absolute) !== 'missing' || /[./\\]/.test(file)) return absolute;
    for (const found of [resolver.workflow(file, absolute), resolver.agent(file, absolute)]) if ('entry' in found) return found.entry.file;
    return absolute;
  };

  const compile = (absolute: string): Plan | null => {
    const definition = loader.load(absolute);
    if (definition === null) return null;
    checkNesting(definition, (from) => nestingsOf(from, loader, resolver), config.workflows?.max_depth ?? DEFAULT_MAX_DEPTH, report);
    checkTwin(definition, resolver, report);
    return planOf(definition);
  };

  return { problems, report, sources: loader.sources, texts, find, compile };
}

function nestingsOf(from: Definition, loader: Loader, resolver: Resolver) {
  if (from.format !== 'workflow') return [];
  return (memberOf(from.node, 'steps')?.items ?? []).flatMap((step) => {
    const at = memberOf(step, 'workflow');
    const found = typeof at?.value === 'string' ? resolver.workflow(at.value, from.file) : null;
    const definition = found !== null && 'entry' in found ? loader.load(found.entry.file) : null;
    return at === null || definition === null ? [] : [{ at, definition }];
  });
}

function checkTwin(definition: Definition, resolver: Resolver, report: Report): void {
  const twin = resolver.twinOf(definition.file, definition.name);
  if (twin === null) return;
  const at = memberOf(definition.node, 'name') ?? definition.node;
  report({ code: 'duplicate-name', at, message: `Another file of this folder has the name \`${twin.name}\` already.`, suggestion: 'names are unique, whatever the case' });
}

interface Tools {
  loader: Loader;
  resolver: Resolver;
  report: Report;
  texts: Texts;
}

/** Plans by definition; a workflow that is being compiled already has no Plan yet, and the cycle was reported. */
function createPlanner({ loader, resolver, report, texts }: Tools): (definition: Definition) => Plan | null {
  const plans = new Map<Definition, Plan | null>();

  const planOf = (definition: Definition): Plan | null => {
    const known = plans.get(definition);
    if (known !== undefined) return known;
    plans.set(definition, null);
    const plan = definition.format === 'workflow' ? compileWorkflow(definition, shared) : compileAgentAlone(definition, shared);
    plans.set(definition, plan);
    return plan;
  };

  const shared: Shared = {
    report,
    texts,
    compileAgent: createAgentCompiler({ report, texts }),
    findAgent: (name, from, at) => {
      const found = resolver.agent(name, from.file);
      if ('missing' in found) {
        report({ code: 'unknown-agent', at, message: found.missing, suggestion: found.suggestion });
        return null;
      }
      const definition = loader.load(found.entry.file);
      if (definition?.format === 'workflow') report({ code: 'unknown-agent', at, message: `\`${name}\` is a workflow.`, suggestion: `write \`workflow: ${name}\`` });
      if (definition?.format !== 'agent') return null;
      if (!found.entry.builtIn) warnOfShadow(definition, report);
      return definition;
    },
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

function warnOfShadow(definition: AgentDefinition, report: Report): void {
  if (!isBuiltInName(definition.name)) return;
  const at = memberOf(definition.node, 'name') ?? definition.node;
  report({ code: 'shadows-builtin', severity: 'warning', at, message: `This file is used in place of the built-in agent \`${definition.name}\`.` });
}
