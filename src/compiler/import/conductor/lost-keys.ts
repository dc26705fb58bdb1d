import type { Node } from '../../text/node.js';
import { memberOf } from '../../text/node.js';
import type { Conductor } from './references.js';
import { conductorAgent, conductorWorkflow, forEachGroup, parallelGroup } from './schema.js';
import { ownOf } from '../../../plan/values/own.js';

type Why = Record<string, [why: string, changes: boolean]>;

const OF_WORKFLOWS: Why = {
  metadata: ['nothing reads it here', false],
  version: ['nothing reads it here', false],
  cost: ['prices stand in `models.prices` of perdure.yml', false],
  context: ['a step sees what its text names', false],
  context_mode: ['a step sees what its text names', false],
  instructions: ['put the texts into the prompts, or into the files of the agents', true],
  hooks: ['nothing is evaluated at the start and the end of a run: add steps', true],
};

const OF_RUNTIMES: Why = {
  provider: ['the models of perdure.yml answer', true],
  temperature: ['models have no temperature here', true],
  max_tokens: ['an answer is as long as its model allows', true],
  timeout: ['a try of an agent lasts an hour', true],
  max_session_seconds: ['a try of an agent lasts an hour', true],
  mcp_servers: ['servers stand under `mcp` of perdure.yml, and their tools under `tools` of an agent', true],
  checkpoint: ['every run goes on where it was', false],
  tool_output: ['results of tools have limits of their own', false],
  skills: ['name skills in the files of the agents', true],
  skill_discovery: ['name skills in the files of the agents', true],
  skill_injection: ['name skills in the files of the agents', false],
  plugins: ['plug-ins are not read', true],
  plugin_sources: ['plug-ins are not read', true],
  working_dir: ['agents work in the folder of the project', true],
  default_context_tier: ['a model has the context that it has', true],
};

const OF_AGENTS: Why = {
  input: ['a step sees what its text names', false],
  output_mode: ['it is so with and without `output`', false],
  provider: ['the models of perdure.yml answer', true],
  validator: ['add an agent that judges, and a route back', true],
  dialog: ['add a `human_gate` with a route back', true],
  sandbox: ['commands of agents always run in a sandbox; `permissions` say what they reach', true],
  session_key: ['each step begins anew: name in its text what it should know', true],
  skills: ['name skills in the file of the agent', true],
  plugins: ['plug-ins are not read', true],
  context_tier: ['a model has the context that it has', true],
  max_depth: ['`workflows.max_depth` of perdure.yml says how deep workflows may stand in each other', false],
  allow_back: ['each question waits for its answer', true],
  allow_skip: ['each question waits for its answer', true],
  allow_skip_all: ['each question waits for its answer', true],
  allow_abort: ['who does not want to answer cancels the run', true],
  abort_route: ['who does not want to answer cancels the run', true],
  retry_on: ['failures that may pass by themselves are tried again', true],
};

/** Told where they matter. */
const ELSEWHERE = ['options', 'routes', 'output_template'];

/** Takes down which keys of a workflow are not carried over. */
export function nameLost(conductor: Conductor): void {
  const { at } = conductor;
  const top = memberOf(at, 'workflow') ?? at;
  const { shape } = conductorWorkflow.shape.workflow;
  name(conductor, '', at, { known: conductorWorkflow.shape, why: {} });
  name(conductor, 'workflow.', top, { known: shape, why: OF_WORKFLOWS });
  const runtime = memberOf(top, 'runtime');
  const known = { default_model: 1, default_reasoning_effort: 1, max_agent_iterations: 1 };
  if (runtime !== null) name(conductor, 'workflow.runtime.', runtime, { known, why: OF_RUNTIMES });
  nameLimits(conductor, top);
  const lists = { agents: conductorAgent.shape, parallel: parallelGroup.shape, for_each: forEachGroup.shape };
  for (const [key, shape] of Object.entries(lists))
    for (const item of memberOf(at, key)?.items ?? []) nameItem(item, key, shape, conductor);
}

function nameItem(item: Node, key: string, known: object, conductor: Conductor): void {
  const said = `${String(memberOf(item, 'name')?.value ?? key)}.`;
  name(conductor, said, item, { known, why: OF_AGENTS });
  const inner = key === 'for_each' ? memberOf(item, 'agent') : null;
  if (inner !== null) name(conductor, `${said}agent.`, inner, { known: conductorAgent.shape, why: OF_AGENTS });
  for (const route of memberOf(item, 'routes')?.items ?? [])
    if (memberOf(route, 'output') !== null)
      conductor.losses.changed(`${said}routes.output`, route, 'what a node yields is not changed on its way');
  if (memberOf(item, 'working_dir') !== null && memberOf(item, 'type')?.value !== 'script')
    conductor.losses.changed(`${said}working_dir`, item, 'agents work in the folder of the project');
}

function name({ losses }: Conductor, before: string, at: Node, { known, why }: { known: object; why: Why }): void {
  for (const [key, { key: place }] of at.members ?? []) {
    if (Object.hasOwn(known, key) || ELSEWHERE.includes(key)) continue;
    const [reason, changes] = ownOf(why, key) ?? ['it is not known here', true];
    (changes ? losses.changed : losses.harmless)(before + key, place, reason);
  }
}

function nameLimits({ said, losses }: Conductor, top: Node): void {
  const { limits } = said.workflow;
  const at = memberOf(top, 'limits');
  if (limits == null || at === null) return;
  if (limits.budget_usd != null && limits.budget_mode !== 'enforce')
    losses.harmless('workflow.limits.budget_usd', at, 'conductor only warns there too: `--max-cost` is a limit');
  else if (limits.budget_usd != null)
    losses.changed('workflow.limits.budget_usd', at, 'the run waits there for `perdure budget`, in place of its end');
}
