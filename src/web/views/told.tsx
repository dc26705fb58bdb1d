import type { Narration } from '../../plan/narration/record.js';
import { safeLine } from '../../cli/text/safe-text.js';

/** What narrator and teacher say of a run, the latest first; nothing of one that nobody has told of. */
export function Told({ narration }: { narration: Narration | null }) {
  const [latest, ...earlier] = [...(narration?.messages ?? [])].reverse();
  const lessons = [...(narration?.lessons ?? [])].reverse();
  return (
    <>
      {/* Of what stands in it only the latest is read out when it comes. */}
      <div aria-live="polite">
        <div id="run-said" data-part>
          {latest === undefined ? null : <Message {...latest} />}
        </div>
      </div>
      <div id="run-told" data-part>
        {earlier.length === 0 ? null : (
          <details>
            <summary>Said before</summary>
            {earlier.map((message) => (
              <Message {...message} />
            ))}
          </details>
        )}
        {lessons.length === 0 ? null : (
          <>
            <h2>What one can learn here</h2>
            <ul class="cards">
              {lessons.map(({ headline, explanation, tell_me_more }) => (
                <li class="card">
                  <p class="card-title">{safeLine(headline)}</p>
                  <p>{safeLine(explanation)}</p>
                  {tell_me_more.trim() === '' ? null : (
                    <details>
                      <summary>More about “{safeLine(headline)}”</summary>
                      <p>{safeLine(tell_me_more)}</p>
                    </details>
                  )}
                </li>
              ))}
            </ul>
          </>
        )}
      </div>
    </>
  );
}

function Message({ mood, text }: Narration['messages'][number]) {
  return (
    <p class="said">
      <span class="tag">{mood}</span> {safeLine(text)}
    </p>
  );
}
