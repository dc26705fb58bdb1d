import type { Json, JsonObject } from '../../plan/values/json.js';
import { costWords, rangeWords, timeWords } from '../forecast/forecast-words.js';
import { formatCount, formatUsd, plural } from '../text/format.js';
import { safeName } from '../text/safe-text.js';
import type { OpenGate } from '../observe/view/view.js';
import type { GateBill } from './gate-bill.js';

/** A bill in lines of text: what follows, what of it acts outside, cost, time, and the budget that stays. */
export function billLines(bill: GateBill, gate: Pick<OpenGate['gate'], 'kind' | 'options'>): string[] {
  const { follows, rounds, perItem } = bill;
  const external = follows.flatMap(({ name, effect }) => (effect === 'external' ? [safeName(name)] : []));
  const outside = external.length === 0 ? noneOutside(bill) : external.join(', ');
  const then = isAnswered(gate) ? 'Once it is answered' : 'If it is approved';
  return [
    ...(follows.length === 0
      ? [`${then}: no other step begins`]
      : [
          `${then}: ${plural(follows.length, 'step')} can begin`,
          `Changes the world outside: ${outside}`,
          `May cost: ${costText(bill)}`,
          `May take: ${timeText(bill)}`,
        ]),
    `Budget that stays: ${budgetText(bill.budget)}`,
    ...rounds.map(roundsText),
    ...(perItem.length === 0 ? [] : [perItemText(perItem)]),
  ];
}

/** Tells whether a gate is answered, not approved. */
export function isAnswered({ kind, options }: Pick<OpenGate['gate'], 'kind' | 'options'>): boolean {
  return kind === 'ask' || options !== undefined;
}

/** That nothing is known to change the world outside. */
export function noneOutside({ made }: Pick<GateBill, 'made'>): string {
  return made.length === 0 ? 'nothing that its author marks so' : `what ${namesOf(made)} does is known once it begins`;
}

function namesOf(names: string[]): string {
  return names.map(safeName).join(', ');
}

/** That a loop may go on, and how far. */
export function roundsText({ name, left }: GateBill['rounds'][number]): string {
  return `The loop ${safeName(name)} may begin ${plural(left, 'more round')} after that; they are not counted.`;
}

/** Of which lists one item stands for all. */
export function perItemText(lists: string[]): string {
  return `Counted is one item of ${namesOf(lists)}: how many there are is not known.`;
}

type Costs = Pick<GateBill, 'calls' | 'price' | 'forecast' | 'made'>;

/** By runs of before, where they tell of it, and by the Plan. */
export function costText({ calls, price, forecast, made }: Costs): string {
  const all = made.length === 0 ? [] : [`what ${namesOf(made)} does may cost all of the budget that stays`];
  const range = [...(all.length > 0 && calls.most === 0 ? [] : [rangeWords(price, calls)]), ...all].join('; ');
  const expected = calls.most === 0 && made.length === 0 ? null : costWords(forecast);
  return expected === null ? range : `${expected}, ${fromText(forecast)}; ${range}`;
}

/** By runs of before, or that they do not tell of it. */
export function timeText({ follows, forecast }: Pick<GateBill, 'follows' | 'forecast'>): string {
  if (follows.length === 0) return 'nothing more begins';
  const expected = timeWords(forecast);
  return expected === null
    ? 'not known: fewer than three closed runs have done these steps'
    : `${expected}, ${fromText(forecast)}, without the time of people`;
}

function fromText(forecast: GateBill['forecast']): string {
  return `from ${plural(forecast?.runs ?? 0, 'closed run')}`;
}

/** What a run may still use. */
export function budgetText(budget: JsonObject): string {
  const part = (name: string, words: (value: number) => string): string[] => {
    const value: Json | undefined = budget[name];
    return typeof value === 'number' ? [words(value)] : [];
  };
  const parts = [
    ...part('cost_remaining_usd', formatUsd),
    ...part('tokens_remaining', (count) => `${formatCount(count)} tokens`),
    ...part('steps_remaining', (count) => plural(count, 'step')),
  ];
  return parts.length === 0 ? 'without a limit' : parts.join(' · ');
}
