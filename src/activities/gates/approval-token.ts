import { randomBytes } from 'node:crypto';
import type { Decision } from '../../plan/gates/gate.js';
import { canonicalJson } from '../../plan/values/json.js';
import type { Hash } from '../../plan/values/value.js';
import type { ApprovalKey } from '../../store/records/approval-key.js';
import { sha256 } from '../../store/hash.js';

/** A token that is not used in this time is void. */
const VALID_MS = 3_600_000;

/** The one gate at one time that a decision is about: what its token binds, beside the decision itself. */
export interface TokenGate {
  /**
   * Workflow id of the run that owns it, and the id of the first Temporal run under it: of another try of a nested run
   * it is another.
   */
  run: string;
  first: string;
  /**
   * The gate's path from the root run, rounds of loops included, and when it opened (ISO 8601): sent back, it opens
   * anew.
   */
  gate: string;
  since: string;
}

/** What a token says; signed as it stands. It is no secret: it holds for this one decision. */
interface Claims extends TokenGate {
  hash: Hash;
  /** SHA-256 of what is said, by whom. */
  said: Hash;
  nonce: string;
  /** Epoch milliseconds. */
  exp: number;
}

/**
 * A token for a decision: the claims and their signature, each in base 64 for URLs. Throws `StoreFailure` where the key
 * cannot be read.
 */
export async function issueToken(
  gate: TokenGate,
  decision: Decision,
  key: ApprovalKey,
  now = Date.now(),
): Promise<string> {
  const claims: Claims = {
    ...bindingOf(gate),
    hash: decision.hash,
    said: saidIn(decision),
    nonce: randomBytes(12).toString('base64url'),
    exp: now + VALID_MS,
  };
  const text = Buffer.from(JSON.stringify(claims)).toString('base64url');
  return `${text}.${await key.sign(text)}`;
}

/** Why the token of a decision does not count, or null when it does. `now` in epoch milliseconds. */
export async function tokenRefusal(
  gate: TokenGate,
  decision: Decision,
  key: ApprovalKey,
  now = Date.now(),
): Promise<string | null> {
  const name = `Gate \`${gate.gate}\``;
  if (decision.token === undefined)
    return (
      `${name} wants a token with each decision (\`approvals.require_token\`): decide it with \`perdure\` on the ` +
      `machine of its store, or send what \`--print\` gives there.`
    );
  const claims = await claimsIn(decision.token, key);
  if (claims === null) return `${name} was sent a token that its store did not issue: it is forged or damaged.`;
  if (claims.run !== gate.run || claims.gate !== gate.gate)
    return `${name} was sent a token for another gate, \`${claims.gate}\` of \`${claims.run}\`.`;
  if (claims.first !== gate.first || claims.since !== gate.since)
    return `${name} was sent a token for an earlier time that it was open, ${claims.since}.`;
  if (claims.hash !== decision.hash) return `${name} was sent a token for other content (${claims.hash}).`;
  if (claims.said !== saidIn(decision))
    return (
      `${name} was sent a token for another decision: what was decided, by whom and with which words belongs to ` +
      `it.`
    );
  return now < claims.exp
    ? null
    : `${name} was sent a token that has expired at ${new Date(claims.exp).toISOString()}. Look again and decide anew.`;
}

function bindingOf({ run, first, gate, since }: TokenGate): TokenGate {
  return { run, first, gate, since };
}

function saidIn({ decision, by, comment, value, edit, remember, via }: Decision): Hash {
  const said = { decision, by, comment: comment ?? null, value: value ?? null, edit: edit ?? null };
  return sha256(canonicalJson({ ...said, ...(remember === true ? { remember } : {}), via }));
}

async function claimsIn(token: string, key: ApprovalKey): Promise<Claims | null> {
  const [text = '', signature = '', ...rest] = token.split('.');
  if (rest.length > 0 || !(await key.isSigned(text, signature))) return null;
  return JSON.parse(Buffer.from(text, 'base64url').toString()) as Claims; // nobody else can sign
}
