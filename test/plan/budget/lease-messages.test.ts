import { describe, expect, it } from 'vitest';
import { NONE } from '../../../src/plan/budget/amounts.js';
import { isLedgerMail } from '../../../src/plan/budget/lease-messages.js';
import { NO_RESTRICTIONS } from '../../../src/plan/budget/steering.js';

const claim = { kind: 'claim', seq: 1, want: NONE, like: NONE, back: NONE, busy: [], seen: 0 };
const release = { kind: 'release', back: NONE, done: [], busy: ['steps'], final: [], seen: 2 };
const grant = { kind: 'grant', seq: 1, claim: 2, amounts: { ...NONE, tokens: Number.MAX_SAFE_INTEGER } };
const recall = { kind: 'recall', want: NONE };
const spend = { usd: 0.5, tokens: 10, steps: 2 };
const left = { spend, charged: spend };
const without = (from: object, name: string): object =>
  Object.fromEntries(Object.entries(from).filter(([other]) => other !== name));

describe('what runs of a tree say to each other of their budget', () => {
  it.each<[string, object]>([
    ['a claim', { up: claim }],
    ['a release', { up: release }],
    ['a grant', { down: grant }],
    ['a recall', { down: recall }],
    ['what may not be done', { climate: NO_RESTRICTIONS }],
    ['what may not be done, by another quota', { climate: { ...NO_RESTRICTIONS, quota: { usd: 1, user_usd: null } } }],
    ['a quota that is used up', { quota: { message: 'used', until: '2026-11-28T00:00:00.000Z' } }],
    ['why it is cut off next', { cut: '`each` failed' }],
    ['a last word', { up: release, left }],
    ['a last word of a cost that nobody knows', { up: release, left: { ...left, spend: { ...spend, usd: null } } }],
    [
      'a last word with what is assumed',
      { up: release, left: { spend, charged: { ...spend, assumed: { usd: 0, tokens: 5 } } } },
    ],
  ])('is taken: %s', (_, mail) => {
    expect(isLedgerMail({ from: 'run-1', ...mail })).toBe(true);
    expect(isLedgerMail(mail)).toBe(false);
    expect(isLedgerMail({ from: 5, ...mail })).toBe(false);
  });

  it.each<[string, object]>([
    ...Object.keys(claim).map((name): [string, object] => [`a claim without ${name}`, { up: without(claim, name) }]),
    ...Object.keys(release).map((name): [string, object] => [
      `a release without ${name}`,
      { up: without(release, name) },
    ]),
    ...Object.keys(grant).map((name): [string, object] => [`a grant without ${name}`, { down: without(grant, name) }]),
    ...Object.keys(recall).map((name): [string, object] => [
      `a recall without ${name}`,
      { down: without(recall, name) },
    ]),
    ...Object.keys(NO_RESTRICTIONS).map((name): [string, object] => [
      `restrictions without ${name}`,
      { climate: without(NO_RESTRICTIONS, name) },
    ]),
    ...Object.keys(NONE).flatMap((name): [string, object][] => [
      [`a recall without ${name}`, { down: { ...recall, want: without(NONE, name) } }],
      [`a claim that gives back no ${name}`, { up: { ...claim, back: without(NONE, name) } }],
    ]),
    ...Object.keys(spend).flatMap((name): [string, object][] => [
      [`a last word without its ${name}`, { up: release, left: { ...left, spend: without(spend, name) } }],
      [`a last word that counts no ${name}`, { up: release, left: { ...left, charged: without(spend, name) } }],
    ]),
    ['a cut without a reason', { cut: 5 }],
    ['a quota that is used up for no reason', { quota: { until: '2026-11-28T00:00:00.000Z' } }],
    ['a quota that is used up until nobody knows', { quota: { message: 'used', until: 'soon' } }],
    ['restrictions by a quota of nothing', { climate: { ...NO_RESTRICTIONS, quota: { usd: 0, user_usd: null } } }],
    ['amounts in words', { down: { ...recall, want: { ...NONE, steps: '1' } } }],
    ['amounts below nothing', { down: { ...recall, want: { ...NONE, steps: -1 } } }],
    ['half a step', { down: { ...recall, want: { ...NONE, steps: 0.5 } } }],
    ['more than can be counted', { down: { ...recall, want: { ...NONE, steps: 2 ** 53 } } }],
    ['no amounts', { down: { ...recall, want: null } }],
    ['a text for a message', { down: 'recall' }],
    ['nothing for a message', { up: null }],
    ['nothing for restrictions', { climate: null }],
    ['a release of another word', { up: { ...release, kind: 'give' } }],
    ['a release with a text for a list', { up: { ...release, busy: 'steps' } }],
    ['a claim with a text for a list', { up: { ...claim, busy: 'steps' } }],
    ['a grant of another word', { down: { ...grant, kind: 'give' } }],
    ['a last word that is nothing', { up: release, left: null }],
    ['a last word that is a text', { up: release, left: 'all' }],
    ['a last word of what it paid alone', { up: release, left: { spend } }],
    ['a last word of what it counts alone', { up: release, left: { charged: spend } }],
    ['a last word of endless cost', { up: release, left: { ...left, spend: { ...spend, usd: Infinity } } }],
    ['a last word of a cost below nothing', { up: release, left: { ...left, spend: { ...spend, usd: -1 } } }],
    ['a last word of a cost in words', { up: release, left: { ...left, spend: { ...spend, usd: '1' } } }],
    ['a last word that counts what nobody knows', { up: release, left: { ...left, charged: { ...spend, usd: null } } }],
    ['a last word of assumptions that are none', { up: release, left: { spend, charged: { ...spend, assumed: 5 } } }],
    [
      'a last word of half of its assumptions',
      { up: release, left: { spend, charged: { ...spend, assumed: { usd: 1 } } } },
    ],
    [
      'a last word of assumptions below nothing',
      { up: release, left: { spend, charged: { ...spend, assumed: { usd: -1, tokens: 1 } } } },
    ],
  ])('is dropped: %s', (_, mail) => {
    expect(isLedgerMail({ from: 'run-1', ...mail })).toBe(false);
  });

  it.each([null, undefined, 'mail', 5])('is dropped: %j', (value) => {
    expect(isLedgerMail(value)).toBe(false);
  });
});
