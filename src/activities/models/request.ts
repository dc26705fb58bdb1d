import type { Environment } from '../../plan/references/environment.js';
import { isEmptyText, rootsOf } from '../../plan/values/expression.js';
import type { Scope } from '../../plan/references/evaluate.js';
import { render, renderToText } from '../../plan/references/evaluate.js';
import type { Template } from '../../plan/values/expression.js';
import type { Json } from '../../plan/values/json.js';
import { toText } from '../../plan/values/json.js';
import type { InjectedContext } from '../../plan/agents/injected-context.js';
import type { PlanBody } from '../../plan/plan.js';
import type { Agent, AgentStep } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import type { Store } from '../../store/store.js';
import { renderFramed } from '../values/framed-text.js';
import { escapeOurTags, inputSection, withContext } from '../values/provenance.js';
import { createScope } from '../values/template-scope.js';
import type { Block, ModelMessage } from './protocol/message.js';
import type { ModelRequest } from './protocol/provider.js';
import { ownOf } from '../../plan/values/own.js';

export interface RequestParts {
  body: PlanBody;
  step: AgentStep;
  agent: Agent;
  environment: Environment;
  model: string;
  /** What the run tells its agents beside their prompts: a stored `InjectedContext`. */
  context?: Hash | undefined;
  /** Another agent asks: the step's prompt and inputs are no author's word. */
  asked?: boolean;
}

/**
 * What a model is asked. The agent's prompt, in which `${name}` is one of the step's inputs, is the instruction; the
 * message is the step's prompt, and below it each input that the agent's prompt has not used, under its name.
 */
export async function createRequest(
  store: Store,
  { body, step, agent, environment, model, context, asked = false }: RequestParts,
): Promise<ModelRequest> {
  const scope = await createScope(store, environment, templatesOf(step));
  const inputs = renderInputs(step, agent, scope);
  const own = Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`input:${name}`, { value }]));
  const system = promptText(agent.prompt, await createScope(store, own, [agent.prompt])).trim();
  const used = new Set(rootsOf([agent.prompt]));
  const shown = Object.entries(inputs).filter(
    ([name]) => !used.has(`input:${name}`) && !isAbsent(ownOf(step.inputs, name), environment),
  );
  const request = step.prompt === null ? await introduction(store, body, agent) : promptText(step.prompt, scope, asked);
  const parts = [
    request,
    ...shown.map(([name, value]) => inputSection(name, toText(value), isWritten(ownOf(step.inputs, name), asked))),
    ...(step.schema === null ? [] : [schemaRequest(step.schema)]),
  ];
  const asks = parts.join('\n\n').trim();
  // An empty text leaves all to the agent's instruction: a step of a chain. What another agent says may just be empty.
  const text = !asked && isEmptyText(step.prompt) ? asks : await told(store, context, asks);
  const files = (step.attachments ?? []).map((file): Block => ({ kind: 'file', ...file }));
  const messages = messagesOf(text, files);
  return {
    model,
    system,
    messages,
    schema: step.schema,
    ...(agent.params === undefined ? {} : { params: agent.params }),
    ...(agent.effort === undefined ? {} : { effort: agent.effort }),
  };
}

/** The first message: what is asked, behind the files that it is about. */
function messagesOf(text: string, files: Block[]): ModelMessage[] {
  if (files.length > 0)
    return [{ role: 'user', blocks: [...files, ...(text === '' ? [] : [{ kind: 'text' as const, text }])] }];
  return text === '' ? [] : [{ role: 'user', text }];
}

/** A prompt with what agents are told beside it. */
async function told(store: Store, context: Hash | undefined, prompt: string): Promise<string> {
  if (context === undefined) return prompt;
  // the submitter puts nothing else there
  return withContext((await store.get(context)) as unknown as InjectedContext, prompt);
}

/** The text that a rehearsal of this step answers with, or null. */
export async function renderRehearsal(store: Store, step: AgentStep, environment: Environment): Promise<string | null> {
  if (step.rehearsal === null) return null;
  return renderToText(step.rehearsal, await createScope(store, environment, [step.rehearsal]));
}

/** The request that asks once more: the conversation, the answer, and what is wrong with it. */
export function askAgain(request: ModelRequest, answer: string, errors: string[]): ModelRequest {
  const messages: ModelMessage[] = [
    ...request.messages,
    { role: 'assistant', text: answer.trim() === '' ? '(empty answer)' : answer },
    { role: 'user', text: correction(request.schema, errors) },
  ];
  return { ...request, messages };
}

/** What a model is told whose answer does not fit. */
export function correction(schema: Json, errors: string[]): string {
  if (schema === null) return 'Your answer is empty. Answer again.';
  return (
    `This does not satisfy the schema:\n${errors.map((error) => `- ${error}`).join('\n')}\n\nAnswer again, with ` +
    `the corrected JSON and nothing else.`
  );
}

function templatesOf(step: AgentStep): Template[] {
  return [...(step.prompt === null ? [] : [step.prompt]), ...Object.values(step.inputs)];
}

/** What the step gives, and what the agent itself says about inputs that are not given. */
function renderInputs(step: AgentStep, agent: Agent, scope: Scope): Record<string, Json> {
  const defaults = Object.entries(agent.inputs).flatMap(([name, input]) =>
    input.default === undefined ? [] : [[name, input.default] as const],
  );
  const given = Object.entries(step.inputs).map(([name, template]) => [name, render(template, scope)] as const);
  return Object.fromEntries([...defaults, ...given]);
}

/** Tells whether an input is one of the run that nobody gave: there is nothing to show then. */
function isAbsent(template: Template | undefined, environment: Environment): boolean {
  if (template?.kind !== 'expression' || template.expression.kind !== 'reference') return false;
  const { root } = template.expression;
  const binding = environment[root];
  return root.startsWith('input:') && (binding === undefined || 'missing' in binding);
}

/** What is said where the author wrote no prompt: never an empty message. */
async function introduction(store: Store, body: PlanBody, agent: Agent): Promise<string> {
  const about = body.description === null ? '' : `: ${(await store.getText(body.description)).trim()}`;
  const role = agent.description === null ? '' : ` (${agent.description.trim()})`;
  return `You take part in the workflow \`${body.name}\`${about}\n\nDo your part as \`${agent.name}\`${role}.`;
}

/**
 * A prompt, in which no value ends a tag that its author put around it, and none can pass for a tag of ours. One with
 * values is escaped whole for that, since a tag may come from two of them, or begin in what its author wrote; what is
 * its author's word alone stays letter for letter.
 */
function promptText(template: Template, scope: Scope, asked = false): string {
  const text = renderFramed(template, scope);
  return isWritten(template, asked) ? text : escapeOurTags(text);
}

/** Tells whether a text is its author's word, or an agent's default, without any value of a run in it. */
function isWritten(template: Template | undefined, asked: boolean): boolean {
  return template === undefined || (!asked && rootsOf([template]).length === 0);
}

function schemaRequest(schema: Json): string {
  return `Answer with JSON that satisfies this JSON Schema, and with nothing else:\n${JSON.stringify(schema)}`;
}
