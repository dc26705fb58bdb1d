import { usageError } from '../../cli/exit-codes.js';
import type { Session, Workspace } from '../../cli/session.js';
import type { Terminal } from '../../cli/terminal.js';
import type { ServerAttributes } from '../../cli/submit/start-run.js';
import { prepareTrigger, storePrepared } from '../../cli/triggers/prepare-trigger.js';
import { projectMark } from '../../cli/submit/project-mark.js';
import type { TriggeredDefinition } from '../../cli/triggers/triggered-definitions.js';
import { triggeredDefinitions } from '../../cli/triggers/triggered-definitions.js';
import { LEAST_BYTES, isSecret } from '../../activities/notices/webhook-signature.js';
import type { SignatureKind, Webhook } from '../../plan/triggers/webhook.js';
import type { Hook } from './hook.js';
import { ownOf } from '../../plan/values/own.js';

/** A secret that is shorter can be guessed. */
const SHORTEST_SECRET = 16;

/** A webhook that a definition names, and its secret. */
export interface WantedHook {
  definition: TriggeredDefinition;
  webhook: Webhook;
  secret: string;
}

/**
 * Every webhook of the project's definitions. Starts nothing. Throws a usage error where there is none, or where a
 * secret is not in the environment, and where a definition has problems.
 */
export async function findHooks(workspace: Workspace, terminal: Terminal): Promise<WantedHook[]> {
  const { definitions, broken } = await triggeredDefinitions(workspace, terminal);
  const [first] = broken;
  if (first !== undefined) throw first.problems;
  const found = definitions.flatMap((definition): WantedHook[] => {
    const { webhook } = definition.compiled.triggers;
    if (webhook === undefined) return [];
    const secret = ownOf(terminal.env, webhook.secret) ?? '';
    const lack = lackOf(webhook.signature, secret);
    if (lack === null) return [{ definition, webhook, secret }];
    throw usageError(
      `Expected the variable \`${webhook.secret}\` to hold the secret of the webhook of \`${definition.name}\`, ` +
        `${lack}.`,
      `It stands in ${definition.file}, under \`on.webhook.secret\`.`,
    );
  });
  if (found.length > 0) return found;
  throw usageError('No definition has `on: {webhook: …}`.', 'docs/triggers.md says what it is.');
}

/** The webhooks, with what their runs are started with in the store. */
export async function openHooks(
  wanted: WantedHook[],
  session: Session,
  how: { by: string; attributes: ServerAttributes; terminal: Terminal },
): Promise<Map<string, Hook>> {
  const project = projectMark(session);
  const hooks = new Map<string, Hook>();
  for (const { definition, webhook, secret } of wanted) {
    const { name, compiled } = definition;
    const prepared = await prepareTrigger(definition, webhook.inputs, session, how);
    const ref = await storePrepared(prepared, definition, session.store);
    hooks.set(name, { name, project, webhook, secret, plan: compiled.plan, prepared, ref });
  }
  return hooks;
}

/** What a secret was to be; null for one that will do. What is not base 64 would make a key of a few bytes, or none. */
function lackOf(signature: SignatureKind, secret: string): string | null {
  if (signature === 'standard')
    return isSecret(secret) ? null : `\`whsec_\` and at least ${LEAST_BYTES} bytes in base 64`;
  return secret.length >= SHORTEST_SECRET ? null : `of at least ${SHORTEST_SECRET} characters`;
}
