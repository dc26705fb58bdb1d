import { ActivityCancellationDetails } from '@temporalio/common';
import { Context } from '@temporalio/activity';
import { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { endingSignal, singleFlight } from '../../../src/activities/attempt/single-start.js';

/** As long as a busy machine may take: one second would be waited otherwise. */
const PATIENTLY = { timeout: 90_000 };
const GIVEN_UP = new ActivityCancellationDetails({ notFound: true });
const CANCELLED = new ActivityCancellationDetails({ cancelRequested: true });

interface Work {
  signal: AbortSignal;
  end: () => void;
}

/** When the activity was scheduled, which every start of it tells: each shop has another. */
let scheduled = 0;

/** What was begun, in its order; each goes on until it is ended or its signal aborts. */
function workshop(patient: boolean): { works: Work[]; activity: () => Promise<string> } {
  scheduled += 1;
  const works: Work[] = [];
  const activity = singleFlight(
    async () => {
      const signal = endingSignal(Context.current());
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        works.push({ signal, end: resolve });
        signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
      });
      signal.throwIfAborted();
      return `work ${works.length}`;
    },
    { patient },
  );
  return { works, activity: () => activity(undefined) };
}

/** A start of the same activity; Temporal tells one from another by its token. */
function start(token: number, attempt = token): MockActivityEnvironment {
  return new MockActivityEnvironment({ taskToken: Buffer.from([token]), attempt, scheduledTimestampMs: scheduled });
}

/** The first start, once it is at work. */
async function begun({
  works,
  activity,
}: ReturnType<typeof workshop>): Promise<{ first: MockActivityEnvironment; earlier: Promise<unknown>; work: Work }> {
  const first = start(1);
  const earlier = first.run(activity);
  const work = await vi.waitUntil(() => works[0], PATIENTLY);
  return { first, earlier, work };
}

afterEach(() => {
  vi.useRealTimers();
});

describe('a later start of an activity that is still under way', () => {
  it('takes what the earlier one comes to where Temporal gave that up', async () => {
    const shop = workshop(true);
    const { first, work } = await begun(shop);
    first.cancel('NOT_FOUND', GIVEN_UP);
    const later = start(2).run(shop.activity);
    work.end();
    expect(await later).toBe('work 1');
    expect(work.signal.aborted).toBe(false);
    expect(shop.works).toHaveLength(1);
  });

  it('does it anew, after the earlier one, where it is no other try of the same', async () => {
    const shop = workshop(true);
    const { work } = await begun(shop);
    const later = start(2, 1).run(shop.activity);
    work.end();
    (await vi.waitUntil(() => shop.works[1], PATIENTLY)).end();
    expect(await later).toBe('work 2');
  });

  it('ends the earlier one first where its answer is not kept', async () => {
    const shop = workshop(false);
    const { earlier, work } = await begun(shop);
    const later = start(2).run(shop.activity);
    await earlier.catch(() => undefined);
    expect(work.signal.aborted).toBe(true);
    const second = await vi.waitUntil(() => shop.works[1], PATIENTLY);
    expect(second.signal.aborted).toBe(false);
    second.end();
    await later;
  });

  it('ends the earlier one when it is cancelled itself', async () => {
    const shop = workshop(true);
    const { first, earlier, work } = await begun(shop);
    first.cancel('NOT_FOUND', GIVEN_UP);
    const second = start(2);
    const later = second.run(shop.activity);
    second.cancel('CANCELLED', CANCELLED);
    await earlier.catch(() => undefined);
    expect(work.signal.aborted).toBe(true);
    await later.catch(() => undefined);
  });
});

describe('an activity that Temporal has given up', () => {
  it('ends after a while when no later start comes', async () => {
    const { first, earlier, work } = await begun(workshop(true));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    first.cancel('NOT_FOUND', GIVEN_UP);
    vi.advanceTimersByTime(7_999);
    expect(work.signal.aborted).toBe(false);
    vi.advanceTimersByTime(1);
    expect(work.signal.aborted).toBe(true);
    await earlier.catch(() => undefined);
  });

  it('ends at once when it was cancelled', async () => {
    const { first, earlier, work } = await begun(workshop(true));
    first.cancel('CANCELLED', CANCELLED);
    expect(work.signal.aborted).toBe(true);
    await earlier.catch(() => undefined);
  });
});

describe('a later start of an activity that has ended here, whose server did not hear of it', () => {
  it('has the result of the earlier one, and does nothing', async () => {
    const shop = workshop(true);
    const { earlier, work } = await begun(shop);
    work.end();
    expect(await earlier).toBe('work 1');
    expect(await start(2).run(shop.activity)).toBe('work 1');
    expect(shop.works).toHaveLength(1);
  });

  it('does it anew where the interpreter begins it anew', async () => {
    const shop = workshop(true);
    const { earlier, work } = await begun(shop);
    work.end();
    await earlier;
    scheduled += 1;
    const anew = start(2).run(shop.activity);
    (await vi.waitUntil(() => shop.works[1], PATIENTLY)).end();
    expect(await anew).toBe('work 2');
  });
});
