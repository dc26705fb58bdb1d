import type { Plan } from '../../../plan/plan.js';
import { joinPath, segmentOf } from '../../../plan/plan.js';
import type { Agent, AgentStep, Block, CompileStep, DeviceStep, Step, ToolStep, WaitStep } from '../../../plan/step.js';
import { actorOf } from '../../../plan/references/actor.js';
import type { KnownTexts } from '../../../plan/references/title.js';
import { titleOf } from '../../../plan/references/title.js';
import { formatDuration } from '../../text/format.js';
import { leanArrows } from './plan-arrows.js';
import type { Arrow } from './arrow.js';
import { expressionText, templateText } from '../template-text.js';

/** Steps of one scope as all pictures show them, whatever format they were written in. */
export interface Picture {
  /** In source order. */
  boxes: Box[];
  /** Edges between boxes by their positions, without those that others imply. */
  arrows: Arrow[];
  /** Parallel groups, with the positions of their members. */
  groups: { name: string; members: number[] }[];
}

/** One step. Its texts are as authors and models wrote them: each renderer makes them harmless for its medium. */
export interface Box {
  /** `node-N`, counted over the whole tree in source order. */
  id: string;
  index: number;
  path: string;
  kind: Step['kind'];
  /** The step's id, else who acts. */
  name: string;
  /** Who or what acts, and with what. */
  what: string;
  /** The condition on which it runs. */
  when: string | null;
  /** For which items, or how long, its body is repeated. */
  repeats: string | null;
  /** Runs also when the run was stopped. */
  always: boolean;
  group: string | null;
  /** How it stands in a run, in a mark and words; absent where nothing runs. */
  state?: BoxState;
  /** What it consists of; `shown` where the same workflow was drawn before. */
  inside: Picture | 'shown' | null;
}

/** How a step stands. */
export interface BoxState {
  tone: 'good' | 'bad' | 'attention' | 'active' | 'quiet';
  /** Says it without any colour. */
  text: string;
}

/**
 * A Plan as boxes and arrows. A nested workflow is drawn where it is first used, so that a picture never has more
 * boxes than the Plan has steps, however often a workflow is nested.
 */
export function pictureOf(
  plan: Plan,
  states: ReadonlyMap<string, BoxState> | null = null,
  known: KnownTexts = new Map(),
): Picture {
  const drawn = new Set<string>();
  let count = 0;

  const draw = (block: Block, path: string): Picture => ({
    boxes: block.steps.map((step) => boxOf(step, joinPath(path, segmentOf(step)))),
    arrows: leanArrows(block.steps.map(({ needs }) => needs.map(({ step }) => step))),
    groups: Object.entries(block.groups).map(([name, members]) => ({ name, members })),
  });

  const stateAt = (path: string): Pick<Box, 'state'> => {
    const state = states?.get(path);
    return state === undefined ? {} : { state };
  };

  const boxOf = (step: Step, path: string): Box => ({
    id: `node-${count++}`,
    index: step.index,
    path,
    kind: step.kind,
    name: step.id ?? actorOf(step, plan.agents),
    what: [whatOf(step, plan.agents), step.kind === 'agent' ? titleOf(step, plan.agents, known) : null]
      .filter((part) => part !== null && part !== '')
      .join(' · '),
    when: step.when === null ? null : expressionText(step.when),
    repeats: repeatsOf(step),
    always: step.always,
    group: step.parallel_group,
    ...stateAt(path),
    inside: insideOf(step, path),
  });

  const insideOf = (step: Step, path: string): Box['inside'] => {
    if (step.kind === 'foreach' || step.kind === 'loop') return draw(step.body, path);
    if (step.kind !== 'workflow') return null;
    const nested = plan.nested[step.plan];
    if (nested === undefined) return null;
    if (drawn.has(step.plan)) return 'shown';
    drawn.add(step.plan);
    return draw(nested, path);
  };

  return draw(plan, '');
}

/** The word for a kind of step in pictures. */
export function kindWord(kind: Step['kind']): string {
  return kind === 'approval' ? 'gate' : kind;
}

/** Who or what acts in a step, and with what, as its author wrote it. */
export function whatOf(step: Step, agents: Record<string, Agent>): string {
  switch (step.kind) {
    case 'agent':
      return agentText(step, agents[step.agent]);
    case 'command':
      return step.argv.map(templateText).join(' ');
    case 'tool':
      return toolText(step);
    case 'workflow':
      return step.id === null ? '' : step.workflow;
    case 'approval':
      return templateText(step.message);
    case 'ask':
      return templateText(step.question);
    case 'set':
      return Object.entries(step.values)
        .map(([name, value]) => `${name} = ${templateText(value)}`)
        .join(', ');
    case 'wait':
      return waitText(step);
    case 'plan':
      return templateText(step.source);
    case 'foreach':
    case 'loop':
      return '';
    default:
      return deviceText(step);
  }
}

function deviceText(step: CompileStep | DeviceStep): string {
  switch (step.kind) {
    case 'compile':
      return `${step.sources.map(templateText).join(' ')} for ${step.device.name}`;
    case 'flash':
      return `${step.device.name} with ${[step.image, step.files]
        .filter((template) => template !== null)
        .map(templateText)
        .join(' and ')}`;
    case 'serial':
      return step.expect === null ? step.device.name : `${step.device.name} until ${templateText(step.expect)}`;
  }
}

function agentText({ id, model }: AgentStep, agent: Agent | undefined): string {
  const named = model ?? agent?.model ?? null;
  return [
    id === null ? '' : (agent?.name ?? ''),
    named === null ? '' : `(${named.replace(/^default:/, 'default, else ')})`,
  ]
    .filter((part) => part !== '')
    .join(' ');
}

function toolText({ id, tool, inputs }: ToolStep): string {
  const given = Object.entries(inputs)
    .map(([name, value]) => `${name} = ${templateText(value)}`)
    .join(', ');
  return id === null ? given : [tool.name, given].filter((part) => part !== '').join(' ');
}

function waitText({ until, for_ms }: WaitStep): string {
  return until === null ? formatDuration(for_ms ?? 0) : `until ${templateText(until)}`;
}

function repeatsOf(step: Step): string | null {
  switch (step.kind) {
    case 'foreach':
      return (
        `for each of ` +
        `${templateText(step.items)}${step.max_parallel === null ? '' : `, ${step.max_parallel} at once`}`
      );
    case 'loop':
      return `until ${expressionText(step.until)}, at most ${step.max} times`;
    default:
      return null;
  }
}
