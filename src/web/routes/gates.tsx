import { isAnswered } from '../../cli/bill/bill-words.js';
import type { Hono } from 'hono';
import { isEditable } from '../../plan/gates/gate.js';
import { toText } from '../../plan/values/json.js';
import { sha256 } from '../../store/hash.js';
import { CliError, EXIT, refusal } from '../../cli/exit-codes.js';
import { toContent } from '../../cli/follow/input/answer-value.js';
import type { GateBill } from '../../cli/bill/gate-bill.js';
import { readBill } from '../../cli/bill/read-bill.js';
import { keptRefusal } from '../../cli/follow/decide.js';
import { askedBefore } from '../../cli/observe/asked-before.js';
import { readGateContent } from '../../cli/follow/gate-content.js';
import { readable } from '../../cli/follow/readable.js';
import { rootOf } from '../../cli/observe/view/view.js';
import { safeLine } from '../../cli/text/safe-text.js';
import type { Sent } from '../data/answer-fields.js';
import { fromField, toField } from '../data/field-text.js';
import type { FoundGate } from '../data/found-gate.js';
import { findGate } from '../data/found-gate.js';
import type { DiffLine } from '../data/line-diff.js';
import { diffLines } from '../data/line-diff.js';
import { createOnce } from '../data/once.js';
import { gatePath, runPath } from '../paths.js';
import type { PageContext, PageEnv, Site } from '../site.js';
import { sendPage, sentIn } from '../site.js';
import { Bill } from '../views/bill.js';
import { Content } from '../views/content.js';
import { Diff } from '../views/diff.js';
import type { FormPlaces } from '../views/gate-forms.js';
import { ApproveEdited, placesOf } from '../views/gate-forms.js';
import { GateHead, GatePage } from '../views/gate-page.js';
import { Notice } from '../views/notice.js';
import { requireShown, sendDecision } from './decision.js';

/** The pages of gates: to look at one changes nothing, a POST decides on what it names. */
export function gateRoutes(app: Hono<PageEnv>, site: Site): void {
  const once = createOnce();
  app.get('/gates/:run/:path{.+}', async (c) => {
    const found = await findGate(addressOf(c), site.session).catch((error: unknown) => {
      if (error instanceof CliError && error.exit === EXIT.ended) return error;
      throw error;
    });
    if (found instanceof CliError) return notOpen(c, site, found);
    return sendPage(
      c,
      site,
      { title: safeLine(found.open.gate.message), section: 'inbox', events: `${runPath(found.view.run)}/events` },
      <GatePage
        {...found}
        person={c.get('person')}
        now={Date.now()}
        before={<Before lines={await changesOf(found, site)} />}
      >
        <Bill bill={await billAt(found, site)} asks={isAnswered(found.open.gate)} />
      </GatePage>,
    );
  });
  app.post('/gates/:run/:path{.+}', async (c) => {
    const address = addressOf(c);
    const sent = await sentIn(c);
    const by = c.get('person');
    await once([address, by], sent, async () =>
      sendDecision(await shownGate(address, { sent, by }, site), sent, { by }, site),
    );
    return c.redirect(gatePath(address), 303);
  });
  app.post('/edits/:run/:path{.+}', async (c) => lookAtEdit(c, site));
}

/**
 * The open gate that a form was made for. That it is not open, or shows something else by now, is kept with the run.
 */
async function shownGate(address: string, { sent, by }: { sent: Sent; by: string }, site: Site): Promise<FoundGate> {
  try {
    const found = await findGate(address, site.session);
    requireShown(found.open, sent);
    return found;
  } catch (error) {
    if (!(error instanceof CliError) || error.exit !== EXIT.ended) throw error;
    const run = rootOf(address);
    const says = { by, via: 'page' as const };
    throw await keptRefusal(error, { run, gate: address.slice(run.length + 1), says }, site.session.store);
  }
}

function Before({ lines }: { lines: DiffLine[] | null }) {
  return lines === null ? <></> : <Diff lines={lines} label="Against what was asked before" />;
}

/** What differs from what was asked before; null where nothing was. */
async function changesOf({ view, open, content, link }: FoundGate, { session }: Site): Promise<DiffLine[] | null> {
  const gate = await askedBefore(view, open, link);
  const before = gate === null ? null : await readGateContent({ ...open, gate }, session.store);
  return before === null || content === null ? null : diffLines(before.shown, content.shown);
}

/** What follows a gate that was found. */
export async function billAt({ view, open }: FoundGate, { session, forecasts, terminal }: Site): Promise<GateBill> {
  return readBill(view, open, { session, env: terminal.env, past: await forecasts.past() });
}

/** Of a gate that was decided, by whom; of any other that it is not there. */
function notOpen(c: PageContext, site: Site, { message, hint }: CliError): Response {
  return sendPage(
    c,
    site,
    { title: 'Not open', section: 'inbox' },
    <div id="gate" data-part>
      <Notice title="This gate is not open" message={message} hint={hint}>
        <p>
          <a href={runPath(addressOf(c))}>Follow the run</a> · <a href="/inbox">Inbox</a>
        </p>
      </Notice>
    </div>,
  );
}

/** Shows content as it was edited; nothing is decided. */
async function lookAtEdit(c: PageContext, site: Site): Promise<Response> {
  const found = await findGate(addressOf(c), site.session);
  return sendEdited(c, site, found, placesOf(found.open.address));
}

/** Shows content as a form has it edited; `places` is where it goes then. */
export async function sendEdited(
  c: PageContext,
  site: Site,
  { open, content }: FoundGate,
  places: FormPlaces,
): Promise<Response> {
  const sent = await sentIn(c);
  requireShown(open, sent);
  if (content === null || !isEditable(open.gate))
    throw refusal(`Gate \`${open.gate.path}\` shows nothing that may be edited.`);
  const text = fromField(sent['edit'] ?? '', sent['escaped'] === 'yes');
  const edited = toContent(`${text}\n`, content.isText, 'the edited content');
  const isChanged = toText(edited) !== content.text;
  return sendPage(
    c,
    site,
    { title: 'Edited', section: 'inbox' },
    <article class="gate">
      <GateHead open={open} now={Date.now()} />
      <p class={isChanged ? 'warning' : 'quiet'}>
        {isChanged ? 'This is the content as you edited it. Nothing is decided yet.' : 'Nothing was changed.'}
      </p>
      <Content text={readable(edited)} label="As you edited it" id="content" />
      {isChanged ? (
        <ApproveEdited open={open} places={places} edit={toField(text)} shown={sha256(text)} />
      ) : (
        <p>
          <a href={places.decide}>Back to the gate</a>
        </p>
      )}
    </article>,
  );
}

function addressOf(c: PageContext): string {
  return `${c.req.param('run') ?? ''}/${c.req.param('path') ?? ''}`;
}
