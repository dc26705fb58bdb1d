import { usageError } from '../../cli/exit-codes.js';
import type { Session } from '../../cli/session.js';
import type { Terminal } from '../../cli/terminal.js';
import type { ServerAttributes } from '../../cli/submit/start-run.js';
import { prepareTrigger, storePrepared } from '../../cli/triggers/prepare-trigger.js';
import { projectMark } from '../../cli/triggers/trigger-owner.js';
import { triggeredDefinitions } from '../../cli/triggers/triggered-definitions.js';
import { LEAST_BYTES, isSecret } from '../../activities/notices/webhook-signature.js';
import type { SignatureKind } from '../../plan/triggers/webhook.js';
import type { Hook } from './hook.js';
import { ownOf } from '../../plan/values/own.js';

/** A secret that is shorter can be guessed. */
const SHORTEST_SECRET = 16;

/**
 * Every webhook of the project's definitions, with what its runs are started with in the store. Throws a usage error
 * where there is none, or where a secret is not in the environment, and where a definition has problems.
 */
export async function openHooks(
  session: Session,
  how: { by: string; attributes: ServerAttributes; terminal: Terminal },
): Promise<Map<string, Hook>> {
  const { terminal } = how;
  const { definitions, broken } = await triggeredDefinitions(session, terminal);
  const [first] = broken;
  if (first !== undefined) throw first.problems;
  const project = projectMark(session);
  const hooks = new Map<string, Hook>();
  for (const definition of definitions) {
    const { plan, triggers } = definition.compiled;
    const { webhook } = triggers;
    if (webhook === undefined) continue;
    const secret = ownOf(terminal.env, webhook.secret) ?? '';
    const lack = lackOf(webhook.signature, secret);
    if (lack !== null)
      throw usageError(
        `Expected the variable \`${webhook.secret}\` to hold the secret of the webhook of \`${definition.name}\`, ` +
          `${lack}.`,
        `It stands in ${definition.file}, under \`on.webhook.secret\`.`,
      );
    const prepared = await prepareTrigger(definition, webhook.inputs, session, how);
    const ref = await storePrepared(prepared, definition, session.store);
    hooks.set(definition.name, { name: definition.name, project, webhook, secret, plan, prepared, ref });
  }
  if (hooks.size > 0) return hooks;
  throw usageError('No definition has `on: {webhook: …}`.', 'docs/triggers.md says what it is.');
}

/** What a secret was to be; null for one that will do. What is not base 64 would make a key of a few bytes, or none. */
function lackOf(signature: SignatureKind, secret: string): string | null {
  if (signature === 'standard')
    return isSecret(secret) ? null : `\`whsec_\` and at least ${LEAST_BYTES} bytes in base 64`;
  return secret.length >= SHORTEST_SECRET ? null : `of at least ${SHORTEST_SECRET} characters`;
}
