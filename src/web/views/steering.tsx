import type { RunView } from '../../cli/observe/view/view.js';
import { isResumable } from '../../plan/budget/steering.js';
import { ADDITIONS } from '../../cli/follow/additions.js';
import { safeLine } from '../../cli/text/safe-text.js';
import { runPath } from '../paths.js';

/** What a person may do with an open run. */
export function Steering({ view }: { view: RunView }) {
  const { run, pause, cancelling } = view;
  const steer = `${runPath(run)}/steer`;
  const isPaused = pause != null;
  return (
    <section class="steering" aria-label="Steering">
      {isPaused ? <p class="warning">‖ {safeLine(pause.message)}. Nothing new starts, nothing is lost.</p> : null}
      <div class="buttons">
        {isPaused && !isResumable(pause) ? null : (
          <form method="post" action={steer}>
            <button name="wish" value={isPaused ? 'resume' : 'pause'}>
              {isPaused ? 'Resume' : 'Pause'}
            </button>
          </form>
        )}
        <details open={isPaused && !isResumable(pause)}>
          <summary>Budget…</summary>
          <form method="post" action={steer} class="decide">
            <input type="hidden" name="of" value={pause?.run ?? run} />
            {Object.entries(ADDITIONS).map(([what, { about, whole }]) => (
              <label>
                Add {about}
                <input name={`add-${what}`} inputmode={whole ? 'numeric' : 'decimal'} autocomplete="off" />
              </label>
            ))}
            <button name="wish" value="budget" class="primary">
              Add
            </button>
          </form>
        </details>
        <details>
          <summary>Stop…</summary>
          <form method="post" action={steer}>
            <p>What runs goes on to its end, nothing new starts, and what is done is kept.</p>
            <button name="wish" value="abort" class="danger">
              Stop it with what it has
            </button>
          </form>
          <form method="post" action={`${runPath(run)}/cancel`}>
            <p>What runs is ended now.</p>
            <button class="danger" disabled={cancelling}>
              {cancelling ? 'It is being cancelled' : 'Cancel'}
            </button>
          </form>
        </details>
      </div>
    </section>
  );
}
