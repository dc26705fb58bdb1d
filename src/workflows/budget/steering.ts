import { ApplicationFailure, defineSignal, defineUpdate, log, setHandler } from '@temporalio/workflow';
import { raise } from '../../plan/budget/ledger.js';
import { STEER } from '../../plan/names.js';
import type { Additions, Steer, SteerReceipt } from '../../plan/budget/steering.js';
import { MOST_SAID, additionsOf, isResumable, isSteer } from '../../plan/budget/steering.js';
import type { RunContext } from '../state/context.js';
import { endPause, proceed, setPause, stopRun } from './account.js';
import { restrictionsOf } from '../state/account.js';
import type { BudgetAccount } from '../state/account.js';
import { addRemark, remarkRefusal } from '../state/remarks.js';

const steerUpdate = defineUpdate<SteerReceipt, [Steer]>(STEER);
const steerSignal = defineSignal<[Steer]>(STEER);

type Speaking = Pick<RunContext, 'account' | 'conversations'>;

/** Requests that are remembered, so that none is done twice. */
const REMEMBERED = 200;

/**
 * Listens to who steers the run, from the first task on; update and signal run the same checks. `onMessage` counts them
 * (I12).
 */
export function listenToSteerers(context: Speaking, onMessage: (kind: 'signals' | 'updates') => void): void {
  setHandler(
    steerUpdate,
    (steer) => {
      onMessage('updates');
      return take(context, steer);
    },
    {
      validator: (steer) => {
        const refusal = refusalOf(context, steer);
        if (refusal !== null)
          throw ApplicationFailure.create({ type: 'steering-refused', nonRetryable: true, message: refusal });
      },
    },
  );
  setHandler(steerSignal, (steer) => {
    onMessage('signals');
    const refusal = refusalOf(context, steer);
    if (refusal === null) take(context, steer);
    else log.warn(`A request by signal was refused: ${refusal}`);
  });
}

/** Why a request is not done, or null. What was done before is answered again, whatever has changed since. */
function refusalOf({ account, conversations }: Speaking, steer: unknown): string | null {
  if (!isSteer(steer))
    return (
      'Expected a request {id, by, kind: pause | resume | abort}, {id, by, kind: budget, add: {usd?, tokens?, ' +
      `steps?, minutes?}} with amounts above 0, or {id, by, kind: say, path, text} of at most ${MOST_SAID} characters.`
    );
  if (account.done.includes(steer.id)) return null;
  const { own, fromAbove, run } = account;
  switch (steer.kind) {
    case 'pause':
    case 'abort':
      return null;
    case 'resume': {
      const pause = own.pause ?? fromAbove.pause;
      if (pause === null || (pause === own.pause && isResumable(pause))) return null;
      return isResumable(pause)
        ? `The run was paused with \`${pause.run}\`: resume that.`
        : `The run is paused by its limit \`${pause.cause}\`: ${pause.message}. Add to it, or stop with \`perdure ` +
            `budget ${pause.run} --abort\`.`;
    }
    case 'say':
      return own.stop === null && fromAbove.stop === null
        ? remarkRefusal(conversations, steer.path)
        : `The run \`${run}\` is being stopped: its agents are asked nothing more.`;
    case 'budget':
      return unlimitedIn(account, steer.add);
  }
}

/** Why nothing can be added: a limit that the run does not have; null where it has all. */
function unlimitedIn({ ledger, clock, run }: BudgetAccount, add: Additions): string | null {
  const unlimited = additionsOf(add).find(({ resource }) =>
    resource === null ? clock === null : ledger.cap[resource] === null,
  );
  return unlimited === undefined
    ? null
    : `The run \`${run}\` has no limit \`${unlimited.limit}\` of its own to add to.`;
}

function take({ account, conversations }: Speaking, steer: Steer): SteerReceipt {
  if (!account.done.includes(steer.id)) {
    account.done = [...account.done, steer.id].slice(-REMEMBERED);
    if (steer.kind === 'say') addRemark(conversations, steer.path, { by: steer.by, text: steer.text });
    else {
      obey(account, steer);
      proceed(account);
      account.onChange();
    }
  }
  const { pause, stop } = restrictionsOf(account);
  return { run: account.run, status: stop !== null ? 'stopping' : pause !== null ? 'paused' : 'running' };
}

function obey(account: BudgetAccount, steer: Exclude<Steer, { kind: 'say' }>): void {
  const { own } = account;
  switch (steer.kind) {
    case 'pause':
      // In place of a limit's, which would end with an addition: only a word ends what a person has asked for.
      if (own.pause?.cause !== 'request')
        setPause(account, {
          cause: 'request',
          run: account.run,
          message: `paused by ${steer.by}`,
          by: steer.by,
          since: new Date().toISOString(),
        });
      return;
    case 'resume':
      if (steer.quota !== undefined) account.own = { ...own, quota: steer.quota };
      account.ledger.exhausted = null; // a limit that is still used up says so again
      return endPause(account);
    case 'budget':
      return addTo(account, steer);
    case 'abort':
      return stopRun(account, { cause: 'abort', status: 'partial', message: `stopped by ${steer.by}` });
  }
}

/** What is added to a limit ends the pause that it made. */
function addTo(account: BudgetAccount, steer: Steer & { kind: 'budget' }): void {
  for (const { limit, resource, amount } of additionsOf(steer.add)) {
    if (resource !== null) raise(account.ledger, resource, amount);
    else if (account.clock !== null) account.clock.limit_ms += amount;
    if (account.own.pause?.cause === limit) endPause(account);
    if (limit === 'max_cost_usd' || limit === 'max_tokens') account.own = { ...account.own, degrade: null };
  }
}
