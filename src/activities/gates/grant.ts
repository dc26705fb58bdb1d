import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import type { Decision, Gate } from '../../plan/gates/gate.js';
import { isEditable, isRejectable } from '../../plan/gates/gate.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import type { TokenGate } from './approval-token.js';

/** What a grant may let somebody do. `edit`: change the content before it is approved. */
export const GRANTED = ['approve', 'reject', 'answer', 'edit'] as const;
export type Granted = (typeof GRANTED)[number];

/** The right of one person to decide one gate once, for the content that it showed (decision 39). */
export interface Grant extends TokenGate {
  hash: Hash;
  may: Granted[];
  /** Who decides by it. */
  to: string;
  nonce: string;
  /** Epoch milliseconds. */
  exp: number;
}

/** What a gate lets people do. What changes the content is for who is granted that by name. */
export function grantable(gate: Gate): { usual: Granted[]; all: Granted[] } {
  const usual = usualWords(gate);
  return { usual, all: isEditable(gate) ? [...usual, 'edit'] : usual };
}

/** The same without that. */
export function usualWords(gate: Pick<Gate, 'kind' | 'options'>): Granted[] {
  const { kind, options } = gate;
  return [kind === 'ask' || options !== undefined ? 'answer' : 'approve', ...rejecting(gate)];
}

function rejecting(gate: Pick<Gate, 'kind' | 'options'>): Granted[] {
  return isRejectable(gate) ? ['reject'] : [];
}

const name = z.string().min(1).max(1_024);
const grantSchema = z.strictObject({
  run: name,
  first: name,
  gate: name,
  since: name,
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  may: z.array(z.enum(GRANTED)).min(1),
  to: name,
  nonce: name,
  exp: z.int(),
});

/** Before what is signed: no text that the key signs for something else is a grant. */
const KIND = 'perdure-grant-1.';

/** Longer than any token. */
const MOST_CHARACTERS = 8_192;

/**
 * A token for a grant: the canonical JSON of its claims and their signature, each in base 64 for URLs. Throws
 * `StoreFailure` where the key cannot be read.
 */
export async function issueGrant(grant: Omit<Grant, 'nonce'>, key: ApprovalKey): Promise<string> {
  const { run, first, gate, since, hash, may, to, exp } = grant;
  const nonce = randomBytes(12).toString('base64url');
  const claims: Grant = { run, first, gate, since, hash, may, to, nonce, exp };
  const text = Buffer.from(canonicalJson(claims)).toString('base64url');
  return `${text}.${await key.sign(KIND + text)}`;
}

/** What a token says, whoever wrote it; null where it says nothing. A link that ends with the token is taken for it. */
export function readGrant(token: string): Grant | null {
  const [text = '', , ...rest] = tokenIn(token).split('.');
  if (token.length > MOST_CHARACTERS || rest.length > 0) return null;
  try {
    const claims = grantSchema.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    // a hash by its pattern
    return claims.success ? (claims.data as Grant) : null;
  } catch {
    return null;
  }
}

/** The token of a link, or of itself. */
export function tokenIn(typed: string): string {
  return typed.trim().replace(/^.*\//, '');
}

/** Where the page of a grant is, behind the address under which the pages are reached. */
export const GRANTED_PATH = '/granted/';

/** The link to the page on which a grant is used. */
export function grantLink(publicUrl: string, token: string): string {
  return `${publicUrl.replace(/\/$/, '')}${GRANTED_PATH}${token}`;
}

/** What a token says that the key has signed; null for any other. */
export async function openGrant(token: string, key: ApprovalKey): Promise<Grant | null> {
  const [text = '', signature = ''] = token.split('.');
  const grant = readGrant(token);
  return grant !== null && (await key.isSigned(KIND + text, signature)) ? grant : null;
}

/**
 * Why a decision by a grant does not count, or null when it does, as far as the grant decides that. `now` in epoch
 * milliseconds.
 */
export function grantRefusal(grant: Grant | null, gate: TokenGate, decision: Decision, now: number): string | null {
  const name = `Gate \`${gate.gate}\``;
  if (grant === null) return `${name} was sent a grant that its store did not issue: it is forged or damaged.`;
  if (grant.run !== gate.run || grant.gate !== gate.gate)
    return `${name} was sent a grant for another gate, \`${grant.gate}\` of \`${grant.run}\`.`;
  if (grant.first !== gate.first || grant.since !== gate.since)
    return `${name} was sent a grant for an earlier time that it was open, ${grant.since}.`;
  if (grant.hash !== decision.hash) return `${name} was sent a grant for other content (${grant.hash}).`;
  if (now >= grant.exp) return `${name} was sent a grant that has expired at ${new Date(grant.exp).toISOString()}.`;
  if (grant.to !== decision.by) return `${name} was sent a grant for ${grant.to}, not for ${decision.by}.`;
  return wordRefusal(grant, decision);
}

function wordRefusal({ may, gate }: Grant, { decision, edit, remember }: Decision): string | null {
  const refused = !may.includes(decision)
    ? decision
    : edit !== undefined && !may.includes('edit')
      ? 'edit'
      : remember === true
        ? 'remember'
        : null;
  return refused === null
    ? null
    : `Gate \`${gate}\` was sent a grant that does not allow \`${refused}\`: it allows ${may.join(', ')}.`;
}
