import type { Follows, Notice, NoticeForecast } from '../../plan/gates/notice.js';
import { optionText } from '../../plan/gates/option-text.js';
import { safeName } from '../../plan/text/safe-name.js';
import { safeText } from '../../plan/text/safe-text.js';

/** A fact in our words, or what others have said: a question, an error, options. */
export type NoticeLine = string | { said: string };

/** A notice as people read it in a chat or a mail: its title, a fact a line, and where they go on. */
export interface NoticeWords {
  title: string;
  lines: NoticeLine[];
  buttons: { label: string; url: string }[];
}

/** The words of a line, whoever said them: for chats, where each line has a block of its own. */
export function textOfLine(line: NoticeLine): string {
  return typeof line === 'string' ? line : line.said;
}

/** What a notice says, in words; texts of others have what is not drawn as escapes. */
export function wordsOf(notice: Notice): NoticeWords {
  const { run, definition, command } = notice;
  const about = `${safeName(definition)} · ${safeName(run)}`;
  switch (notice.event) {
    case 'waiting':
      return waitingWords(notice);
    case 'paused':
      return {
        title: `${safeName(definition)} is paused`,
        lines: [about, { said: safeText(notice.message) }, command],
        buttons: [],
      };
    case 'ended': {
      const { status, error, usd, steps } = notice;
      const spent = `${String(steps)} steps${usd === null ? '' : `, $${usd.toFixed(2)}`}`;
      return {
        title: `${safeName(definition)} ended: ${status}`,
        lines: [about, spent, ...(error === null ? [] : [{ said: safeText(error) }]), command],
        buttons: [],
      };
    }
  }
}

/** Of a gate that waits, or that still does. */
function waitingWords(notice: Extract<Notice, { event: 'waiting' }>): NoticeWords {
  const { definition, gate, message, hash, deadline, options, follows, page, command, links = [] } = notice;
  const isAgain = notice.reminders !== undefined || notice.escalated !== undefined;
  return {
    title: `${safeName(definition)} ${isAgain ? 'still waits' : 'waits'} for a person`,
    lines: [
      { said: safeText(message) },
      `${safeName(gate)} · ${hash.replace(':', ' ')}`,
      ...askedLines(notice),
      ...(options === undefined ? [] : [{ said: `one of: ${options.map(optionText).join(' · ')}` }]),
      ...(deadline === undefined ? [] : [`until ${safeName(deadline)}`]),
      ...(follows === undefined ? [] : billLines(follows)),
      command,
    ],
    buttons: [
      ...links.map(({ to, may, url }) => ({ label: `Look, then ${may.join(' or ')} as ${safeName(to)}`, url })),
      ...(page === undefined || links.length > 0 ? [] : [{ label: 'Look at it', url: page }]),
    ],
  };
}

/** Who is asked, and how often they were. */
function askedLines({ reminders = 0, approvers, escalated }: Extract<Notice, { event: 'waiting' }>): string[] {
  return [
    ...(reminders === 0 ? [] : [`reminder ${String(reminders)}`]),
    ...(approvers === undefined ? [] : [`for ${approvers.map(safeName).join(' or ')}`]),
    ...(escalated === undefined ? [] : [`escalated to ${escalated.map(safeName).join(' and ')}`]),
  ];
}

/** What follows, what it may take, and the budget that stays: the whole bill is on the gate's page. */
function billLines({ steps, external, forecast, budget, run_only }: Follows): string[] {
  const here = run_only === true ? ' in this workflow' : '';
  const then =
    (steps === 0 ? 'Then nothing more' : `Then ${String(steps)} step${steps === 1 ? '' : 's'} can begin`) + here;
  return [
    external.length === 0
      ? `${then}; none is marked as changing the world outside.`
      : `${then}; outside changes: ${external.map(safeName).join(', ')}.`,
    ...(forecast === undefined ? [] : [forecastLine(forecast)]),
    ...(budget === undefined ? [] : [`Budget that stays: ${budgetWords(budget)}.`]),
  ];
}

function forecastLine({ runs, usd, ms }: NoticeForecast): string {
  const dollars = (amount: number): string => `$${amount.toFixed(2)}`;
  const seconds = (amount: number): string =>
    amount < 120_000 ? `${(amount / 1_000).toFixed(1)} s` : `${String(Math.round(amount / 60_000))} min`;
  const cost = usd === null ? '' : `${dollars(usd.p50)} and ${dollars(usd.p95)}, `;
  return (
    `Half and 95 of 100 at most: ${cost}${seconds(ms.p50)} and ${seconds(ms.p95)} without the time of people ` +
    `(from ${String(runs)} closed runs).`
  );
}

function budgetWords({ usd, tokens, steps }: NonNullable<Follows['budget']>): string {
  return [
    ...(usd === undefined ? [] : [`$${usd.toFixed(2)}`]),
    ...(tokens === undefined ? [] : [`${String(tokens)} tokens`]),
    ...(steps === undefined ? [] : [`${String(steps)} steps`]),
  ].join(', ');
}
