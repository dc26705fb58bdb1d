import { COMMENT_CHARACTERS } from '../../plan/gates/gate.js';
import { toText } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import { refusal } from '../../cli/exit-codes.js';
import { toContent } from '../../cli/follow/input/answer-value.js';
import type { Says } from '../../cli/follow/decide.js';
import { decide } from '../../cli/follow/decide.js';
import type { Sent } from '../data/answer-fields.js';
import { answerIn } from '../data/answer-fields.js';
import { fromField } from '../data/field-text.js';
import type { FoundGate } from '../data/found-gate.js';
import type { Site } from '../site.js';

/**
 * Sends what a form says, as `approve`, `reject` and `answer` do. It holds for what was shown alone: for another hash,
 * and where the same was asked anew since, it is refused here, and by the run itself.
 */
export async function sendDecision(
  { open, content, link }: FoundGate,
  sent: Sent,
  who: Decider,
  { session: { store } }: Site,
): Promise<void> {
  requireShown(open, sent);
  const { gate } = open;
  await decide(link.client, open, await saysOf(sent, who, { gate, content, store }), store);
}

/** Who decides, and the grant by which, where it is one. */
export type Decider = Pick<Says, 'by' | 'grant'>;

/** Throws a refusal where a form was made for what a gate showed before. */
export function requireShown({ gate }: FoundGate['open'], sent: Sent): void {
  if (sent['hash'] !== gate.hash)
    throw refusal(
      `Gate \`${gate.path}\` shows other content (${gate.hash}) than was decided on (${sent['hash'] ?? 'none'}). ` +
        `Nothing was decided: look again.`,
    );
  if (sent['since'] !== gate.since)
    throw refusal(`Gate \`${gate.path}\` was asked anew since it was shown to you. Nothing was decided: look again.`);
}

async function saysOf(
  sent: Sent,
  who: Decider,
  {
    gate,
    content,
    store,
  }: Pick<FoundGate, 'content'> & Pick<FoundGate['open'], 'gate'> & Pick<Site['session'], 'store'>,
): Promise<Says> {
  const comment = (sent['comment'] ?? '').replaceAll('\r\n', '\n').trim();
  if (comment.length > COMMENT_CHARACTERS)
    throw refusal(`Expected a comment of at most ${COMMENT_CHARACTERS} characters, got ${comment.length}.`);
  const said = { ...who, via: 'page' as const, ...(comment === '' ? {} : { comment }) };
  switch (sent['decision']) {
    case 'approve':
      return { ...said, decision: 'approve', ...(await editOf(sent, { content, store, path: gate.path })) };
    case 'reject':
      if (comment === '') throw refusal('Expected a reason with the rejection. Nothing was decided.');
      return { ...said, decision: 'reject' };
    case 'answer':
      return { ...said, decision: 'answer', value: await store.put(await answerIn(sent, gate)) };
    default:
      throw refusal('Expected the form to approve, to reject or to answer. Nothing was decided.');
  }
}

/** The content as it was edited; nothing where it is as it was asked. What was not shown is not approved. */
async function editOf(
  sent: Sent,
  { content, store, path }: Pick<FoundGate, 'content'> & Pick<Site['session'], 'store'> & { path: string },
): Promise<Pick<Says, 'edit'>> {
  const { edit, edited, escaped } = sent;
  if (edit === undefined) return {};
  if (content === null) throw refusal(`Gate \`${path}\` shows nothing that may be edited.`);
  const text = fromField(edit, escaped === 'yes');
  if (edited !== sha256(text))
    throw refusal('What you edited was changed after it was shown to you. Nothing was decided: look at it first.');
  const value = toContent(`${text}\n`, content.isText, 'the edited content');
  return toText(value) === content.text ? {} : { edit: await store.put(value) };
}
