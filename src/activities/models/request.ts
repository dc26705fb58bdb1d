import type { Environment } from '../../plan/environment.js';
import { rootsOf } from '../../plan/environment.js';
import type { Scope } from '../../plan/evaluate.js';
import { render } from '../../plan/evaluate.js';
import type { Template } from '../../plan/expression.js';
import type { Json } from '../../plan/json.js';
import { toText } from '../../plan/json.js';
import type { PlanBody } from '../../plan/plan.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import type { Store } from '../../store/store.js';
import { createScope } from '../rendering.js';
import type { ModelMessage, ModelRequest } from './provider.js';

export interface RequestParts {
  body: PlanBody;
  step: AgentStep;
  agent: Agent;
  environment: Environment;
  model: string;
}

/**
 * What a model is asked. The agent's prompt, in which `${name}` is one of the step's inputs, is the instruction; the
 * message is the step's prompt, and below it each input that the agent's prompt has not used, under its name.
 */
export async function createRequest(store: Store, { body, step, agent, environment, model }: RequestParts): Promise<ModelRequest> {
  const scope = await createScope(store, environment, templatesOf(step));
  const inputs = renderInputs(step, agent, scope);
  const own = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`input:${name}`, { value }]));
  const system = toText(render(agent.prompt, await createScope(store, own, [agent.prompt]))).trim();
  const used = new Set(rootsOf([agent.prompt]));
  const shown = Object.entries(inputs).filter(([name]) => !used.has(`input:${name}`));
  const asked = step.prompt === null ? await introduction(store, body, agent) : toText(render(step.prompt, scope));
  const parts = [asked, ...shown.map(([name, value]) => section(name, value)), ...(step.schema === null ? [] : [schemaRequest(step.schema)])];
  return { model, system, messages: [{ role: 'user', text: parts.join('\n\n').trim() }], schema: step.schema };
}

/** The text that a rehearsal of this step answers with, or null. */
export async function renderRehearsal(store: Store, step: AgentStep, environment: Environment): Promise<string | null> {
  if (step.rehearsal === null) return null;
  return toText(render(step.rehearsal, await createScope(store, environment, [step.rehearsal])));
}

/** The same conversation, gone on with what is wrong with the last answer. */
export function askAgain(request: ModelRequest, answer: string, errors: string[]): ModelRequest {
  const messages: ModelMessage[] = [
    ...request.messages,
    { role: 'assistant', text: answer.trim() === '' ? '(empty answer)' : answer },
    { role: 'user', text: `This does not satisfy the schema:\n${errors.map((error) => `- ${error}`).join('\n')}\n\nAnswer again, with the corrected JSON and nothing else.` },
  ];
  return { ...request, messages };
}

function templatesOf(step: AgentStep): Template[] {
  return [...(step.prompt === null ? [] : [step.prompt]), ...Object.values(step.inputs)];
}

/** What the step gives, and what the agent itself says about inputs that are not given. */
function renderInputs(step: AgentStep, agent: Agent, scope: Scope): Record<string, Json> {
  const defaults = Object.entries(agent.inputs).flatMap(([name, input]) => (input.default === undefined ? [] : [[name, input.default] as const]));
  const given = Object.entries(step.inputs).map(([name, template]) => [name, render(template, scope)] as const);
  return Object.fromEntries([...defaults, ...given]);
}

/** What is said where the author wrote no prompt: never an empty message. */
async function introduction(store: Store, body: PlanBody, agent: Agent): Promise<string> {
  const about = body.description === null ? '' : `: ${(await store.getText(body.description)).trim()}`;
  const role = agent.description === null ? '' : ` (${agent.description.trim()})`;
  return `You take part in the workflow \`${body.name}\`${about}\n\nDo your part as \`${agent.name}\`${role}.`;
}

function section(name: string, value: Json): string {
  return `<input name="${name}">\n${toText(value)}\n</input>`;
}

function schemaRequest(schema: Json): string {
  return `Answer with JSON that satisfies this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
}
