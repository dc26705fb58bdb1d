import { MOST_SAID } from '../../plan/budget/steering.js';
import type { StepView } from '../../cli/observe/view/view.js';
import { rootOf, spendOf } from '../../cli/observe/view/view.js';
import { stepRow } from '../../cli/render/rows.js';
import { formatCount, formatUsd } from '../../cli/text/format.js';
import { safeLine, safeName } from '../../cli/text/safe-text.js';
import type { Conversation } from '../data/conversation.js';
import { gatePath, runPath, sayPath, stepPath } from '../paths.js';
import { Content } from './content.js';
import { ConversationView } from './conversation.js';
import { StatusChip } from './status.js';

interface StepPageProps {
  run: string;
  step: StepView;
  /** As people read it; null where there is none. */
  output: string | null;
  /** Null where no model was asked. */
  conversation: Conversation | null;
  /** A part of what it wrote, and the byte of the log where the next one begins; null for the last. */
  log: { text: string; next: number | null };
  now: number;
}

/** A step: how it stands, what it yielded, what it wrote. */
export function StepPage({ run, step, output, conversation, log, now }: StepPageProps) {
  const { path, status, result, gate } = step;
  return (
    <article class="step">
      <div id="step" data-part>
        <p class="crumbs">
          <a href="/runs">Runs</a> / <a href={runPath(run)}>{safeName(rootOf(run))}</a> / {safeName(path)}
        </p>
        <h1>
          {safeName(step.step.id ?? step.actor)}{' '}
          <StatusChip status={status === 'success' && result?.partial !== undefined ? 'partial' : status} />
        </h1>
        <Facts step={step} now={now} />
        {gate === null ? null : (
          <p>
            <a href={gatePath(`${rootOf(run)}/${gate.path}`)}>Decide its gate</a>
          </p>
        )}
        {isSpokenTo(step) ? <Say action={sayPath(run, path)} /> : null}
        {result?.error == null ? null : <Content text={result.error} label="Why it did not succeed" />}
        {result?.partial === undefined ? null : <Content text={result.partial} label="What failed in it" />}
        {output === null ? null : <Content text={output} label="Output" />}
        {conversation === null ? null : <ConversationView conversation={conversation} />}
        {log.text === '' ? <p class="empty">It has written nothing.</p> : <Content text={log.text} label="Log" />}
        {log.next === null ? null : (
          <p>
            <a href={`${stepPath(run, path)}?from=${log.next}`}>What it wrote after that</a>
          </p>
        )}
      </div>
    </article>
  );
}

function toldTo({ title = '' }: StepView): string {
  return safeLine(title);
}

/** What a person may tell the agent, who hears it at its next turn. */
function Say({ action }: { action: string }) {
  return (
    <details>
      <summary>Tell it something…</summary>
      <form method="post" action={action} class="decide">
        <label>
          It hears this at its next turn
          <textarea name="text" rows={3} maxlength={MOST_SAID} required />
        </label>
        <button class="primary">Tell it</button>
      </form>
    </details>
  );
}

/** Agents with tools have turns; where this one has none, whoever speaks is told so. */
function isSpokenTo({ step, status }: StepView): boolean {
  return step.kind === 'agent' && (status === 'running' || status === 'waiting');
}

function roundsFact({ step, rounds }: StepView): [string, string] {
  return [step.kind === 'loop' ? 'Rounds' : 'Items', rounds.length === 0 ? '' : formatCount(rounds.length)];
}

function Facts({ step, now }: { step: StepView; now: number }) {
  const { step: authored, result, attempt, model, actor } = step;
  const { kind, detail, time } = stepRow(step, { now, depth: 0 });
  const spend = spendOf(step);
  const facts: [string, string][] = [
    ['Kind', kind],
    ['Acts', model === null ? safeName(actor) : `${safeName(actor)} on ${safeName(model)}`],
    ['Told', toldTo(step)],
    ['Says', detail],
    ['Took', time],
    ['Tries', String(result?.attempts ?? attempt)],
    [
      'Cost',
      spend.tokens === 0 && spend.usd === 0 ? '' : `${formatUsd(spend.usd)}, ${formatCount(spend.tokens)} tokens`,
    ],
    ['Effect', authored.effect],
    ['Result', result?.reused ? 'taken over from an earlier run with the same content' : ''],
    ['Decided by', (result?.decided_by ?? []).map(safeName).join(', ')],
    ['Comment', safeLine(result?.comment ?? '')],
    roundsFact(step),
  ];
  return (
    <dl class="facts-list">
      {facts
        .filter(([, value]) => value !== '')
        .map(([name, value]) => (
          <>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </>
        ))}
    </dl>
  );
}
