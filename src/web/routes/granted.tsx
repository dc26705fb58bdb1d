import { isAnswered } from '../../cli/bill/bill-words.js';
import type { Hono } from 'hono';
import type { Grant } from '../../activities/gates/grant.js';
import { GRANTED_PATH, openGrant, readGrant } from '../../activities/gates/grant.js';
import type { Statement } from '../../activities/gates/receipt.js';
import { statementIn } from '../../activities/gates/receipt.js';
import { CliError, EXIT, refusal } from '../../cli/exit-codes.js';
import { keptRefusal } from '../../cli/follow/decide.js';
import { receiptText, receiptsOf } from '../../cli/follow/receipts.js';
import { rootOf } from '../../cli/observe/view/view.js';
import { safeLine } from '../../cli/text/safe-text.js';
import { isUsed } from '../../plan/gates/gate.js';
import type { FoundGate } from '../data/found-gate.js';
import { findGate } from '../data/found-gate.js';
import { createOnce } from '../data/once.js';
import { createForgedLimit } from '../access/forged-limit.js';
import type { PageContext, PageEnv, Site } from '../site.js';
import { sendPage, sentIn } from '../site.js';
import { Bill } from '../views/bill.js';
import { GatePage } from '../views/gate-page.js';
import type { FormPlaces } from '../views/gate-forms.js';
import { Notice } from '../views/notice.js';
import { requireShown, sendDecision } from './decision.js';
import { billAt, sendEdited } from './gates.js';

/**
 * The page of a grant, for who is not signed in: to open it decides nothing, a POST uses it up. What was refused is
 * kept with the run.
 */
export function grantedRoutes(app: Hono<PageEnv>, site: Site): void {
  const mayKeep = createForgedLimit();
  const once = createOnce();
  const forged = async (c: PageContext, token: string): Promise<Response> => {
    const claimed = readGrant(token);
    site.log(`refused: ${c.req.method} by a grant that is forged, damaged or of another store`);
    if (c.req.method === 'POST' && claimed !== null && mayKeep() && (await isKnown(claimed, site)))
      await kept(site, claimed, refusal('a grant that this store did not issue was used on the pages.'));
    return noUse(c, site, { message: 'It is damaged, or this server did not make it.', status: 404 });
  };
  app.get(`${GRANTED_PATH}:token`, async (c) => {
    const { token } = c.req.param();
    const grant = await openGrant(token, site.session.store);
    if (grant === null) return forged(c, token);
    const found = await findGate(addressOf(grant), site.session).catch(closedIn);
    if (found instanceof CliError)
      return noUse(c, site, { message: found.message, receipt: `${placesOf(token).decide}/receipt` });
    const refused = uselessOf(grant, found, Date.now());
    return sendPage(
      c,
      site,
      { title: safeLine(found.open.gate.message) },
      <GatePage
        {...found}
        person={grant.to}
        now={Date.now()}
        before={<></>}
        grant={{ may: grant.may, places: placesOf(token), refused }}
      >
        <Bill bill={await billAt(found, site)} asks={isAnswered(found.open.gate)} />
      </GatePage>,
    );
  });
  app.get(`${GRANTED_PATH}:token/receipt`, async (c) => {
    const grant = await openGrant(c.req.param('token'), site.session.store);
    if (grant === null) return forged(c, c.req.param('token'));
    const all = await receiptsOf(await site.runs.view(rootOf(grant.run)), site.session.store);
    return c.text(receiptText(all.filter((one) => isOf(grant, statementIn(one)))), 200);
  });
  app.post(`${GRANTED_PATH}:token`, async (c) => {
    const { token } = c.req.param();
    const grant = await openGrant(token, site.session.store);
    if (grant === null) return forged(c, token);
    const sent = await sentIn(c);
    await once([token], sent, async () => {
      const found = await usable(site, grant, (gate) => requireShown(gate.open, sent));
      await sendDecision(found, sent, { by: grant.to, grant: token }, site);
    });
    return c.redirect(placesOf(token).decide, 303);
  });
  app.post(`${GRANTED_PATH}:token/edit`, async (c) => {
    const { token } = c.req.param();
    const grant = await openGrant(token, site.session.store);
    if (grant === null) return forged(c, token);
    const found = await usable(site, grant, () => undefined);
    return sendEdited(c, site, found, placesOf(token));
  });
}

function placesOf(token: string): FormPlaces {
  return { decide: `${GRANTED_PATH}${token}`, edit: `${GRANTED_PATH}${token}/edit` };
}

function addressOf({ run, gate }: Grant): string {
  return `${rootOf(run)}/${gate}`;
}

/** The open gate that a grant is for, unless the grant is of no use or `check` throws: that is kept. */
async function usable(site: Site, grant: Grant, check: (found: FoundGate) => void): Promise<FoundGate> {
  try {
    const found = await findGate(addressOf(grant), site.session);
    const useless = uselessOf(grant, found, Date.now());
    if (useless !== null) throw refusal(useless);
    check(found);
    return found;
  } catch (error) {
    throw error instanceof CliError && error.exit === EXIT.ended ? await kept(site, grant, error) : error;
  }
}

/** Why a grant decides nothing at a gate as it is now; the run itself looks again. */
function uselessOf(grant: Grant, { open: { gate } }: FoundGate, now: number): string | null {
  if (grant.hash !== gate.hash || grant.since !== gate.since)
    return `This link was made for what the gate showed ${grant.since}. It shows something else now.`;
  if (now >= grant.exp) return `This link has expired at ${new Date(grant.exp).toISOString()}.`;
  return isUsed(gate, grant.nonce) ? 'You have decided by this link.' : null;
}

function kept({ session, log }: Site, grant: Grant, error: CliError): Promise<CliError> {
  log(`refused: a decision of ${safeLine(addressOf(grant))} by a grant: ${safeLine(error.message)}`);
  const says = { by: grant.to, grant: grant.nonce };
  return keptRefusal(error, { run: grant.run, gate: grant.gate, says }, session.store);
}

/** Tells whether there is such a run: nobody makes logs of others. */
function isKnown({ run }: Grant, { runs }: Site): Promise<boolean> {
  return runs.view(rootOf(run)).then(
    () => true,
    () => false,
  );
}

function closedIn(error: unknown): CliError {
  if (error instanceof CliError && error.exit !== EXIT.unavailable) return error;
  throw error;
}

/** Tells whether a receipt is of the one time that a gate was open for which a grant was made. */
function isOf(grant: Grant, { gate, since }: Statement): boolean {
  return gate === addressOf(grant) && since === grant.since;
}

interface NoUse {
  message: string;
  status?: 404;
  /** Where what was decided is proved. */
  receipt?: string;
}

function noUse(c: PageContext, site: Site, { message, status, receipt }: NoUse): Response {
  return sendPage(
    c,
    site,
    { title: 'Nothing to decide', ...(status === undefined ? {} : { status }) },
    <Notice title="There is nothing to decide by this link" message={message} hint={null}>
      {receipt === undefined ? null : (
        <p>
          <a href={receipt}>The receipt of what was decided</a>
        </p>
      )}
    </Notice>,
  );
}
