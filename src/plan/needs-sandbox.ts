import type { Json } from './values/json.js';
import type { Permissions } from './tools/permission.js';
import { judgeAction } from './tools/permission.js';
import type { Plan } from './plan.js';
import { everyStepOf } from './plan.js';
import type { ProgramSettings } from './agents/program.js';
import type { Step, ToolStep } from './step.js';
import type { Tool } from './tools/tool.js';
import { runsPrograms } from './tools/tool.js';

/**
 * Tells whether something in a Plan is refused where there is no sandbox: an agent whose model may run more than
 * commands that read, or a step that does. Agents that a program plays bring their own. `programs`: of the run's
 * settings.
 */
export function needsSandbox(
  plan: Plan,
  { programs, rehearsal }: { programs?: ProgramSettings | undefined; rehearsal: boolean },
): boolean {
  // In a rehearsal no agent acts. Who plays the others is settled by each step's task, where programs may.
  const byModels =
    rehearsal || programs?.usual !== undefined
      ? []
      : Object.values(plan.agents).filter(({ program }) => program === null);
  const agents = byModels.some(
    ({ uses = [], permissions, hooks }) => hooks !== undefined || uses.some((tool) => needsIt(tool, permissions)),
  );
  return agents || [...everyStepOf(plan)].some((step) => step.kind === 'tool' && stepNeedsIt(step));
}

function needsIt(tool: Tool, permissions: Permissions | undefined): boolean {
  if (tool.kind === 'defined') return tool.made === true;
  return (
    tool.kind === 'builtin' &&
    runsPrograms(tool.name) &&
    (permissions?.commands ?? []).some((rule) => rule.class !== 'safe' && rule.class !== 'denied')
  );
}

/** A command that stands in the definition is known before it runs. */
function stepNeedsIt(step: Extract<Step, { kind: 'tool' }>): boolean {
  const argv = literalArgv(step);
  if (argv === null) return needsIt(step.tool, step.permissions);
  const verdict = judgeAction(step.permissions, { kind: 'command', argv, cwd: '.' });
  return verdict.verdict === 'ask' || (verdict.verdict === 'allow' && verdict.sandbox);
}

function literalArgv({ tool, inputs }: ToolStep): string[] | null {
  if (tool.kind !== 'builtin' || !runsPrograms(tool.name)) return null;
  const { argv } = inputs;
  if (argv?.kind === 'literal') return isWords(argv.value) ? argv.value : null;
  const words = argv?.kind === 'list' ? argv.items.map((item) => (item.kind === 'literal' ? item.value : null)) : null;
  return isWords(words) ? words : null;
}

function isWords(value: Json): value is string[] {
  return Array.isArray(value) && value.every((word) => typeof word === 'string');
}
