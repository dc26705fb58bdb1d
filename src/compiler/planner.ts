import { dirname, extname } from 'node:path';
import type { Plan } from '../plan/plan.js';
import type { AgentDefinition } from './agents/agent-definition.js';
import { createAgentCompiler } from './agents/compile-agent.js';
import { compileFlow } from './flow/compile-flow.js';
import { compileBuild } from './builds/compile-build.js';
import { compileProject, scopeInProject } from './builds/compile-project.js';
import { manifestOf } from './builds/manifest.js';
import { compileChain } from './chains/compile-chain.js';
import { compileAgentAlone } from './workflow/compile-agent-alone.js';
import type { Shared } from './workflow/compile-workflow.js';
import { compileWorkflow } from './workflow/compile-workflow.js';
import { takenInputs } from './inputs/taken-inputs.js';
import type { Config } from './project/config.js';
import type { createDevices } from './project/devices.js';
import { toDeviceRef } from './project/devices.js';
import type { Definition } from './load.js';
import type { Kept, Report } from './problems/problem.js';
import { takeKept } from './problems/problem.js';
import type { StepMemo } from './workflow/block.js';
import { memberOf, startOf } from './text/node.js';
import { listFolder } from './text/disk.js';
import type { Resolver } from './project/resolve.js';
import { isBuiltInName, isTemporaryAgent, twinsIn } from './project/resolve.js';
import { stemOf } from './problems/source.js';
import type { ToolsetScope } from './agents/toolsets.js';
import { checkToolsets } from './agents/toolsets.js';
import { createToolFinder } from './agents/step-tools.js';
import type { SourceTools } from './tool-source.js';
import { toolSource } from './tool-source.js';

/** All that compiling a definition needs, besides the definition. */
export interface PlannerTools extends SourceTools {
  /** Steps of the file that is being written. */
  memo?: StepMemo | undefined;
  devices: ReturnType<typeof createDevices>;
  builds: Config['builds'];
}

/** The Plan of a definition, given inputs that it may not use (`takenInputs`). Null when it has problems. */
type PlanOf = (definition: Definition, given?: readonly string[]) => Plan | null;

/** Plans by definition; a workflow that is being compiled already has no Plan yet, and the cycle was reported. */
export function createPlanner(tools: PlannerTools): PlanOf {
  const { loader, report, texts, root, generated } = tools;
  const plans = new WeakMap<Definition, Kept<Plan | null>>();
  const checks = createAgentChecks(tools);

  const planOf = (definition: Definition): Plan | null => {
    const isNew = plans.get(definition) === undefined;
    if (!isNew) return takeKept(plans, definition, () => null, tools);
    plans.set(definition, { value: null, findings: [] });
    const made = tools.record(() => compileOne(definition));
    plans.set(definition, made);
    return made.value;
  };

  const planFor: PlanOf = (definition, given = []) => {
    const plan = planOf(definition);
    if (plan === null || definition.format !== 'workflow') return plan;
    const taken = takenInputs(definition.authored.inputs, plan, given);
    return taken.length === 0 ? plan : compileWorkflow(definition, shared, taken);
  };

  const compileOne = (definition: Definition): Plan | null => {
    switch (definition.format) {
      case 'workflow':
        return compileWorkflow(definition, shared);
      case 'agent':
        checks.checkSets(definition);
        if (isTemporaryAgent(definition.file) && isBuiltInName(definition.name))
          checks.refuseBuiltInName(definition.file);
        return compileAgentAlone(definition, shared);
      case 'build':
        return compileBuild(definition, { ...shared, builds: tools.builds });
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

  const source = toolSource(tools);
  const finders = createFinders(tools, checks, planFor);
  const shared: Shared = {
    report,
    texts,
    generated,
    ...(tools.memo === undefined ? {} : { memo: tools.memo }),
    compileAgent: createAgentCompiler(source, finders.findAgent),
    findTool: createToolFinder(source),
    ...finders,
  };
  return planFor;
}

/** What is checked of an agent whoever names it. */
interface AgentChecks {
  checkSets: (definition: AgentDefinition) => void;
  /** A temporary agent would never be found under such a name: the built-in one is. */
  refuseBuiltInName: (file: string) => void;
}

function createAgentChecks({ loader, resolver, report, root }: PlannerTools): AgentChecks {
  /** An agent that a manifest lists is one of its project, also where it is looked at alone. */
  const scopeAround = (definition: AgentDefinition): ToolsetScope => {
    const manifest = extname(definition.file) === '.agent' ? manifestOf(definition.file) : null;
    const project = manifest === null ? null : loader.load(manifest);
    return project?.format === 'project'
      ? scopeInProject(project, { load: loader.load, root, report })
      : scopeOutsideProject(definition, resolver);
  };
  return {
    checkSets(definition) {
      if (definition.authored.toolsets !== undefined) checkToolsets(definition, scopeAround(definition), report);
    },
    refuseBuiltInName(file) {
      const definition = loader.load(file);
      if (definition === null) return;
      report({
        code: 'reserved-name',
        at: memberOf(definition.node, 'name') ?? definition.node,
        message: `A temporary agent may not take the name of the built-in agent \`${definition.name}\`.`,
        suggestion: 'give it another name',
      });
    },
  };
}

/** Outside a project an agent may call those beside it, and those that may be named. */
function scopeOutsideProject({ file }: AgentDefinition, resolver: Resolver): ToolsetScope {
  const beside = listFolder(dirname(file)).flatMap(({ name }) => (extname(name) === '.agent' ? [stemOf(name)] : []));
  return {
    agents: [...beside, ...resolver.agents().map(({ name }) => name)],
    twins: (name) => (beside.includes(name) ? null : twinsIn(resolver.agent(name, file))),
    python: false,
    generates: false,
    closed: false,
  };
}

/** How steps find what they name; what is not there, or is of another kind, is reported where it is named. */
function createFinders(
  { devices, loader, resolver, report, texts }: PlannerTools,
  checks: AgentChecks,
  planOf: PlanOf,
): Pick<Shared, 'findDevice' | 'lookUpDevice' | 'findAgent' | 'lookUpAgent' | 'findWorkflow'> {
  return {
    lookUpDevice: devices,
    findDevice(name, at) {
      const found = devices(name);
      if ('device' in found) return toDeviceRef(found, texts);
      report({ ...found, at });
      return null;
    },
    findAgent(name, from, at) {
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
          suggestion: `a step that runs it is \`workflow: ${name}\``,
        });
      if (definition?.format !== 'agent') return null;
      const usurper = resolver.usurper(name, from.file);
      if (usurper !== null) checks.refuseBuiltInName(usurper.file);
      if (!found.entry.builtIn) warnOfShadow(definition, report);
      checks.checkSets(definition);
      return definition;
    },
    lookUpAgent: (name, from) => resolver.agent(name, from.file),
    findWorkflow(name, from, at, given) {
      const found = resolver.workflow(name, from.file);
      if ('missing' in found) {
        report({ code: 'unknown-workflow', at, message: found.missing, suggestion: found.suggestion });
        return null;
      }
      const definition = loader.load(found.entry.file);
      return definition && planOf(definition, given);
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
