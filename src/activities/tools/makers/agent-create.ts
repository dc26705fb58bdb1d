import { z } from 'zod';
import type { Action } from '../../../plan/tools/action.js';
import type { Json, JsonObject } from '../../../plan/values/json.js';
import type { AgentMade, AgentRequest, MadeAgent } from '../../../plan/agents/made-definition.js';
import type { MakerTool } from '../../../plan/tools/tool.js';
import type { Hash } from '../../../plan/values/value.js';
import type { Store } from '../../../store/store.js';
import { keepMadeFile, madeFileFor, withRun } from '../../made/made-file.js';
import { MOST_MADE, addMade, inTurn, readMade, writeOrigin } from '../../made/registry.js';
import { failed } from '../handler/builtin.js';
import { FileRefusal } from '../../refusal.js';
import type { Making, ToolContext, ToolHandler, ToolRun } from '../handler/handler.js';
import { makingIn } from './making.js';

const NAMES = z.array(z.string().min(1).max(200)).max(100);

const input = z.strictObject({
  name: z
    .string()
    .min(1)
    .max(200)
    .describe('Its name: a letter, then letters, digits, _ or -. No other agent or tool may have it.'),
  instructions: z
    .string()
    .min(1)
    .max(100_000)
    .describe('Its system prompt: who it is, what it does, and how it answers.'),
  description: z.string().min(1).max(2_000).describe('What it is good for, in a sentence.'),
  model: z.string().min(1).max(200).describe('A model of this run; the default when left out.').optional(),
  tools: NAMES.describe('Tools that it may use, of those that you have.').optional(),
  toolsets: NAMES.describe('Sets of tools that it may use, of those that you have.').optional(),
});

const { $schema: _dialect, ...schema } = z.toJSONSchema(input) as JsonObject; // zod makes plain JSON

/**
 * `agent_create`: makes an agent for this run. Its file is written for people; what runs is the text that
 * was judged, and the next run does not know it before a person promotes it.
 */
export const agentCreate: ToolHandler<MakerTool> = {
  parallel: false,
  // What is made is found again by the call that made it, so that it may come again.
  quick: true,
  effect: () => 'none',
  spec: ({ name }) =>
    Promise.resolve({
      name,
      description:
        'Makes an agent for this run: give it a name, instructions and the tools that it needs. It has no tools ' +
        'but those that you name, and can do no more than you. From your next turn on you call it by its name, ' +
        'or with agent_call; it sees only what you write then. It is gone when the run ends, unless a person ' +
        'keeps its file. Returns its name.',
      input_schema: schema,
    }),
  async action({ folder }, args, workspace, making) {
    const request = parse(args);
    if ('invalid' in request) return request;
    if (folder === undefined)
      return {
        invalid:
          '`generated_agents_dir` is not configured, so no agent can be made. A person sets it in project.json, ' +
          'or under `agents` of perdure.yml.',
      };
    if (making === undefined) return { invalid: 'Only agents make agents.' };
    const made = await compiled(request, making, workspace);
    return 'problems' in made
      ? { invalid: made.problems }
      : actionOf(making.store, request, await madeFileFor(workspace, folder, { ...request, run: making.run }), {
          text: withRun(made.text, making.run),
        });
  },
  async run({ folder = '', root }, args, context) {
    const request = parse(args);
    if ('invalid' in request) return failed(request.invalid);
    const making = makingIn(context);
    return inTurn(making.scope, () =>
      make(request, folder, { ...context, ...(root === undefined ? {} : { root }) }, making),
    );
  },
};

/** What a person approves is the file, word for word. */
async function actionOf(
  store: Store,
  { name }: AgentRequest,
  file: string,
  { text }: { text: string },
): Promise<Action> {
  const content: Json = { file, text };
  return { kind: 'make', what: 'agent', name, content: await store.put(content) };
}

function parse(args: JsonObject): AgentRequest | { invalid: string } {
  const parsed = input.safeParse(args);
  // keys that are left out are absent, not undefined: the arguments were JSON
  if (parsed.success) return parsed.data as AgentRequest;
  return {
    invalid: parsed.error.issues.map(({ path, message }) => `\`${path.join('.') || 'input'}\`: ${message}`).join('; '),
  };
}

function compiled(request: AgentRequest, making: Making, workspace: string): Promise<AgentMade> {
  if (making.compileAgent === undefined) return Promise.resolve({ problems: 'This worker cannot make agents.' });
  const {
    plan,
    maker,
    models: { models, model },
  } = making;
  return making.compileAgent(
    request,
    { maker, taken: Object.values(plan.agents).map((agent) => agent.name), models, model },
    workspace,
  );
}

async function make(
  request: AgentRequest,
  folder: string,
  { store, workspace, run, call = '', allowed, root }: ToolContext,
  making: Making,
): Promise<ToolRun> {
  const { name } = request;
  const before = await readMade(store, making.scope);
  // Tools are of one conversation: the maker's own names are refused by the compiler.
  const same = before.find((entry) => entry.kind !== 'tool' && entry.name.toLowerCase() === name.toLowerCase());
  // The same call once more: a worker was lost after it had made it.
  if (same !== undefined && same.call === call) return madeRun(store, same.name, same.ref, root);
  if (same !== undefined)
    return failed(`This run has made the ${same.kind} \`${same.name}\` already; choose another name.`);
  if (before.length >= MOST_MADE)
    return failed(`This run has made ${MOST_MADE} definitions already, which is all that it may.`);
  const made = await compiled(request, making, workspace);
  if ('problems' in made) return failed(made.problems);
  const text = withRun(made.text, making.run);
  try {
    const file = await madeFileFor(workspace, folder, { name, run: making.run });
    const record: MadeAgent = { agent: made.agent, by: making.by, file, text };
    const { undo } = await keepMadeFile(workspace, file, text);
    try {
      const { ref } = await store.putAlways(record as unknown as Json); // agents of Plans are JSON
      await writeOrigin(store, name, { run, file });
      const kept = await store.putAlways(text);
      const entry = { kind: 'agent' as const, name, ref, call, text: kept.ref };
      await addMade(store, making.scope, allowed === true ? { ...entry, shown: true } : entry);
      return madeRun(store, name, ref, root);
    } catch (error) {
      await undo();
      throw error;
    }
  } catch (error) {
    if (error instanceof FileRefusal) return failed(error.message);
    throw error;
  }
}

/** Its maker has it as a tool from the next turn on. */
async function madeRun(store: Store, name: string, ref: Hash, root: string | undefined): Promise<ToolRun> {
  const { agent } = (await store.get(ref)) as unknown as MadeAgent; // `make` put it there
  const { description } = agent;
  const made = { kind: 'made' as const, name, description, agent: ref, ...(root === undefined ? {} : { root }) };
  return { content: name, is_error: false, made };
}
