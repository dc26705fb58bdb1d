import type { MadeTool } from '../../plan/tools/tool.js';
import { isObject } from '../../plan/values/json.js';
import type { MadeAgent } from '../../plan/agents/made-definition.js';
import type { Plan } from '../../plan/plan.js';
import { longHash, shortHash } from '../../plan/packing/short-hash.js';
import type { Agent } from '../../plan/step.js';
import type { Hash } from '../../plan/values/value.js';
import { appendMessage, readTranscript } from '../../store/transcript.js';
import type { Store } from '../../store/store.js';
import type { MakingModels, StepCall } from '../contract.js';
import type { Dependencies } from '../dependencies.js';
import { stepFailure } from '../failures.js';
import type { Making } from '../tools/handler/handler.js';

/** Who speaks in a conversation: an agent of the Plan or one that was made, with the tools that were made in it. */
export interface Asker {
  agent: Agent;
  /** Of one that may make others, or call what was made. */
  making?: Making;
}

/** What a call says of who makes it. */
export type AskerCall = Pick<StepCall, 'root' | 'nested'> & { made?: string; makes?: MakingModels };

/** Finds the agent that a call names. Only workflows name one, by a hash that the Plan or `agent_create` gave them. */
export async function askerOf(
  {
    store,
    compileAgent,
    compileTool,
    compileWorkflow,
  }: Pick<Dependencies, 'store' | 'compileAgent' | 'compileTool' | 'compileWorkflow'>,
  plan: Plan,
  hash: Hash,
  call: AskerCall,
): Promise<Asker> {
  const { agent, by } = await agentAt(store, plan, hash);
  const made = call.made === undefined ? [] : await readMadeTools(store, call.made);
  const own = made.length === 0 ? agent : { ...agent, uses: [...(agent.uses ?? []), ...made] };
  const makes = (own.uses ?? []).some(({ kind }) => ['maker', 'made', 'custom'].includes(kind));
  if (!makes) return { agent: own };
  const { root, nested, makes: models = { models: [], model: '' } } = call;
  return {
    agent: own,
    making: {
      store,
      plan,
      maker: own,
      by,
      scope: { first: root.first, body: nested ?? root.plan },
      run: root.run,
      models,
      compileAgent,
      compileTool,
      compileWorkflow,
    },
  };
}

async function agentAt(store: Store, plan: Plan, hash: Hash): Promise<Pick<MadeAgent, 'agent' | 'by'>> {
  const planned = plan.agents[hash];
  if (planned !== undefined) return { agent: planned, by: hash };
  const stored = await store.get(hash).catch(() => null);
  if (isObject(stored) && isObject(stored['agent']) && typeof stored['by'] === 'string')
    return stored as unknown as MadeAgent; // `agent_create` put it there
  throw stepFailure('internal', `The plan has no agent \`${hash}\`.`);
}

/**
 * Adds a tool to those that were made in a conversation: a chain like that of its messages, so that history holds one
 * hash of it (I7).
 */
export async function addMadeTool(store: Store, chain: string | undefined, tool: MadeTool): Promise<string> {
  return shortHash(await appendMessage(store, chain === undefined ? null : longHash(chain), { tool: { ...tool } }));
}

async function readMadeTools(store: Store, chain: string): Promise<MadeTool[]> {
  const entries = await readTranscript(store, longHash(chain));
  return entries.map(({ tool }) => tool as unknown as MadeTool); // `addMadeTool` put it there
}
