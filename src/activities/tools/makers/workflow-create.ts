import { z } from 'zod';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { MadeAgent, WorkflowMade, WorkflowRequest } from '../../../plan/agents/made-definition.js';
import { NO_BUDGETS } from '../../../plan/budget/budgets.js';
import type { MadeWorkflowTool, MakerTool } from '../../../plan/tools/tool.js';
import { inTurn, readMade } from '../../made/registry.js';
import type { Making, ToolContext, ToolHandler, ToolRun } from '../handler/handler.js';
import { makeOnce, makingIn } from './making.js';

const MOST_CHARACTERS = 100_000;

const input = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .describe('Its name: a letter, then letters, digits, _ or -. No other workflow, agent or tool may have it.'),
  definition: z
    .union([z.record(z.string(), z.unknown()), z.string().max(MOST_CHARACTERS)])
    .describe(
      'The rest of the workflow, as a map or as YAML: description, inputs: {name: {type, description}}, ' +
        'execution (sequential, parallel or dag), steps: [{id, agent, prompt, inputs, needs}], output. `${name}` ' +
        'is an input and `${steps.id.output}` what a step gave.',
    ),
});

const { $schema: _dialect, ...schema } = z.toJSONSchema(input) as JsonObject; // zod makes plain JSON

/**
 * `workflow_create`: makes a workflow for the rest of the conversation. What a person approves is its text
 * and the Plan that it comes to, with the agents that it names as they are now. Nothing is written; a person who wants
 * to keep it saves the text that was approved.
 */
export const workflowCreate: ToolHandler<MakerTool> = {
  parallel: false,
  // It compiles, which takes longer than a moment on a busy machine.
  quick: false,
  effect: () => 'none',
  spec: ({ name }) =>
    Promise.resolve({
      name,
      description:
        'Makes a workflow of steps that agents do, for the rest of this conversation: the agents of the ' +
        'project, and those that were made here. They can do no more than you. A person approves its text. From ' +
        'your next turn on you run it by calling it by its name. Returns its name.',
      input_schema: schema,
    }),
  async action(tool, args, workspace, making) {
    const parsed = input.safeParse(args);
    if (!parsed.success || making === undefined) return { invalid: 'Expected `name` and `definition`.' };
    const made = await compiled(tool, args, making, workspace);
    if ('problems' in made) return { invalid: made.problems };
    const content: Json = { definition: made.text, plan: made.plan.hash };
    return { kind: 'make', what: 'workflow', name: parsed.data.name, content: await making.store.put(content) };
  },
  async run(tool, args, context) {
    const making = makingIn(context);
    return inTurn(making.scope, () => make(tool, args, context, making));
  },
};

/** A workflow that was made in this run, by its own name. The workflow that holds the conversation starts it. */
export const madeWorkflow: ToolHandler<MadeWorkflowTool> = {
  parallel: false,
  quick: true,
  effect: () => 'none',
  async spec({ name, description, inputs }, store) {
    const about = description === null ? `The workflow \`${name}\`.` : await store.getText(description);
    return {
      name,
      description: `${about}\n\nA workflow that was made in this run: its agents do its steps, and you get its output.`,
      input_schema: JSON.parse(await store.getText(inputs)) as JsonObject,
    }; // the compiler wrote it
  },
  action: ({ name }) => ({ kind: 'call', what: 'workflow', name }),
  async run({ plan: hash }, args, { store }) {
    const plan = await store.getPlan(hash);
    const defaults = Object.entries(plan.inputs).flatMap(([name, spec]) =>
      spec.default === undefined ? [] : [[name, spec.default] as const],
    );
    const values = { ...Object.fromEntries(defaults), ...args };
    const inputs = Object.fromEntries(
      await Promise.all(Object.entries(values).map(async ([name, value]) => [name, await store.put(value)] as const)),
    );
    return { content: null, is_error: false, starts: { plan: hash, inputs } };
  },
};

/** `args` fit the schema. */
async function compiled(
  { rules = { kinds: ['agent'], budgets: NO_BUDGETS } }: MakerTool,
  args: JsonObject,
  making: Making,
  workspace: string,
): Promise<WorkflowMade> {
  const { compileWorkflow, maker, plan, models: chosen } = making;
  if (compileWorkflow === undefined) return { problems: 'This worker cannot make workflows.' };
  const request = args as unknown as WorkflowRequest; // the schema says so
  const taken = Object.values(plan.agents).map((agent) => agent.name);
  const bounds = { maker, taken, models: chosen.models, rules, agents: await agentsMade(making) };
  return compileWorkflow(request, bounds, workspace);
}

/** Agents that were made in the run so far, by their files. */
async function agentsMade({ store, scope }: Making): Promise<Record<string, string>> {
  const entries = (await readMade(store, scope)).filter(({ kind }) => kind === 'agent');
  // `agent_create` put them there
  const records = await Promise.all(entries.map(async ({ ref }) => (await store.get(ref)) as unknown as MadeAgent));
  return Object.fromEntries(records.map(({ file, text }) => [file, text]));
}

function make(tool: MakerTool, args: JsonObject, context: ToolContext, making: Making): Promise<ToolRun> {
  const toMake = {
    kind: 'workflow' as const,
    name: String(args['name']),
    isTaken: () => true,
    make: async () => {
      const made = await compiled(tool, args, making, context.workspace);
      if ('plan' in made) await context.store.putPlan(made.plan);
      return made;
    },
  };
  return makeOnce(toMake, context, making);
}
