import type { Plan } from '../../plan/plan.js';
import type { Webhook } from '../../plan/triggers/webhook.js';
import { WEBHOOK_EVENT } from '../../plan/triggers/webhook.js';
import { compileCondition } from '../expressions/template.js';
import type { AuthoredWebhook } from '../formats/on.js';
import type { Node } from '../text/node.js';
import { memberOf } from '../text/node.js';
import type { EventTools } from './event-inputs.js';
import { compileInputs, eventTemplates } from './event-inputs.js';

const USUAL = { kb: 256, per_minute: 60, open: 10 };

/** A webhook in normal form; what is wrong with it is reported. */
export function compileWebhook(
  { signature, secret, max_kb, max_per_minute, max_open }: AuthoredWebhook,
  node: Node,
  plan: Plan | null,
  tools: EventTools,
): Webhook {
  const templates = eventTemplates(WEBHOOK_EVENT, tools);
  const when = memberOf(node, 'when');
  return {
    signature,
    secret: secret.slice('${env.'.length, -1),
    when: when === null ? null : compileCondition(when, templates),
    inputs: compileInputs(node, plan?.inputs ?? null, templates),
    max_bytes: (max_kb ?? USUAL.kb) * 1024,
    max_per_minute: max_per_minute ?? USUAL.per_minute,
    max_open: max_open ?? USUAL.open,
  };
}
