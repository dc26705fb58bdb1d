import { formatCount } from '../../cli/text/format.js';
import { safeName } from '../../cli/text/safe-text.js';
import type { Conversation } from '../data/conversation.js';
import type { Utterance } from '../data/utterances.js';
import { Content } from './content.js';

/** The prompt as it was rendered, and turn by turn what the model said, called and was told. */
export function ConversationView({ conversation }: { conversation: Conversation }) {
  const { others, shown, first, next, missing } = conversation;
  return (
    <section class="conversation" aria-labelledby="conversation">
      <h2 id="conversation">Conversation</h2>
      {others.length < 2 ? null : (
        <nav class="tries" aria-label="Tries and agents that were called">
          {others.map(({ name, href, isShown }) => (
            <a href={href} aria-current={isShown ? 'true' : undefined}>
              {safeName(name)}
            </a>
          ))}
        </nav>
      )}
      {missing === null ? null : <Content text={missing} label="It cannot be shown" />}
      {first === null ? null : (
        <p>
          <a href={first}>From its beginning</a>
        </p>
      )}
      {shown.map((utterance) => (
        <UtteranceView utterance={utterance} />
      ))}
      {next === null ? null : (
        <p>
          <a href={next}>What was said after that</a>
        </p>
      )}
    </section>
  );
}

function UtteranceView({ utterance: { label, text, turn, aside } }: { utterance: Utterance }) {
  return (
    <>
      {turn === null ? null : <h3>Turn {turn}</h3>}
      {aside ? (
        <details>
          <summary>
            {label} · {formatCount(text.length)} characters
          </summary>
          <Content text={text} label={label} />
        </details>
      ) : (
        <Content text={text} label={label} />
      )}
    </>
  );
}
