import type { Following, GateBill } from '../../cli/bill/gate-bill.js';
import { budgetText, costText, noneOutside, perItemText, roundsText, timeText } from '../../cli/bill/bill-words.js';
import { plural } from '../../cli/text/format.js';
import { safeLine, safeName } from '../../cli/text/safe-text.js';

/** What is approved beside the content: what happens then, what of it cannot be taken back, and what it may cost. */
export function Bill({ bill, asks }: { bill: GateBill; /** It is answered, not approved. */ asks: boolean }) {
  const { follows, rounds, perItem } = bill;
  const external = follows.filter(({ effect }) => effect === 'external');
  return (
    <section class="bill" aria-labelledby="bill">
      <h2 id="bill">{asks ? 'Once it is answered' : 'If it is approved'}</h2>
      <dl>
        <dt>Changes the world outside</dt>
        <dd>
          {external.length === 0 ? (
            noneOutside(bill)
          ) : (
            <ul class="external">
              {external.map((step) => (
                <li>
                  <strong>{safeName(step.name)}</strong> <span class="kind">{step.kind}</span>{' '}
                  <code>{safeLine(step.what)}</code>
                  {step.conditional ? <span class="quiet"> on a condition</span> : null}
                </li>
              ))}
            </ul>
          )}
        </dd>
        <dt>May cost</dt>
        <dd>{costText(bill)}</dd>
        <dt>May take</dt>
        <dd>{timeText(bill)}</dd>
        <dt>Budget that stays</dt>
        <dd>{budgetText(bill.budget)}</dd>
      </dl>
      {follows.length === 0 ? null : (
        <details>
          <summary>{plural(follows.length, 'step')} can begin</summary>
          <ol class="follows">
            {follows.map((step) => (
              <FollowingLine step={step} />
            ))}
          </ol>
        </details>
      )}
      {rounds.map((one) => (
        <p class="quiet">{roundsText(one)}</p>
      ))}
      {perItem.length === 0 ? null : <p class="quiet">{perItemText(perItem)}</p>}
    </section>
  );
}

function FollowingLine({ step: { name, kind, what, effect, conditional, depth } }: { step: Following }) {
  return (
    <li class={`depth-${Math.min(depth, 6)}`}>
      {safeName(name)} <span class="kind">{kind}</span> <code>{safeLine(what)}</code>
      {effect === 'none' ? null : <span class="tag">{effect}</span>}
      {conditional ? <span class="tag">on a condition</span> : null}
    </li>
  );
}
