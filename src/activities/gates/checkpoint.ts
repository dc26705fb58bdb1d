import { createHash } from 'node:crypto';
import { render } from '../../plan/references/evaluate.js';
import type { Scope } from '../../plan/references/evaluate.js';
import { templatesOf } from '../../plan/references/step-references.js';
import { actorOf } from '../../plan/references/actor.js';
import type { PlanBody, Plan } from '../../plan/plan.js';
import { segmentOf } from '../../plan/plan.js';
import type { AgentStep, Step } from '../../plan/step.js';
import type { Attachment } from '../../plan/values/attachment.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json, JsonObject } from '../../plan/values/json.js';
import type { Store } from '../../store/store.js';
import type { GateCall } from '../contract.js';
import { stepFailure } from '../failures.js';
import { blocksOf, filesIn, textOf } from '../models/protocol/message.js';
import { createRequest } from '../models/request.js';
import type { Shown } from '../values/content-hash.js';
import { loadBody, stepAt } from '../values/load-step.js';
import { createScope } from '../values/template-scope.js';

/**
 * What a person is shown who is to allow a step to act: all that it would be asked with, every value in its place. It
 * is not looked at again: values of a run do not change.
 */
export async function shownCheckpoint(store: Store, call: GateCall, why: string): Promise<Shown> {
  const { plan, body } = await loadBody(store, call.root, call.nested);
  const step = stepAt(body, call.step);
  if (step === undefined) throw stepFailure('internal', `\`${body.name}\` has no step ${String(call.step)}.`);
  const actor = actorOf(step, plan.agents);
  const does = actor === step.kind ? '' : `: \`${actor}\``;
  return {
    message: `The step \`${segmentOf(step)}\` is about to act (${step.kind}${does}). ${why} Allow it?`,
    content: await contentOf(store, call, { plan, body, step }),
  };
}

async function contentOf(
  store: Store,
  { environment }: GateCall,
  { plan, body, step }: { plan: Plan; body: PlanBody; step: Step },
): Promise<Json> {
  if (step.kind === 'agent') return questionOf(store, environment, { plan, body, step });
  const scope = await createScope(store, environment, templatesOf(step));
  switch (step.kind) {
    case 'command': {
      const { argv, cwd, env, stdin } = step;
      return { command: renderEach(argv, scope), ...rendered({ cwd, stdin }, scope), env: renderMap(env, scope) };
    }
    case 'workflow':
      return { workflow: step.workflow, inputs: renderMap(step.inputs, scope) };
    case 'compile':
      return { device: step.device.name, sources: renderEach(step.sources, scope) };
    case 'serial': {
      const { write, after, expect } = step;
      return { device: step.device.name, ...rendered({ write, after, expect }, scope) };
    }
    default:
      throw stepFailure('internal', `A step of kind \`${step.kind}\` does not act itself.`);
  }
}

/** Exactly what its model is told, but for what every agent of the run is told beside. */
async function questionOf(
  store: Store,
  environment: GateCall['environment'],
  { plan, body, step }: { plan: Plan; body: PlanBody; step: AgentStep },
): Promise<Json> {
  const agent = plan.agents[step.agent];
  if (agent === undefined) throw stepFailure('internal', `The plan has no agent \`${step.agent}\`.`);
  const { system, messages } = await createRequest(store, { body, step, agent, environment, model: '' });
  const tools = (agent.uses ?? []).map(({ name }) => name);
  const files = filesIn(messages.flatMap(blocksOf));
  return {
    agent: agent.name,
    instruction: system,
    message: messages.map(textOf).join('\n\n'),
    ...(files.length === 0 ? {} : { attached: await Promise.all(files.map((file) => attachedAs(store, file))) }),
    tools: agent.program === null ? tools : agent.tools,
  };
}

/** A file that the model is shown as it is: what names it, and what tells it from every other. */
async function attachedAs(store: Store, { name, media, data }: Attachment): Promise<Json> {
  const bytes = Buffer.from(await store.getText(data), 'base64');
  return { name, media, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
}

function renderEach(templates: Template[], scope: Scope): Json[] {
  return templates.map((template) => render(template, scope));
}

function renderMap(templates: Record<string, Template>, scope: Scope): JsonObject {
  return Object.fromEntries(Object.entries(templates).map(([name, template]) => [name, render(template, scope)]));
}

/** Those that are there. */
function rendered(templates: Record<string, Template | null>, scope: Scope): JsonObject {
  return renderMap(
    Object.fromEntries(
      Object.entries(templates).flatMap(([name, template]) => (template === null ? [] : [[name, template]])),
    ),
    scope,
  );
}
