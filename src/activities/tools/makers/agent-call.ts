import { z } from 'zod';
import type { CalledAgent } from '../../../plan/agents/conversation.js';
import type { JsonObject } from '../../../plan/values/json.js';
import type { MadeAgent } from '../../../plan/agents/made-definition.js';
import type { Permissions } from '../../../plan/tools/permission.js';
import { judgeAction } from '../../../plan/tools/permission.js';
import { shortHash } from '../../../plan/packing/short-hash.js';
import type { MadeAgentTool, MakerTool } from '../../../plan/tools/tool.js';
import { MOST_ATTACHED_BYTES, UNNAMEABLE, attachedTokens, mediaOf } from '../../../plan/values/attached-media.js';
import type { Attachment } from '../../../plan/values/attachment.js';
import type { Hash } from '../../../plan/values/value.js';
import type { Store } from '../../../store/store.js';
import { readMade, readOrigin } from '../../made/registry.js';
import { failed } from '../handler/builtin.js';
import { fromRoot, workspacePath } from '../files/path.js';
import { readBytesFile } from '../../workspace/read.js';
import { FileRefusal, MissingRefusal } from '../../refusal.js';
import type { ToolContext, ToolHandler, ToolRun } from '../handler/handler.js';
import { makingIn } from './making.js';

const MOST_FILES = 20;

const told = {
  input: z.string().min(1).describe('All that it needs to know, and what it shall do.'),
  attachments: z
    .array(z.string().min(1))
    .max(MOST_FILES)
    .describe('Files that it is shown: texts, and PDF or images where its model takes them.')
    .optional(),
};
const input = z.strictObject({
  agent: z.string().min(1).describe('The name of an agent that was made in this run.'),
  ...told,
});
/** What an agent is called with where files may go along. */
export const direct = z.strictObject(told);

/** `agent_call`: calls an agent that was made in this run, and no other. */
export const agentCall: ToolHandler<MakerTool> = {
  parallel: true,
  quick: true,
  effect: () => 'none',
  spec: ({ name }) =>
    Promise.resolve({
      name,
      description:
        'Calls an agent that was made in this run with agent_create. It sees only what you write under `input` ' +
        'and the attachments, and answers once.',
      input_schema: schemaOf(input),
    }),
  action: ({ root }, args, workspace) => {
    const parsed = input.safeParse(args);
    return parsed.success
      ? callOf(parsed.data.agent, pathsOf(parsed.data.attachments, workspace, root))
      : { invalid: 'Expected `agent`, `input` and, if there are some, `attachments`.' };
  },
  async run({ root = '' }, args, context) {
    const { agent: name, ...asked } = input.parse(args);
    const { scope } = makingIn(context);
    const made = (await readMade(context.store, scope)).filter(({ kind }) => kind === 'agent');
    const entry = made.find((one) => one.name === name);
    return entry === undefined
      ? unknown(
          context,
          name,
          made.map((one) => one.name),
        )
      : called(entry.ref, asked, { ...context, root });
  },
};

/** An agent that was made in this run, by its own name: its maker has it as a tool from the turn after on. */
export const madeAgent: ToolHandler<MadeAgentTool> = {
  parallel: true,
  quick: true,
  effect: () => 'none',
  async spec({ name, description }, store) {
    const about = description === null ? `The agent \`${name}\`.` : await store.getText(description);
    return {
      name,
      description:
        `${about}\n\nAn agent that was made in this run. It sees only what you write under \`input\` and the ` +
        `attachments, and answers once.`,
      input_schema: schemaOf(direct),
    };
  },
  action: ({ name, root }, args, workspace) => {
    const parsed = direct.safeParse(args);
    return parsed.success
      ? callOf(name, pathsOf(parsed.data.attachments, workspace, root))
      : { invalid: 'Expected `input` and, if there are some, `attachments`.' };
  },
  run: ({ agent, root = '' }, args, context) => called(agent, direct.parse(args), { ...context, root }),
};

export function schemaOf(shape: z.ZodType): JsonObject {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(shape) as JsonObject; // zod makes plain JSON
  return schema;
}

/** Attachments from the workspace's root. */
export function pathsOf(attachments: string[] | undefined, workspace: string, root: string | undefined): string[] {
  return (attachments ?? []).map((path) => workspacePath(path, workspace, root));
}

function callOf(name: string, files: string[]): ReturnType<ToolHandler['action']> {
  return { kind: 'call', what: 'made', name, ...(files.length === 0 ? {} : { files }) };
}

