import type { MadeTool } from '../../../plan/tools/tool.js';
import { stepFailure } from '../../failures.js';
import type { MadeEntry } from '../../made/registry.js';
import { MOST_MADE, addMade, readMade } from '../../made/registry.js';
import { failed } from '../handler/builtin.js';
import type { Making, ToolContext, ToolRun } from '../handler/handler.js';

/** What a maker works with. Only agents have makers: who calls one without is a fault of ours. */
export function makingIn({ making }: ToolContext): Making {
  if (making === undefined) throw stepFailure('internal', 'A tool that makes others was called by no agent.');
  return making;
}

/** A tool or a workflow that is made for the conversation, by the name that it shall have. */
export interface ToMake {
  kind: 'tool' | 'workflow';
  name: string;
  /** Tells whether something that was made before has its name, or is what this very call made. */
  isTaken: (before: MadeEntry) => boolean;
  /** Compiles it, and stores what it needs beside its text. */
  make: () => Promise<{ problems: string } | { text: string; tool: MadeTool }>;
}

/**
 * Makes a definition for the conversation and remembers it. Where the same call comes again, because a worker was lost
 * after it, what it made is given. The caller holds `inTurn`.
 */
export async function makeOnce(
  { kind, name, isTaken, make }: ToMake,
  { store, call = '', allowed }: ToolContext,
  { scope }: Making,
): Promise<ToolRun> {
  const before = await readMade(store, scope);
  const same = before.find((entry) => entry.name.toLowerCase() === name.toLowerCase() && isTaken(entry));
  if (same !== undefined && same.call === call)
    // it was put there below
    return { content: name, is_error: false, made: (await store.get(same.ref)) as unknown as MadeTool };
  if (same !== undefined)
    return failed(`This run has made the ${same.kind} \`${same.name}\` already; choose another name.`);
  if (before.length >= MOST_MADE)
    return failed(`This run has made ${MOST_MADE} definitions already, which is all that it may.`);
  const made = await make();
  if ('problems' in made) return failed(made.problems);
  const { ref } = await store.putAlways({ ...made.tool }); // texts and names
  const { ref: text } = await store.putAlways(made.text);
  await addMade(store, scope, { kind, name, ref, call, text, ...(allowed === true ? { shown: true } : {}) });
  return { content: name, is_error: false, made: made.tool };
}
