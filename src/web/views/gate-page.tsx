import type { Child } from 'hono/jsx';
import type { Granted } from '../../activities/gates/grant.js';
import { grantable } from '../../activities/gates/grant.js';
import { isEditable, personRefusal } from '../../plan/gates/gate.js';
import { optionText } from '../../plan/gates/option-text.js';
import type { GateContent } from '../../cli/follow/gate-content.js';
import type { OpenGate } from '../../cli/observe/view/view.js';
import { rootOf } from '../../cli/observe/view/view.js';
import { answerCommands, gateFacts, wantOf } from '../../cli/render/gate-words.js';
import { formatAge, plural } from '../../cli/text/format.js';
import { safeLine, safeName, safeText } from '../../cli/text/safe-text.js';
import { toField } from '../data/field-text.js';
import { gatePath, runPath } from '../paths.js';
import { Content } from './content.js';
import type { FormPlaces } from './gate-forms.js';
import { GateForms, placesOf } from './gate-forms.js';

/** A gate with all that a person needs to decide it. `children` stand between what is asked and the forms. */
export function GatePage({
  open,
  content,
  person,
  now,
  before,
  grant = null,
  children,
}: {
  open: OpenGate;
  content: GateContent | null;
  person: string;
  now: number;
  /** What has changed since it was asked before. */
  before: Child;
  /** By which it is decided here, with where the forms go and why it is of no use; null for who is signed in. */
  grant?: { may: Granted[]; places: FormPlaces; refused: string | null } | null;
  children: Child;
}) {
  const { gate, address } = open;
  const refused = grant?.refused ?? personRefusal(person, gate);
  const edit = content === null || !isEditable(gate) ? null : toField(content.text);
  const { may, places } = grant ?? { may: grantable(gate).all, places: placesOf(address) };
  return (
    <article class="gate" id="gate" data-part>
      <GateHead open={open} now={now} crumbs={grant === null} />
      {content === null ? null : <GateShown content={content} />}
      {before}
      {gate.options === undefined ? null : (
        <p>
          One of: <strong>{gate.options.map(optionText).join(' · ')}</strong>
        </p>
      )}
      {children}
      <h2>Decide</h2>
      {grant === null ? null : (
        <p>
          This link decides once, as <strong>{safeName(person)}</strong>. Nothing is decided until you press a button.
        </p>
      )}
      {refused === null ? (
        <GateForms open={open} places={places} may={may} edit={edit} />
      ) : (
        <p class="warning">{safeText(refused)}</p>
      )}
      <details class="terminal">
        <summary>In a terminal</summary>
        <pre class="plain">{answerCommands(open).join('\n')}</pre>
      </details>
    </article>
  );
}

/** What is asked, by which run, since when, and the hash of what is shown. */
export function GateHead({
  open: { address, gate },
  now,
  crumbs = true,
}: {
  open: OpenGate;
  now: number;
  /** Whoever looks may go to other pages. */
  crumbs?: boolean;
}) {
  const facts = gateFacts(gate, now);
  return (
    <header>
      {crumbs ? (
        <p class="crumbs">
          <a href="/inbox">Inbox</a> / <a href={runPath(rootOf(address))}>{safeName(rootOf(address))}</a> /{' '}
          <a href={gatePath(address)}>{safeName(gate.path)}</a>
        </p>
      ) : (
        <p class="crumbs">{safeName(address)}</p>
      )}
      <p class="tone-attention">
        <span aria-hidden="true">◆</span> {wantOf(gate)}
      </p>
      <h1 class="message">{safeText(gate.message)}</h1>
      <p class="facts">
        since{' '}
        <time datetime={gate.since} title={gate.since}>
          {formatAge(gate.since, now)}
        </time>
        {facts.map((fact) => ` · ${fact}`).join('')}
      </p>
      <p class="hash">{gate.hash.replace(':', ' ')}</p>
    </header>
  );
}

/** What is approved, whole; where people read it in another form than it has, that is there too. */
function GateShown({ content: { shown, text } }: { content: GateContent }) {
  return (
    <>
      <Content text={shown} label="What is decided on" id="content" />
      {shown === text ? null : (
        <details>
          <summary>The same as JSON, as it is stored</summary>
          <Content text={text} label="As it is stored" />
        </details>
      )}
    </>
  );
}

/** A gate in the inbox: what is asked, in which run, and who may say so. */
export function GateCard({ open, now }: { open: OpenGate; now: number }) {
  const { address, gate } = open;
  return (
    <li class="card">
      <p class="card-head">
        <span class="tone-attention">
          <span aria-hidden="true">◆</span> {wantOf(gate)}
        </span>
        <span class="quiet">
          <a href={runPath(rootOf(address))}>{safeName(rootOf(address))}</a> · {formatAge(gate.since, now)}
        </span>
      </p>
      <p class="card-title">
        <a href={gatePath(address)}>{safeLine(gate.message)}</a>
      </p>
      <p class="quiet">
        {safeName(gate.path)} · {gateFacts(gate, now).join(' · ')}
      </p>
    </li>
  );
}

/** How many gates of runs are in no list. */
export function Unlisted({ run, count }: { run: string; count: number }) {
  return (
    <p class="warning">
      <a href={runPath(run)}>{safeName(run)}</a> has {plural(count, 'more open gate')} than it lists: its page shows
      all.
    </p>
  );
}