/** Made agents are of one run: what an earlier one made is told with the way to keep it. */
async function unknown({ store, run }: ToolContext, name: string, known: string[]): Promise<ToolRun> {
  const origin = await readOrigin(store, name);
  if (origin !== null && origin.run !== run)
    return failed(
      `\`${name}\` was made in run \`${origin.run}\`, and is known there only. To keep it a person promotes it: ` +
        `copies \`${origin.file}\` beside the project's agents and lists it in \`agent_files\`. Here you may make ` +
        `it again.`,
    );
  return failed(`Dynamic agent '${name}' not found. Available: [${known.map((one) => `'${one}'`).join(', ')}]`);
}

async function called(
  ref: Hash,
  asked: { input: string; attachments?: string[] | undefined },
  context: ToolContext,
): Promise<ToolRun> {
  const { store } = context;
  const { agent, by } = (await store.get(ref)) as unknown as MadeAgent; // `agent_create` put it there
  const question = await questionOf(asked, context, makingIn(context).maker.permissions);
  if ('refusal' in question) return failed(question.refusal);
  const calls: CalledAgent = {
    agent: shortHash(ref),
    name: agent.name,
    model: agent.model,
    max_turns: agent.max_turns,
    by: shortHash(by),
    ...question,
  };
  return { content: null, is_error: false, called: calls };
}

/** What an agent is asked where files go along, stored; nothing where none do. Why, where one of them may not. */
export async function questionOf(
  { input: text, attachments = [] }: { input: string; attachments?: string[] | undefined },
  context: ToolContext,
  permissions: Permissions | undefined,
): Promise<{ question?: string } | { refusal: string }> {
  const files = await attached(attachments, context, permissions);
  if ('refusal' in files) return files;
  const isMore = Object.keys(files.texts).length + files.files.length > 0;
  return isMore ? { question: await storeQuestion(context.store, text, files) } : {};
}

/** What is attached: texts by their paths, and files as they are. */
interface Attached {
  texts: Record<string, string>;
  files: Attachment[];
}

async function storeQuestion(store: Store, text: string, { texts, files }: Attached): Promise<string> {
  const { ref } = await store.putAlways({ input: text, attachments: texts, files });
  return shortHash(ref);
}

/**
 * Texts of files as they are now: the call that comes again after a crash is shown the same. What needs a person's word
 * needs it here as well.
 */
async function attached(
  paths: string[],
  { store, workspace, allowed, root = '' }: ToolContext,
  permissions: Permissions | undefined,
): Promise<Attached | { refusal: string }> {
  const attached: Attached = { texts: {}, files: [] };
  if (permissions === undefined) return attached;
  let left = MOST_ATTACHED_BYTES;
  for (const written of paths) {
    const path = workspacePath(written, workspace, root);
    const verdict = judgeAction(permissions, { kind: 'read', path });
    if (verdict.verdict === 'deny') return { refusal: `Not allowed: ${verdict.reason}` };
    if (verdict.verdict === 'ask' && allowed !== true)
      return {
        refusal:
          `Not allowed: \`${path}\` is not attached without a person's word: ${verdict.reason} \`read_file\` asks ` +
          `a person; write what you read there under \`input\`.`,
      };
    try {
      const bytes = await readBytesFile({ workspace, permissions, root }, path, left);
      left -= bytes.length;
      const fault = await attach(attached, { name: fromRoot(path, root), bytes, store });
      if (fault !== null) return { refusal: `\`${written}\`: ${fault}` };
    } catch (error) {
      if (error instanceof FileRefusal)
        return { refusal: error instanceof MissingRefusal ? `Attachment not found: ${written}` : error.message };
      throw error;
    }
  }
  return attached;
}

/** Adds a file to what is attached, as a text or as it is; what is wrong with it, else null. */
async function attach(
  { texts, files }: Attached,
  { name, bytes, store }: { name: string; bytes: Buffer; store: Store },
): Promise<string | null> {
  const content = bytes.toString('latin1');
  const media = mediaOf(content);
  if (media === null) {
    if (name === '__proto__') return UNNAMEABLE;
    if (bytes.includes(0)) return 'it is no text, no PDF and no image.';
    texts[name] = bytes.toString('utf8');
    return null;
  }
  const reading = attachedTokens(content, media);
  if ('failure' in reading) return reading.failure;
  const data = await store.putAlways(bytes.toString('base64'));
  files.push({ name, media, data: { text: data.ref, bytes: data.bytes }, ...reading });
  return null;
}
