import { bind } from '../../plan/schedule/bindings.js';
import type { Environment } from '../../plan/references/environment.js';
import { rootsOf } from '../../plan/values/expression.js';
import type { ProgramChoice } from '../../plan/agents/program.js';
import { programAddress, programOf } from '../../plan/agents/program.js';
import { accessOf } from '../../plan/agents/program-access.js';
import { folderOf } from '../../plan/calls/reuse.js';
import type { Reuse } from '../../plan/calls/short-call.js';
import type { AgentStep } from '../../plan/step.js';
import { modelKeyOf } from '../../plan/step.js';
import { templatesOf } from '../../plan/references/step-references.js';
import type { Hash } from '../../plan/values/value.js';
import { createCommandRequest } from '../commands/command-request.js';
import { offeredTools } from '../turns/offered-tools.js';
import type { StepOutput } from '../contract.js';
import type { ModelRequest } from '../models/protocol/provider.js';
import { createRequest } from '../models/request.js';
import { createToolRequest, reusedCall } from '../tool-steps/tool-request.js';
import { contentKey, modelContent, programContent, reusedOutput } from '../reuse/content-key.js';
import { commandContent, reusedCommand } from '../commands/command-content.js';
import { locate } from '../../store/folders/places.js';
import type { Acting, KnownScope, Placed } from './known-scope.js';
import { ownOf } from '../../plan/values/own.js';

/**
 * Looks up the result that a step takes over: of the same content, in the runs that `reuse` names. Null where there is
 * none.
 */
export async function outputFor(
  scope: KnownScope,
  { step, path, reuse }: Placed<Acting> & { reuse: Reuse },
): Promise<StepOutput | null> {
  const { store, plan, settings, nested, blockPath } = scope;
  const environment = bind(rootsOf(templatesOf(step)), scope);
  const call = {
    root: { run: '', first: '', plan: plan.hash },
    nested,
    step: blockPath.length === 0 ? step.index : [...blockPath, step.index],
    path,
    try: 1,
    environment,
    reuse,
  };
  if (step.kind === 'command') {
    const workspace = locate(store, folderOf(step, settings));
    const request = await createCommandRequest(store, { ...call, workspace }, step);
    return reusedCommand(store, call, contentKey('command', await commandContent(step, request)), request);
  }
  if (step.kind === 'tool') {
    const workspace = locate(store, settings.workspace);
    return (await reusedCall(store, call, step, await createToolRequest(store, { ...call, workspace }, step))).known;
  }
  const key = await agentKey(scope, step, environment);
  return key === null ? null : reusedOutput(store, call, key);
}

/** The program that plays an agent step in the rerun; null where a model does. */
export function programFor({ plan, settings, nested, blockPath }: KnownScope, step: AgentStep): ProgramChoice | null {
  const address = programAddress(nested, [...blockPath, step.index]);
  return programOf(settings.programs, step, plan.agents[step.agent], address);
}

/** The content of an agent step as whoever plays it would be asked. */
async function agentKey(scope: KnownScope, step: AgentStep, environment: Environment): Promise<Hash | null> {
  const { store, plan, settings, body } = scope;
  const agent = plan.agents[step.agent];
  if (agent === undefined) return null;
  const request = (model: string): Promise<ModelRequest> =>
    createRequest(store, { body, step, agent, environment, model, context: settings.context });
  const played = programFor(scope, step);
  if (played !== null)
    return contentKey(
      'agent',
      programContent(step, played.program, await request(played.model ?? ''), accessOf(agent)),
    );
  const model = ownOf(settings.models, modelKeyOf(step, agent));
  if (model === undefined) return null;
  // As `openConversation` asks it; an agent without tools is asked without them.
  const tools = (agent.uses ?? []).length === 0 ? {} : { tools: await offeredTools(store, agent) };
  return contentKey('agent', modelContent(step, model.provider, { ...(await request(model.model)), ...tools }));
}
