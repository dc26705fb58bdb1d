import { z } from 'zod';
import type { HookedWhen } from '../../../plan/tools/hook.js';
import { keyTwice } from '../../../plan/values/key-twice.js';
import type { ProgramEnd } from '../shell/program.js';

/** What one hook says of a call. `stop`: the agent does not go on. */
export type HookWord =
  | { kind: 'passes'; told?: string }
  | { kind: 'asks'; reason: string }
  | { kind: 'denies'; reason: string }
  | { kind: 'stops'; reason: string };

/** How a shell ends that has not found or not started what it was to run; more is a signal. */
const NOT_RUN = 126;
const FORBIDS = 2;

const outputSchema = z.object({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  decision: z.string().optional(),
  reason: z.string().optional(),
  hookSpecificOutput: z
    .object({
      permissionDecision: z.string().optional(),
      permissionDecisionReason: z.string().optional(),
      updatedInput: z.unknown().optional(),
      updatedMCPToolOutput: z.unknown().optional(),
      updatedToolOutput: z.unknown().optional(),
      additionalContext: z.string().optional(),
    })
    .optional(),
});
type Output = z.infer<typeof outputSchema>;
type More = NonNullable<Output['hookSpecificOutput']>;

/**
 * Reads how a hook has ended, by the protocol of Claude Code: exit code 2 forbids, 0 may say more in JSON, another one
 * says nothing. Where a hook before a call did not come to a word, the call is forbidden: nobody knows what it would
 * have said. A hook allows nothing and changes nothing, whatever it says.
 */
export function wordOf(when: HookedWhen, end: ProgramEnd): HookWord {
  if ('failure' in end) return wordless(when, end.failure);
  const { exit_code: code, stdout, stderr } = end.output;
  if (code >= NOT_RUN) return wordless(when, `It ended with exit code ${code}. ${stderr.trim()}`.trim());
  if (code === FORBIDS) return forbidden(when, stderr.trim() || 'it gives no reason');
  if (code !== 0 || !stdout.trim().startsWith('{')) return { kind: 'passes' };
  const output = parse(stdout);
  return output === null ? wordless(when, 'What it wrote is not the JSON of a hook.') : said(when, output);
}

function parse(stdout: string): Output | null {
  try {
    const output: unknown = JSON.parse(stdout);
    return keyTwice(stdout) === null ? (outputSchema.safeParse(output).data ?? null) : null;
  } catch {
    return null;
  }
}

function said(when: HookedWhen, output: Output): HookWord {
  const { decision, reason } = output;
  const more: More = output.hookSpecificOutput ?? {};
  if (output.continue === false) return { kind: 'stops', reason: output.stopReason ?? reason ?? 'it gives no reason' };
  const why = more.permissionDecisionReason ?? reason ?? 'it gives no reason';
  // `block` by the protocol; a word that it does not have was not meant to let the call pass.
  if (decision !== undefined && decision !== 'approve') return forbidden(when, why);
  return when === 'before' ? saidBefore(more, why) : saidAfter(more);
}

function saidBefore(
  { permissionDecision: word = 'allow', updatedInput, additionalContext }: More,
  why: string,
): HookWord {
  if (word === 'deny') return { kind: 'denies', reason: why };
  if (updatedInput !== undefined)
    return { kind: 'denies', reason: 'it wanted to change what the call is given, which no hook does here' };
  if (word === 'ask') return { kind: 'asks', reason: why };
  // That a hook allows a call is no word: the permissions say so.
  return word === 'allow' ? passing(additionalContext) : { kind: 'denies', reason: `it says \`${word}\`: ${why}` };
}

function saidAfter({ updatedMCPToolOutput, updatedToolOutput, additionalContext }: More): HookWord {
  if (updatedMCPToolOutput === undefined && updatedToolOutput === undefined) return passing(additionalContext);
  const note = 'It wanted to replace what the call gave, which no hook does here.';
  return passing(additionalContext === undefined ? note : `${additionalContext}\n${note}`);
}

function passing(told: string | undefined): HookWord {
  return told === undefined ? { kind: 'passes' } : { kind: 'passes', told };
}

/** What was done cannot be forbidden any more: the model is told why it should not have been. */
function forbidden(when: HookedWhen, reason: string): HookWord {
  return when === 'before' ? { kind: 'denies', reason } : { kind: 'passes', told: reason };
}

function wordless(when: HookedWhen, why: string): HookWord {
  const reason = `it did not come to a word. ${why}`;
  return when === 'before' ? { kind: 'denies', reason } : { kind: 'passes', told: `A hook after the call: ${reason}` };
}
